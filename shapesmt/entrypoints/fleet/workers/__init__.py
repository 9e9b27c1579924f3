"""Workers: this process, others on this machine, or those of a cluster check tasks."""
