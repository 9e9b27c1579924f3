"""The parts that an HTML page is made of."""
