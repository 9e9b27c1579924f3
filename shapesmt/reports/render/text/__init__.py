"""Reports for a terminal, and the words that every format shares."""
