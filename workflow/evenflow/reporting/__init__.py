"""What papers and pages print of data: set-ups, printed values, surfaces, verdicts, self-checks."""
