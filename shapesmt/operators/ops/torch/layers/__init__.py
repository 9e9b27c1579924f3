"""Layers of networks: activations, normalization, attention, recurrent layers and losses."""
