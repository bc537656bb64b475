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
# docs/ns2.md. Every key is required: the values live in one place,
# config/experiments_high_speed.yaml.

set keys {select_cas bottleneck_mbps bottleneck_delay_ms access_mbps queue_packets mss_bytes rtts_ms
  starts_s windows_packets send_jitter_s duration_s seed out_dir}

proc stop {message} {
  puts stderr "high_speed.tcl: $message"
  exit 2
}

if {[llength $argv] % 2} { stop "the arguments are pairs of key and value; got one alone" }
foreach {key value} $argv {
  if {[lsearch -exact $keys $key] < 0} { stop "unknown key '$key'; the keys are: $keys" }
  set opt($key) $value
}
foreach key $keys { if {![info exists opt($key)]} { stop "missing key '$key'" } }
foreach key {bottleneck_mbps bottleneck_delay_ms access_mbps queue_packets mss_bytes duration_s} {
  if {![string is double -strict $opt($key)] || $opt($key) <= 0} {
    stop "$key '$opt($key)': use a number above 0"
  }
}
set flows [llength $opt(select_cas)]
foreach key {rtts_ms starts_s windows_packets} {
  if {[llength $opt($key)] != $flows} { stop "$key '$opt($key)': use one number a flow" }
}
proc of_flow {key flow} {
  global opt
  return [lindex $opt($key) [expr {$flow - 1}]]
}

source [file join [file dirname [info script]] flow_log.tcl]

set ns [new Simulator]
$defaultRNG seed $opt(seed) ;# drawn from only where send_jitter_s > 0

# ---- the bottleneck -----------------------------------------------------------------------------
Queue set limit_ 10000000 ;# packets; the default of 50 holds on every link, access links included
set router1 [$ns node]
set router2 [$ns node]
$ns simplex-link $router1 $router2 "$opt(bottleneck_mbps)Mb" "$opt(bottleneck_delay_ms)ms" DropTail
# DropTail with limit_ L holds L - 1 packets, the one in transmission not counted
$ns queue-limit $router1 $router2 [expr {$opt(queue_packets) + 1}]

set queue_log [open_log queue.log]
set monitor [$ns monitor-queue $router1 $router2 $queue_log 1.0]
$ns at 1.0 "[$ns link $router1 $router2] queue-sample-timeout" ;# a line, and again every second

set queue_max 0
proc watch_queue {} {
  global ns monitor queue_max
  set packets [$monitor set pkts_]
  if {$packets > $queue_max} { set queue_max $packets }
  $ns at [expr {[$ns now] + 0.01}] watch_queue
}
$ns at 0.01 watch_queue

# ---- flows --------------------------------------------------------------------------------------
for {set flow 1} {$flow <= $flows} {incr flow} {
  set sender [$ns node]
  set half_rtt_ms [expr {[of_flow rtts_ms $flow] / 2.0}]
  set access_ms [expr {$half_rtt_ms - $opt(bottleneck_delay_ms)}]
  if {$access_ms < 0} { stop "flow $flow: its RTT is less than that of the bottleneck alone" }
  $ns simplex-link $sender $router1 "$opt(access_mbps)Mb" "${access_ms}ms" DropTail
  $ns simplex-link $router2 $sender "$opt(access_mbps)Mb" "${half_rtt_ms}ms" DropTail

  set agent [new Agent/TCP/Linux]
  $agent set fid_ $flow
  $agent set packetSize_ $opt(mss_bytes)
  $agent set tcpip_base_hdr_size_ $base_header_bytes
  $agent set timestamps_ true
  $agent set ts_option_size_ $timestamp_bytes
  $agent set window_ [of_flow windows_packets $flow]
  $agent set overhead_ $opt(send_jitter_s)
  set receiver [new Agent/TCPSink/Sack1] ;# acknowledges every packet
  $receiver set ts_echo_rfc1323_ true
  $ns attach-agent $sender $agent
  $ns attach-agent $router2 $receiver
  $ns connect $agent $receiver
  $agent select_ca [of_flow select_cas $flow] ;# lower case; a wrong name runs Reno, see dumbbell.tcl
  set ssthresh_log($flow) [open_log flow$flow.ssthresh.tr]
  $agent attach $ssthresh_log($flow)
  $agent tracevar ssthresh_ ;# a line when it changes: at losses
  set application [new Application/FTP]
  $application attach-agent $agent
  $ns at [of_flow starts_s $flow] "$application start"
  set tcp($flow) $agent
  set sink($flow) $receiver
  set received($flow) 0   ;# bytes with headers, since the start of the run
  set delivered($flow) 0  ;# payload bytes, since the start of the run
}

# ---- the log of each flow's seconds -------------------------------------------------------------
set goodput_log [open_goodput_log]

proc log_second {t} {
  global ns opt flows tcp delivered goodput_log
  for {set flow 1} {$flow <= $flows} {incr flow} {
    set total [payload_delivered $flow]
    set cwnd 0
    set srtt 0
    if {$t > [of_flow starts_s $flow]} {
      set cwnd [$tcp($flow) set cwnd_]
      # srtt_ counts ticks and has three bits after the binary point
      set srtt [expr {[$tcp($flow) set srtt_] / 8.0 * [$tcp($flow) set tcpTick_]}]
    }
    puts $goodput_log [format "%d %d %d %.6g %.6g" \
      $t $flow [expr {$total - $delivered($flow)}] $cwnd $srtt]
    set delivered($flow) $total
  }
  if {$t < $opt(duration_s)} { $ns at [expr {$t + 1}] "log_second [expr {$t + 1}]" }
}
$ns at 1 "log_second 1"

proc finish {} {
  global flows tcp delivered goodput_log queue_log ssthresh_log queue_max monitor
  for {set flow 1} {$flow <= $flows} {incr flow} {
    puts $goodput_log "# flow $flow payload_bytes $delivered($flow)\
      data_packets [$tcp($flow) set ndatapack_]\
      retransmitted_packets [$tcp($flow) set nrexmitpack_]\
      window_cuts [$tcp($flow) set ncwndcuts_] timeouts [$tcp($flow) set nrexmit_]\
      tick_s [$tcp($flow) set tcpTick_]"
    close $ssthresh_log($flow)
  }
  puts $goodput_log "# queue max_packets $queue_max drops [$monitor set pdrops_]"
  puts $goodput_log "# end"
  foreach log [list $goodput_log $queue_log] { close $log }
  exit 0
}
$ns at [expr {$opt(duration_s) + 0.0001}] finish ;# after the last second's lines

$ns run
