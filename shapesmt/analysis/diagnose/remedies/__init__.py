"""Remedies: find narrower ranges and relations for which a model runs, doubt them, and free sizes that were fixed."""
