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
# Writes goodput.log, queue.log and drops.tr into out_dir; their formats are in docs/ns2.md.
# Every key is required: the values live in one place, config/experiments_ns2.yaml.

set keys {rtt_ms bottleneck_mbps access_mbps queue_packets mss_bytes select_ca1 select_ca2
  start1_s start2_s duration_s window_packets send_jitter_s drops_from_s seed out_dir}

proc stop {message} {
  puts stderr "dumbbell.tcl: $message"
  exit 2
}

if {[llength $argv] % 2} { stop "the arguments are pairs of key and value; got one alone" }
foreach {key value} $argv {
  if {[lsearch -exact $keys $key] < 0} { stop "unknown key '$key'; the keys are: $keys" }
  set opt($key) $value
}
foreach key $keys { if {![info exists opt($key)]} { stop "missing key '$key'" } }
foreach key {rtt_ms bottleneck_mbps access_mbps queue_packets mss_bytes duration_s window_packets} {
  if {![string is double -strict $opt($key)] || $opt($key) <= 0} {
    stop "$key '$opt($key)': use a number above 0"
  }
}

source [file join [file dirname [info script]] flow_log.tcl]

set ns [new Simulator]
$defaultRNG seed $opt(seed) ;# drawn from only where send_jitter_s > 0

# ---- topology -----------------------------------------------------------------------------------
# The bottleneck carries both the rate and all of the delay (ns2-vs-testbed, III-D).
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

set queue_max 0
proc watch_queue {} {
  global ns monitor queue_max
  set packets [$monitor set pkts_]
  if {$packets > $queue_max} { set queue_max $packets }
  $ns at [expr {[$ns now] + 0.01}] watch_queue
}
$ns at 0.01 watch_queue

# ---- flows --------------------------------------------------------------------------------------
foreach flow {1 2} {
  set agent [new Agent/TCP/Linux]
  $agent set fid_ $flow
  $agent set packetSize_ $opt(mss_bytes)
  $agent set tcpip_base_hdr_size_ $base_header_bytes
  $agent set timestamps_ true
  $agent set ts_option_size_ $timestamp_bytes
  $agent set window_ $opt(window_packets) ;# the default of 20 packets would be the limit everywhere
  $agent set overhead_ $opt(send_jitter_s)
  set receiver [new Agent/TCPSink/Sack1] ;# acknowledges every packet
  $receiver set ts_echo_rfc1323_ true
  $ns attach-agent [set sender$flow] $agent
  $ns attach-agent [set receiver$flow] $receiver
  $ns connect $agent $receiver
  # The name in lower case. A wrong one prints 'Error: do not find ...' on standard output and the
  # flow runs ns-2's own Reno; run.py looks for that line. tcpTick_ is left alone: ns-2 sets it
  # from 0.01 to 0.001 s when, and only when, an algorithm was installed.
  $agent select_ca $opt(select_ca$flow)
  set application [new Application/FTP]
  $application attach-agent $agent
  $ns at $opt(start${flow}_s) "$application start"
  set tcp($flow) $agent
  set sink($flow) $receiver
  set received($flow) 0   ;# bytes with headers, since the start of the run
  set delivered($flow) 0  ;# payload bytes, since the start of the run
}

# ---- the log of each flow's seconds -------------------------------------------------------------
set goodput_log [open_goodput_log]

proc log_second {t} {
  global ns opt tcp delivered goodput_log
  foreach flow {1 2} {
    set total [payload_delivered $flow]
    set cwnd 0
    set srtt 0
    if {$t > $opt(start${flow}_s)} {
      set cwnd [$tcp($flow) set cwnd_]
      # srtt_ counts ticks and has three bits after the binary point
      set srtt [expr {[$tcp($flow) set srtt_] / 8.0 * [$tcp($flow) set tcpTick_]}]
    }
    puts $goodput_log [format "%d %d %d %.10g %.6g" \
      $t $flow [expr {$total - $delivered($flow)}] $cwnd $srtt]
    set delivered($flow) $total
  }
  if {$t < $opt(duration_s)} { $ns at [expr {$t + 1}] "log_second [expr {$t + 1}]" }
}
$ns at 1 "log_second 1"

proc finish {} {
  global ns tcp delivered goodput_log queue_log drop_log queue_max monitor
  foreach flow {1 2} {
    puts $goodput_log "# flow $flow payload_bytes $delivered($flow)\
      data_packets [$tcp($flow) set ndatapack_]\
      retransmitted_packets [$tcp($flow) set nrexmitpack_]\
      window_cuts [$tcp($flow) set ncwndcuts_] timeouts [$tcp($flow) set nrexmit_]\
      tick_s [$tcp($flow) set tcpTick_]"
  }
  puts $goodput_log "# queue max_packets $queue_max drops [$monitor set pdrops_]"
  puts $goodput_log "# end"
  $ns flush-trace
  foreach log [list $goodput_log $queue_log $drop_log] { close $log }
  exit 0
}
$ns at [expr {$opt(duration_s) + 0.0001}] finish ;# after the last second's lines

$ns run
