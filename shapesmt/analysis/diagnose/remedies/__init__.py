"""What would help: narrower ranges and relations, the doubt about them, and fixed sizes that should be free."""
