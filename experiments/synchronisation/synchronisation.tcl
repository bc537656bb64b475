# Four TCP flows of different RTT and background traffic over one bottleneck, the Y-shaped topology of
# 'A study of TCP fairness in high-speed networks', in ns-2 2.35. Started by synchronisation_run.py.
#
#   senders 1 to 4 ---+
#                     +--- router 2 === bottleneck, 10 ms === router 3 = receivers
#   background     ---+
#
# All hops that never queue are left out, for speed: senders hand their packets to router 2 directly,
# and an acknowledgement takes one link back to its sender, which has the rest of the flow's RTT.
# README.md shows that this changes nothing, and has the formats of the logs that are
# written into out_dir: goodput.log, drops.tr and bins.log.
# Every key is required: the values live in one place, grid.yaml.

set keys {variant aqm background rtts_ms starts_s bottleneck_mbps bottleneck_delay_ms access_mbps
  queue_packets packet_bytes window_packets send_jitter_s duration_s log_from_s bins_until_s bin_s full_share seed
  out_dir}
array set background_keys {
  none {}
  pareto {sources source_bps on_off_s pareto_shape}
  exponential {sources source_bps on_off_s}
  ftp {interval_s transfer_packets background_window_packets}
  http {sessions pages page_gap_s page_objects object_gap_s object_packets object_shape servers
    background_window_packets}
}

source [file join [file dirname [info script]] .. ns2 arguments.tcl]
if {![info exists opt(background)] || ![info exists background_keys($opt(background))]} {
  stop "background: use one of [lsort [array names background_keys]]"
}
set keys [concat $keys $background_keys($opt(background))]
check_keys $keys
foreach key $keys {
  if {[lsearch {variant aqm background rtts_ms starts_s send_jitter_s out_dir} $key] < 0} {
    check_positive $key
  }
}
foreach key {rtts_ms starts_s} {
  set $key [split $opt($key) ,]
  if {[llength [set $key]] != 4} { stop "$key: use four numbers with commas between" }
}

set header_bytes 40
set option_bytes 0 ;# no timestamps, as is ns-2's default
set packet_bytes $opt(packet_bytes)
set interval_s 1
set cwnd_digits 6
source [file join [file dirname [info script]] .. ns2 flow_log.tcl]
set tcl_precision 12
add-packet-header RTP UMP ;# of the background's packets

set ns [new_simulator]
$defaultRNG seed $opt(seed) ;# the traffic sources and RED draw from this one
set rng [new RNG]           ;# the next independent stream: start times

# ---- topology -----------------------------------------------------------------------------------
Queue set limit_ 1000000 ;# packets, on every link but the bottleneck; ns-2's default is 50

# Background packets that arrive at router 2, counted before they queue.
set background_monitor [new QueueMonitor]
proc new_counter {target} {
  global background_monitor
  set counter [new SnoopQueue/In]
  $counter set-monitor $background_monitor
  $counter target $target
  return $counter
}

# A one-way link at the access rate; 'counted' counts what it delivers as background traffic.
proc connect_nodes {from to delay_ms {counted ""}} {
  global ns opt
  $ns simplex-link $from $to "$opt(access_mbps)Mb" ${delay_ms}ms DropTail
  if {$counted ne ""} {
    set link [[$ns link $from $to] link]
    $link target [new_counter [$link target]]
  }
}

set router2 [$ns node]
set router3 [$ns node]
set background_counter [new_counter [$router2 entry]]

# Adaptive RED as ns-2 sets it up itself (thresholds 0: from the target delay; weight -1: from the
# rate), but in packets, not bytes, as the buffer is. gentle_ true is the default.
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ $opt(packet_bytes)
Queue/RED set adaptive_ 1
# A DropTail queue of limit_ L drops when it holds L - 1 packets (docs/explanation/ns2.md), RED when it holds L.
switch $opt(aqm) {
  droptail { set queue DropTail; set limit [expr {$opt(queue_packets) + 1}] }
  red { set queue RED; set limit $opt(queue_packets) }
  default { stop "aqm '$opt(aqm)': use droptail or red" }
}
set bottleneck_delay "$opt(bottleneck_delay_ms)ms"
$ns simplex-link $router2 $router3 "$opt(bottleneck_mbps)Mb" $bottleneck_delay $queue
$ns queue-limit $router2 $router3 $limit
$ns simplex-link $router3 $router2 "$opt(access_mbps)Mb" $bottleneck_delay DropTail

# ---- what is measured at the bottleneck ---------------------------------------------------------
set bottleneck [$ns link $router2 $router3]
set monitor [$ns monitor-queue $router2 $router3 "" $opt(bin_s)]
# In front of the monitor's own element: '$ns drop-trace' would cut the monitor off from the drops.
set drop_log [open_log drops.tr]
set drop_trace [$ns create-trace Drop $drop_log $router2 $router3]
$drop_trace target [$bottleneck set drophead_]
$ns at $opt(log_from_s) "[$bottleneck queue] drop-target $drop_trace"

