-- assumption: one row per thing that the data set does not say and that was taken for granted
-- inputs: parsed assumption
-- yaml: the lines for dataset.yml that say it; where they are comments, only the maker knows
SELECT what, value, because, yaml
FROM parsed_assumption
ORDER BY what, value, because, yaml
