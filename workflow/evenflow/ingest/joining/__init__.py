"""Which logs are of one run."""
