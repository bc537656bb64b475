"""What is computed of a run: its steady state, fairness, burstiness."""
