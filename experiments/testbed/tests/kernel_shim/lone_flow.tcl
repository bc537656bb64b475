# One flow of ns-2's own module over one bottleneck; each change of its ACKs and windows is written.
#   ns lone_flow.tcl CCA MBPS RTT_MS BUFFER_PACKETS SECONDS LOG
foreach {cca mbps rtt_ms buffer seconds log} $argv {}
remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]
Queue set limit_ 100000
set a [$ns node]
set b [$ns node]
$ns simplex-link $a $b ${mbps}Mb [expr {$rtt_ms / 2.0}]ms DropTail
$ns simplex-link $b $a 1000Mb [expr {$rtt_ms / 2.0}]ms DropTail
$ns queue-limit $a $b $buffer
set tcp [new Agent/TCP/Linux]
$tcp set timestamps_ true
$tcp set packetSize_ 1448
$tcp set window_ 100000
$ns attach-agent $a $tcp
set sink [new Agent/TCPSink/Sack1]
$sink set ts_echo_rfc1323_ true
$ns attach-agent $b $sink
$ns connect $tcp $sink
$tcp select_ca $cca
set file [open $log w]
$tcp attach $file
foreach name {ack_ maxseq_ cwnd_ ssthresh_} { $tcp tracevar $name }
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 "$ftp start"
$ns at $seconds "close $file; exit 0"
$ns run
