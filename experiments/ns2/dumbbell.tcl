# Two TCP flows over one bottleneck in ns-2 2.35. Started by run.py; by hand:
#
#   ns dumbbell.tcl rtt_ms 100 bottleneck_mbps 100 access_mbps 1000 queue_packets 167 \
#      mss_bytes 1448 select_ca1 reno select_ca2 bic start1_s 0 start2_s 60.4 duration_s 300 \
#      window_packets 1201 send_jitter_s 0 drops_from_s 110 seed 1 out_dir .
#
#   sender 1 --- access ---+                      +--- access --- receiver 1
#                          router 1 = bottleneck = router 2
#   sender 2 --- access ---+                      +--- access --- receiver 2
#
# Writes goodput.log, queue.log and drops.tr into out_dir; their formats are in docs/explanation/ns2.md.
# Every key is required, but delayed_acks_s: the values live in one place, ../grid_ns2/grid.yaml.

set keys {rtt_ms bottleneck_mbps access_mbps queue_packets mss_bytes select_ca1 select_ca2
  start1_s start2_s duration_s window_packets send_jitter_s drops_from_s seed out_dir}

source [file join [file dirname [info script]] arguments.tcl]
# receivers that acknowledge every second packet, and a lone one after so many seconds
if {[info exists opt(delayed_acks_s)]} { set keys [linsert $keys end-1 delayed_acks_s] }
check_keys $keys
check_positive {rtt_ms bottleneck_mbps access_mbps queue_packets mss_bytes duration_s window_packets}

set header_bytes 40
set option_bytes 12 ;# timestamps with their padding (RFC 7323); ns-2's default is 10
set packet_bytes [expr {$opt(mss_bytes) + $header_bytes + $option_bytes}]
set interval_s 1
set cwnd_digits 10
source [file join [file dirname [info script]] flow_log.tcl]

set ns [new_simulator]
$defaultRNG seed $opt(seed) ;# drawn from only where send_jitter_s > 0

# ---- topology -----------------------------------------------------------------------------------
# The bottleneck carries both the rate and all of the delay (Bateman and Bhatti 2010, III-D).
foreach node {sender1 sender2 router1 router2 receiver1 receiver2} { set $node [$ns node] }
Queue set limit_ 1000000 ;# packets; the default of 50 holds on every link, access links included
set access "$opt(access_mbps)Mb"
$ns duplex-link $sender1 $router1 $access 0ms DropTail
$ns duplex-link $sender2 $router1 $access 0ms DropTail
$ns duplex-link $router1 $router2 "$opt(bottleneck_mbps)Mb" [expr {$opt(rtt_ms) / 2.0}]ms DropTail
$ns duplex-link $router2 $receiver1 $access 0ms DropTail
$ns duplex-link $router2 $receiver2 $access 0ms DropTail
# A DropTail queue of limit_ L drops when it holds L - 1 packets (drop-tail.cc: length + 1 >= limit).
# The packet in transmission is in neither number.
$ns queue-limit $router1 $router2 [expr {$opt(queue_packets) + 1}]

# ---- what is measured at the bottleneck ---------------------------------------------------------
set queue_log [open_log queue.log]
set monitor [$ns monitor-queue $router1 $router2 $queue_log 1.0]
set bottleneck [$ns link $router1 $router2]
$ns at 1.0 "$bottleneck queue-sample-timeout" ;# writes a line, and again every second

# Not '$ns drop-trace': it replaces the queue's drop target and so cuts the monitor off from the
# drops. The trace goes in front of the monitor's own element instead, from drops_from_s on: the
# drops before that are mostly those of slow start, and queue.log has their number for every second.
set drop_log [open_log drops.tr]
set drop_trace [$ns create-trace Drop $drop_log $router1 $router2]
$drop_trace target [$bottleneck set drophead_]
$ns at $opt(drops_from_s) "[$bottleneck queue] drop-target $drop_trace"

$ns at 0.01 watch_queue

# ---- flows --------------------------------------------------------------------------------------
foreach flow {1 2} {
  set agent [new Agent/TCP/Linux]
  $agent set overhead_ $opt(send_jitter_s)
  add_flow $flow $agent [set sender$flow] [set receiver$flow] $opt(window_packets) \
    $opt(start${flow}_s)
  # The name in lower case. A wrong one prints 'Error: do not find ...' on standard output and the
  # flow runs ns-2's own Reno; run.py looks for that line. tcpTick_ is left alone: ns-2 sets it
  # from 0.01 to 0.001 s when, and only when, an algorithm was installed.
  $agent select_ca $opt(select_ca$flow)
}
open_goodput_log

proc finish {} {
  global ns goodput_log queue_log drop_log queue_max monitor
  log_totals
  puts $goodput_log "# queue max_packets $queue_max drops [$monitor set pdrops_]"
  puts $goodput_log "# end"
  $ns flush-trace
  foreach log [list $goodput_log $queue_log $drop_log] { close $log }
  exit 0
}
$ns at [expr {$opt(duration_s) + 0.0001}] finish ;# after the last second's lines

$ns run
