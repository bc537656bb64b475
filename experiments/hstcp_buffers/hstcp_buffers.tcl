# HighSpeed TCP flows over one bottleneck in ns-2 2.35. Started by hstcp_buffers.py; by hand:
#
#   ns hstcp_buffers.tcl implementation sack1 bottleneck_mbps 1000 bottleneck_delay_ms 50 \
#      access_mbps 10000 aqm droptail queue_packets 1250 red_min_fraction 0.4 mss_bytes 948 \
#      rtts_ms "115.5 124.5" starts_s "0 3.5" max_ssthresh_packets 100 window_packets 30000 \
#      duration_s 60 interval_s 1 seed 1 out_dir .
#
#   sender i --- access, the rest of RTT i / 2 --- router 1 == bottleneck == router 2 = receivers
#      ^                                                                        |
#      +------------ acknowledgements: 1 hop, half of RTT i, never queued ------+
#
# As many flows as rtts_ms and starts_s have numbers. Writes goodput.log and queue.log into out_dir;
# their formats are in docs/explanation/ns2.md. Every key is required: the values live in one place,
# grid.yaml. What is measured and why: README.md.

set keys {implementation bottleneck_mbps bottleneck_delay_ms access_mbps aqm queue_packets
  red_min_fraction mss_bytes rtts_ms starts_s max_ssthresh_packets window_packets duration_s
  interval_s seed out_dir}

source [file join [file dirname [info script]] .. ns2 arguments.tcl]
check_keys $keys
check_positive {bottleneck_mbps bottleneck_delay_ms access_mbps queue_packets mss_bytes
  window_packets duration_s interval_s}
check_lists {starts_s} [llength $opt(rtts_ms)]

set header_bytes 40
set option_bytes 12 ;# timestamps with their padding (RFC 7323); ns-2's default is 10
# 948 + 52 bytes are the paper's 1 KB on the link
set packet_bytes [expr {$opt(mss_bytes) + $header_bytes + $option_bytes}]
set interval_s $opt(interval_s)
set cwnd_digits 6
source [file join [file dirname [info script]] .. ns2 flow_log.tcl]

set ns [new_simulator]
$defaultRNG seed $opt(seed) ;# RED's

# ---- the bottleneck -----------------------------------------------------------------------------
Queue set limit_ 10000000 ;# packets; the default of 50 holds on every link, access links included
set router1 [$ns node]
set router2 [$ns node]
switch $opt(aqm) {
  droptail {
    # DropTail with limit_ L holds L - 1 packets, the one in transmission not counted
    set queue_type DropTail
    set limit [expr {$opt(queue_packets) + 1}]
  }
  red {
    # Adaptive RED (Floyd, Gummadi, Shenker 2001): max_p adapts, the averaging constant follows the
    # link's rate. Thresholds as the captions of the paper's Figures 7 and 8: 0.4 and 1 x the
    # buffer. RED with limit_ L holds L.
    set queue_type RED
    set limit $opt(queue_packets)
    Queue/RED set bytes_ false
    Queue/RED set queue_in_bytes_ false
    Queue/RED set mean_pktsize_ $packet_bytes
    Queue/RED set thresh_ [expr {$opt(red_min_fraction) * $opt(queue_packets)}]
    Queue/RED set maxthresh_ $opt(queue_packets)
    Queue/RED set gentle_ true
    Queue/RED set adaptive_ 1
    Queue/RED set q_weight_ -1 ;# 1 - exp(-1 / packets per second of the link)
  }
  default { stop "aqm '$opt(aqm)': use droptail or red" }
}
$ns simplex-link $router1 $router2 "$opt(bottleneck_mbps)Mb" "$opt(bottleneck_delay_ms)ms" $queue_type
$ns queue-limit $router1 $router2 $limit

set queue_log [open_log queue.log]
set monitor [$ns monitor-queue $router1 $router2 $queue_log $opt(interval_s)]
# writes a line, and again every interval
$ns at $opt(interval_s) "[$ns link $router1 $router2] queue-sample-timeout"

$ns at 0.01 watch_queue

# ---- flows --------------------------------------------------------------------------------------
set flow 0
foreach rtt_ms $opt(rtts_ms) start_s $opt(starts_s) {
  incr flow
  set sender [$ns node]
  set half_rtt_ms [expr {$rtt_ms / 2.0}]
  set access_ms [expr {$half_rtt_ms - $opt(bottleneck_delay_ms)}]
  if {$access_ms < 0} { stop "flow $flow: its RTT is less than that of the bottleneck alone" }
  $ns simplex-link $sender $router1 "$opt(access_mbps)Mb" "${access_ms}ms" DropTail
  # Acknowledgements take one hop of half the RTT. On the way of the data reversed they would meet
  # no queue either (40 Mb/s and 100 Mb/s of them, on 1 and 2.5 Gb/s), at three times the events.
  $ns simplex-link $router2 $sender "$opt(access_mbps)Mb" "${half_rtt_ms}ms" DropTail

  switch $opt(implementation) {
    sack1 {
      set agent [new Agent/TCP/Sack1]
      $agent set windowOption_ 8 ;# HighSpeed TCP; ns-2's defaults are those of RFC 3649
      $agent set max_ssthresh_ $opt(max_ssthresh_packets) ;# limited slow start, RFC 3742; 0: without
    }
    linux { set agent [new Agent/TCP/Linux] }
    default { stop "implementation '$opt(implementation)': use sack1 or linux" }
  }
  # a receiver behind a link of its own would see the same
  add_flow $flow $agent $sender $router2 $opt(window_packets) $start_s
  # lower case; a wrong name runs Reno, see dumbbell.tcl
  if {$opt(implementation) eq "linux"} { $agent select_ca highspeed }
}
open_goodput_log

proc finish {} {
  global goodput_log queue_log queue_max monitor
  log_totals
  puts $goodput_log "# queue max_packets $queue_max arrivals [$monitor set parrivals_]\
    departures [$monitor set pdepartures_] drops [$monitor set pdrops_]"
  puts $goodput_log "# end"
  foreach log [list $goodput_log $queue_log] { close $log }
  exit 0
}
$ns at [expr {$opt(duration_s) + 0.0001}] finish ;# after the last interval's lines

$ns run