set bins_log [open_log bins.log]
puts $bins_log "# evenflow-ns2-bins/1"
puts $bins_log "# bin_s $opt(bin_s)"
puts $bins_log "# columns bin arrivals drops queue_packets background_arrivals"
set bin_count 0  ;# bins since log_from_s ...
set bins_full 0  ;# ... and those at whose end the queue is at least full_share full
set full_packets [expr {$opt(full_share) * $opt(queue_packets)}]
set last_arrivals 0
set last_drops 0
set last_background 0
set first_bin [expr {round($opt(log_from_s) / $opt(bin_s))}]
set last_bin [expr {round($opt(bins_until_s) / $opt(bin_s))}]

proc log_bin {bin} {
  global ns opt monitor background_monitor bins_log bin_count bins_full queue_max full_packets
  global last_arrivals last_drops last_background last_bin first_bin
  set packets [$monitor set pkts_]
  if {$packets > $queue_max} { set queue_max $packets }
  if {$bin > $first_bin} {
    incr bin_count
    if {$packets >= $full_packets} { incr bins_full }
  }
  if {$bin <= $last_bin} {
    set arrivals [$monitor set parrivals_]
    set drops [$monitor set pdrops_]
    set background [$background_monitor set parrivals_]
    if {$bin > $first_bin} {
      puts $bins_log "$bin [expr {$arrivals - $last_arrivals}] [expr {$drops - $last_drops}] $packets\
        [expr {$background - $last_background}]"
    }
    set last_arrivals $arrivals
    set last_drops $drops
    set last_background $background
  }
  incr bin
  $ns at [expr {$bin * $opt(bin_s)}] "log_bin $bin"
}
$ns at $opt(log_from_s) "log_bin $first_bin"

# ---- flows --------------------------------------------------------------------------------------
proc new_sender {variant} {
  if {[string match linux-* $variant]} { return [new Agent/TCP/Linux] }
  set agent [new Agent/TCP/Sack1]
  switch $variant {
    sack {}
    highspeed {
      $agent set windowOption_ 8 ;# RFC 3649, with ns-2's default parameters, the RFC's own
    }
    scalable {
      # Kelly 2003: window + 0.01 per acknowledgement, x (1 - 0.125) at a loss. The binomial control
      # of ns-2 adds increase_num_ / window^(k + 1) per acknowledgement and at a loss takes off
      # (1 - decrease_num_) window^l: decrease_num_ is the share that is kept (tcp.cc, slowdown).
      $agent set windowOption_ 6
      $agent set k_parameter_ -1
      $agent set l_parameter_ 1
      $agent set increase_num_ 0.01
      $agent set decrease_num_ 0.875
    }
    default { stop "variant '$variant': use sack, highspeed, scalable, linux-highspeed or linux-scalable" }
  }
  return $agent
}

foreach flow {1 2 3 4} rtt_ms $rtts_ms start_s $starts_s {
  set node [$ns node]
  connect_nodes $router3 $node [expr {$rtt_ms - $opt(bottleneck_delay_ms)}]
  set agent [new_sender $opt(variant)]
  $agent set overhead_ $opt(send_jitter_s) ;# breaks up phase effects, see README.md
  add_flow $flow $agent $node $router3 $opt(window_packets) $start_s
  # lower case; a wrong name runs Reno, see dumbbell.tcl
  if {[string match linux-* $opt(variant)]} { $agent select_ca [string range $opt(variant) 6 end] }
  $agent target [$router2 entry]
}

source [file join [file dirname [info script]] background.tcl]
switch $opt(background) {
  none {}
  pareto { start_on_off Pareto }
  exponential { start_on_off Exponential }
  ftp { $ns at 0.5 start_transfer }
  http { start_web }
}

# ---- logs ---------------------------------------------------------------------------------------
open_goodput_log

set background_bytes 0 ;# arrived at router 2 since the start of the run; ns-2's counter wraps too
proc count_background_bytes {} {
  global ns background_monitor background_bytes
  incr background_bytes [expr {([$background_monitor set barrivals_] - $background_bytes) & 0xffffffff}]
  $ns at [expr {[$ns now] + 1}] count_background_bytes
}
$ns at 1 count_background_bytes

proc finish {} {
  global ns opt goodput_log drop_log bins_log bottleneck monitor
  global queue_max bin_count bins_full background_monitor background_bytes background
  log_totals
  puts $goodput_log "# queue max_packets $queue_max arrivals [$monitor set parrivals_]\
    drops [$monitor set pdrops_] bins $bin_count bins_full $bins_full"
  if {$opt(aqm) eq "red"} {
    set red [$bottleneck queue]
    puts $goodput_log "# red min_packets [$red set thresh_] max_packets [$red set maxthresh_]\
      weight [$red set q_weight_] max_p [$red set cur_max_p_]"
  }
  puts $goodput_log "# background packets [$background_monitor set parrivals_]\
    bytes $background_bytes transfers $background(transfers) agents $background(agents)"
  puts $goodput_log "# end"
  puts $bins_log "# end"
  $ns flush-trace
  foreach log [list $goodput_log $drop_log $bins_log] { close $log }
  exit 0
}
$ns at [expr {$opt(duration_s) + 0.0001}] finish ;# after the last second's lines

$ns run
