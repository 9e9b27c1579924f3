"""Windows that slide over an image or a signal, and what samples one."""
