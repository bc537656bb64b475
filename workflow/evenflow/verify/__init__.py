"""Whether what is made follows from the raw logs, and what is deposited."""
