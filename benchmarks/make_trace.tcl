# A large wired trace of ns-2 to measure the reader with: two SACK flows over a dumbbell of
# 100 Mb/s, every event of every link (trace-all). 8 MB for each simulated second: 150 give 1.24 GB,
# 22 million lines, in 15 CPU-seconds.
#
#   ns make_trace.tcl <seconds> <output>        e.g. ns make_trace.tcl 150 ns2.tr
#
#   0 --- 1 Gb/s, 1 ms ---+                                        +--- 1 Gb/s, 1 ms --- 4
#                         2 === 100 Mb/s, 20 ms, 200 packets === 3
#   1 --- 1 Gb/s, 6 ms ---+                                        +--- 1 Gb/s, 6 ms --- 5

if {[llength $argv] != 2} {
  puts stderr "usage: ns make_trace.tcl <seconds> <output>"
  exit 2
}
lassign $argv seconds output
if {![string is double -strict $seconds] || $seconds <= 0} {
  puts stderr "make_trace.tcl: seconds '$seconds': use a number above 0"
  exit 2
}

# Only the headers in use: faster, and the same trace.
remove-all-packet-headers
add-packet-header IP TCP Flags

set ns [new Simulator]
set trace [open $output w]
$ns trace-all $trace
for {set i 0} {$i < 6} {incr i} { set n($i) [$ns node] }
foreach {a b delay} {0 2 1ms 1 2 6ms 3 4 1ms 3 5 6ms} {
  $ns duplex-link $n($a) $n($b) 1000Mb $delay DropTail
  $ns queue-limit $n($a) $n($b) 100000
  $ns queue-limit $n($b) $n($a) 100000
}
$ns duplex-link $n(2) $n(3) 100Mb 20ms DropTail
$ns queue-limit $n(2) $n(3) 200

foreach {fid source sink start} {1 0 4 0.0 2 1 5 0.1} {
  set tcp [new Agent/TCP/Sack1]
  $tcp set fid_ $fid
  $tcp set packetSize_ 1448
  $tcp set window_ 1000
  set end [new Agent/TCPSink/Sack1]
  $ns attach-agent $n($source) $tcp
  $ns attach-agent $n($sink) $end
  $ns connect $tcp $end
  set ftp [new Application/FTP]
  $ftp attach-agent $tcp
  $ns at $start "$ftp start"
}

$ns at $seconds {
  $ns flush-trace
  close $trace
  exit 0
}
$ns run
