"""Elements put elsewhere: reshaped, joined, cut, gathered, scattered."""
