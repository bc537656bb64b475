# Four TCP flows of different RTT and background traffic over one bottleneck, the Y-shaped topology of
# 'A study of TCP fairness in high-speed networks', in ns-2 2.35. Started by synchronisation_run.py.
#
#   senders 1 to 4 ---+
#                     +--- router 2 === bottleneck, 10 ms === router 3 = receivers
#   background     ---+
#
# All hops that never queue are left out, for speed: senders hand their packets to router 2 directly,
# and an acknowledgement takes one link back to its sender, which has the rest of the flow's RTT.
# docs/synchronisation.md shows that this changes nothing, and has the formats of the logs that are
# written into out_dir: goodput.log, drops.tr and bins.log.
# Every key is required: the values live in one place, config/experiments_synchronisation.yaml.

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

proc stop {message} {
  puts stderr "synchronisation.tcl: $message"
  exit 2
}

if {[llength $argv] % 2} { stop "the arguments are pairs of key and value; got one alone" }
array set opt $argv
if {![info exists opt(background)] || ![info exists background_keys($opt(background))]} {
  stop "background: use one of [lsort [array names background_keys]]"
}
set keys [concat $keys $background_keys($opt(background))]
foreach {key value} $argv {
  if {[lsearch -exact $keys $key] < 0} { stop "unknown key '$key'; the keys are: $keys" }
}
foreach key $keys {
  if {![info exists opt($key)]} { stop "missing key '$key'" }
  if {[lsearch {variant aqm background rtts_ms starts_s send_jitter_s out_dir} $key] < 0} {
    if {![string is double -strict $opt($key)] || $opt($key) <= 0} {
      stop "$key '$opt($key)': use a number above 0"
    }
  }
}
set flows {1 2 3 4}
foreach key {rtts_ms starts_s} {
  set opt($key) [split $opt($key) ,]
  if {[llength $opt($key)] != [llength $flows]} { stop "$key: use four numbers with commas between" }
}

# packetSize_ is the payload; ns-2 adds 40 bytes of TCP/IP to every packet but the first, which stands
# for the SYN, carries no data and has these 40 bytes alone. No timestamps, as is ns-2's default.
set header_bytes 40
set tcl_precision 12
remove-all-packet-headers
add-packet-header IP TCP Flags RTP UMP

set ns [new Simulator]
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
# A DropTail queue of limit_ L drops when it holds L - 1 packets (docs/ns2.md), RED when it holds L.
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
proc open_log {name} {
  global opt
  return [open [file join $opt(out_dir) $name] w]
}
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
set queue_max 0
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
    default { stop "variant '$variant': use sack, highspeed or scalable" }
  }
  return $agent
}

foreach flow $flows rtt_ms $opt(rtts_ms) start_s $opt(starts_s) {
  set node [$ns node]
  connect_nodes $router3 $node [expr {$rtt_ms - $opt(bottleneck_delay_ms)}]
  set agent [new_sender $opt(variant)]
  $agent set fid_ $flow
  $agent set packetSize_ [expr {$opt(packet_bytes) - $header_bytes}]
  $agent set window_ $opt(window_packets)
  $agent set overhead_ $opt(send_jitter_s) ;# breaks up phase effects, see docs/synchronisation.md
  set receiver [new Agent/TCPSink/Sack1] ;# acknowledges every packet
  $ns attach-agent $node $agent
  $ns attach-agent $router3 $receiver
  $ns connect $agent $receiver
  $agent target [$router2 entry]
  set application [new Application/FTP]
  $application attach-agent $agent
  $ns at $start_s "$application start"
  set start($flow) $start_s
  set tcp($flow) $agent
  set sink($flow) $receiver
  set received($flow) 0   ;# bytes with headers, since the start of the run
  set delivered($flow) 0  ;# payload bytes, since the start of the run
}

source [file join [file dirname [info script]] background.tcl]
switch $opt(background) {
  none {}
  pareto { start_on_off Pareto }
  exponential { start_on_off Exponential }
  ftp { $ns at 0.5 start_transfer }
  http { start_web }
}

# ---- the log of each flow's seconds -------------------------------------------------------------
set goodput_log [open_log goodput.log]
puts $goodput_log "# evenflow-ns2-goodput/1"
puts $goodput_log "# simulator ns-[ns-version]"
foreach key $keys { if {$key ne "out_dir"} { puts $goodput_log "# $key [join $opt($key) ,]" } }
puts $goodput_log "# columns t_end_s fid bytes cwnd_packets srtt_s"

# Payload bytes delivered in order since the start of the run. The sink counts whole packets with
# their headers, in an int of 32 bits that wraps.
proc payload_delivered {flow} {
  global opt sink received header_bytes
  set step [expr {([$sink($flow) set bytes_] - $received($flow)) & 0xffffffff}]
  set received($flow) [expr {$received($flow) + $step}]
  if {$received($flow) == 0} { return 0 }
  set data [expr {$received($flow) - $header_bytes}]
  if {$data % $opt(packet_bytes)} {
    stop "flow $flow: $received($flow) bytes are not one SYN of $header_bytes and packets of\
      $opt(packet_bytes): the header accounting is wrong"
  }
  return [expr {$data / $opt(packet_bytes) * ($opt(packet_bytes) - $header_bytes)}]
}

set background_bytes 0 ;# arrived at router 2 since the start of the run; ns-2's counter wraps too
proc log_second {t} {
  global ns opt flows start tcp delivered goodput_log background_monitor background_bytes
  set step [expr {([$background_monitor set barrivals_] - $background_bytes) & 0xffffffff}]
  incr background_bytes $step
  foreach flow $flows {
    set total [payload_delivered $flow]
    set cwnd 0
    set srtt 0
    if {$t > $start($flow)} {
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
  global ns opt flows tcp delivered goodput_log drop_log bins_log bottleneck monitor
  global queue_max bin_count bins_full background_monitor background_bytes background
  foreach flow $flows {
    puts $goodput_log "# flow $flow payload_bytes $delivered($flow)\
      data_packets [$tcp($flow) set ndatapack_]\
      retransmitted_packets [$tcp($flow) set nrexmitpack_]\
      window_cuts [$tcp($flow) set ncwndcuts_] timeouts [$tcp($flow) set nrexmit_]"
  }
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
