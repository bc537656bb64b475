# The bytes of all logs of iperf 2 that come one after another: what a pipe from gzip leaves to do.
/^Server listening/ { seen = 0 }
$4 == "sec" && (!seen || index($3, "0.0000-") != 1) { bytes += $5; seen = 1 }
END { printf "all %.0f\n", bytes }
