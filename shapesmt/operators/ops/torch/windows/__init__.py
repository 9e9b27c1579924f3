"""Windows that slide over an image, and images that are resized or sampled."""
