"""From a folder of raw logs to parsed tables: what the files are, which run each is of."""
