"""Convolutions, pools, resizing, sampling of images, and signal transforms."""
