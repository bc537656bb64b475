-- assumption: one row per thing that the data set does not say and that was taken for granted
-- inputs: parsed assumption
-- yaml: the lines for dataset.yml that say it; where they are comments, only the maker knows
-- certainty: given, from logs, from names, default, a guess
-- about: what (was measured), joined (to runs and repeats), window (the time of a mean)
SELECT what, value, because, yaml, certainty, about
FROM parsed_assumption
ORDER BY what, value, because, yaml
