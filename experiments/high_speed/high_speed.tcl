# Two TCP flows of their own congestion control and RTT over one fast bottleneck in ns-2 2.35.
# Started by high_speed_run.py; by hand:
#
#   ns high_speed.tcl select_cas "bic cubic" bottleneck_mbps 900 bottleneck_delay_ms 1 \
#      access_mbps 1000 queue_packets 240 mss_bytes 1448 rtts_ms "16 16" starts_s "0 60.4" \
#      windows_packets "1728 1728" send_jitter_s 0 duration_s 600 seed 1 out_dir .
#
#   sender i --- access, the rest of RTT i / 2 --- router 1 == bottleneck == router 2 = receivers
#      ^                                                                        |
#      +------------ acknowledgements: 1 hop, half of RTT i, never queued ------+
#
# Writes goodput.log, queue.log, flow1.ssthresh.tr and flow2.ssthresh.tr into out_dir; formats:
# docs/explanation/ns2.md. Every key is required, but log_interval_s: the values live in one place,
# grid.yaml.

set keys {select_cas bottleneck_mbps bottleneck_delay_ms access_mbps queue_packets mss_bytes rtts_ms
  starts_s windows_packets send_jitter_s duration_s seed out_dir}

source [file join [file dirname [info script]] .. ns2 arguments.tcl]
# seconds from line to line of goodput.log and queue.log, where it is not one: long runs
if {[info exists opt(log_interval_s)]} { set keys [linsert $keys end-1 log_interval_s] }
check_keys $keys
check_positive {bottleneck_mbps bottleneck_delay_ms access_mbps queue_packets mss_bytes duration_s}
check_lists {rtts_ms starts_s windows_packets} [llength $opt(select_cas)]

set header_bytes 40
set option_bytes 12 ;# timestamps with their padding (RFC 7323); ns-2's default is 10
set packet_bytes [expr {$opt(mss_bytes) + $header_bytes + $option_bytes}]
set interval_s [expr {[info exists opt(log_interval_s)] ? $opt(log_interval_s) : 1}]
set cwnd_digits 6
source [file join [file dirname [info script]] .. ns2 flow_log.tcl]

set ns [new_simulator]
$defaultRNG seed $opt(seed) ;# drawn from only where send_jitter_s > 0

# ---- the bottleneck -----------------------------------------------------------------------------
Queue set limit_ 10000000 ;# packets; the default of 50 holds on every link, access links included
set router1 [$ns node]
set router2 [$ns node]
$ns simplex-link $router1 $router2 "$opt(bottleneck_mbps)Mb" "$opt(bottleneck_delay_ms)ms" DropTail
# DropTail with limit_ L holds L - 1 packets, the one in transmission not counted
$ns queue-limit $router1 $router2 [expr {$opt(queue_packets) + 1}]

set queue_log [open_log queue.log]
set monitor [$ns monitor-queue $router1 $router2 $queue_log $interval_s]
# a line, and again after every interval
$ns at $interval_s "[$ns link $router1 $router2] queue-sample-timeout"

$ns at 0.01 watch_queue

# ---- flows --------------------------------------------------------------------------------------
set flow 0
foreach name $opt(select_cas) rtt_ms $opt(rtts_ms) start_s $opt(starts_s) \
  window_packets $opt(windows_packets) {
  incr flow
  set sender [$ns node]
  set half_rtt_ms [expr {$rtt_ms / 2.0}]
  set access_ms [expr {$half_rtt_ms - $opt(bottleneck_delay_ms)}]
  if {$access_ms < 0} { stop "flow $flow: its RTT is less than that of the bottleneck alone" }
  $ns simplex-link $sender $router1 "$opt(access_mbps)Mb" "${access_ms}ms" DropTail
  $ns simplex-link $router2 $sender "$opt(access_mbps)Mb" "${half_rtt_ms}ms" DropTail

  set agent [new Agent/TCP/Linux]
  $agent set overhead_ $opt(send_jitter_s)
  add_flow $flow $agent $sender $router2 $window_packets $start_s
  $agent select_ca $name ;# lower case; a wrong name runs Reno, see dumbbell.tcl
  set ssthresh_log($flow) [open_log flow$flow.ssthresh.tr]
  $agent attach $ssthresh_log($flow)
  $agent tracevar ssthresh_ ;# a line when it changes: at losses
}
open_goodput_log

proc finish {} {
  global goodput_log queue_log ssthresh_log queue_max monitor
  log_totals
  puts $goodput_log "# queue max_packets $queue_max drops [$monitor set pdrops_]"
  puts $goodput_log "# end"
  foreach log [list $goodput_log $queue_log $ssthresh_log(1) $ssthresh_log(2)] { close $log }
  exit 0
}
$ns at [expr {$opt(duration_s) + 0.0001}] finish ;# after the last second's lines

$ns run
