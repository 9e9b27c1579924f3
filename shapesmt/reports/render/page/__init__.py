"""Reports as one HTML page, with its drawing, script and style."""
