# The same as trace_usual.awk, written to be fast: fields are used only where they are needed.
$1 == "r" && $5 != "ack" && $4 == int($10) { received[int($2) " " $8] += $6 }
$1 == "d" { dropped[int($2) " " $8]++ }
END { for (key in received) printf "%s %d %d\n", key, received[key], dropped[key] }
