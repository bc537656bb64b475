# Bytes of each log of iperf 2 (one connection a log): all intervals, without the final report.
$4 == "sec" {
  split($3, t, "-")
  if (t[1] > 0 || !(FILENAME in bytes)) bytes[FILENAME] += $5
}
END { for (f in bytes) printf "%s %.0f\n", f, bytes[f] }
