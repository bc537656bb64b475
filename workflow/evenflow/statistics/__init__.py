"""What is computed of many runs: intervals over repeats, surfaces, factors."""
