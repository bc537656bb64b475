# What the simulations have in common: packets, greedy flows, the largest queue, and goodput.log.
# Their scripts source it when their keys are checked, after
#   header_bytes    of every packet's TCP and IP
#   option_bytes    of the TCP options of every packet but the first
#   packet_bytes    a full packet with its headers
#   interval_s      from line to line of goodput.log
#   cwnd_digits     of the windows in it
# Formats: docs/explanation/ns2.md.

# ---- packets ------------------------------------------------------------------------------------
# ns-2's packetSize_ is the payload. It adds header_bytes + option_bytes to every packet but the
# first, which stands for the SYN, carries no data and is header_bytes long.
set payload_bytes [expr {$packet_bytes - $header_bytes - $option_bytes}]

# ns-2 prints a number with 17 digits by default, noise that would make queue.log a quarter larger.
# Nine keep 300.0001 s apart from 300 s; the simulation itself does not change.
set tcl_precision 9

# Only the headers in use: without this a packet carries those of every protocol in ns-2, and a
# run takes a quarter longer.
remove-all-packet-headers
add-packet-header IP TCP Flags

# ---- the simulator ------------------------------------------------------------------------------
# A new Simulator; with the scheduler of lanes.cc where run.py has built it: the same order of events
# in a quarter less time. Of ns-2's own ones its default, Calendar, is the fastest.
proc new_simulator {} {
  global env
  if {![info exists env(NS2_LANES)]} { return [new Simulator] }
  load $env(NS2_LANES) Lanes
  set simulator [new Simulator]
  $simulator use-scheduler Lanes
  return $simulator
}

# ---- flows --------------------------------------------------------------------------------------
# Let a greedy flow begin at start_s, from `agent` at node `from` to a new sink at node `to`.
proc add_flow {flow agent from to window_packets start_s} {
  global ns tcp sink received delivered starts payload_bytes header_bytes option_bytes opt
  $agent set fid_ $flow
  $agent set packetSize_ $payload_bytes
  $agent set tcpip_base_hdr_size_ $header_bytes
  $agent set window_ $window_packets ;# ns-2's default of 20 packets would be the limit everywhere
  if {[info exists opt(delayed_acks_s)]} {
    set receiver [new Agent/TCPSink/Sack1/DelAck]
    $receiver set interval_ $opt(delayed_acks_s)
  } else {
    set receiver [new Agent/TCPSink/Sack1] ;# acknowledges every packet
  }
  if {$option_bytes > 0} {
    $agent set timestamps_ true
    $agent set ts_option_size_ $option_bytes
    $receiver set ts_echo_rfc1323_ true
  }
  $ns attach-agent $from $agent
  $ns attach-agent $to $receiver
  $ns connect $agent $receiver
  set application [new Application/FTP]
  $application attach-agent $agent
  $ns at $start_s "$application start"
  set tcp($flow) $agent
  set sink($flow) $receiver
  set starts($flow) $start_s
  set received($flow) 0   ;# bytes with headers, since the start of the run
  set delivered($flow) 0  ;# payload bytes, since the start of the run
}

# ---- the queue ----------------------------------------------------------------------------------
# The largest number of packets in the queue of `monitor`, looked at every 10 ms.
set queue_max 0
proc watch_queue {} {
  global ns monitor queue_max
  set packets [$monitor set pkts_]
  if {$packets > $queue_max} { set queue_max $packets }
  $ns at [expr {[$ns now] + 0.01}] watch_queue
}

# ---- logs ---------------------------------------------------------------------------------------
proc open_log {name} {
  global opt
  return [open [file join $opt(out_dir) $name] w]
}

# Open goodput.log, write its head, which says what was simulated: every key, and let its lines come.
proc open_goodput_log {} {
  global ns opt keys packet_bytes interval_s goodput_log
  set goodput_log [open_log goodput.log]
  puts $goodput_log "# evenflow-ns2-goodput/1"
  puts $goodput_log "# simulator ns-[ns-version]"
  foreach key $keys {
    if {$key ne "out_dir"} { puts $goodput_log "# $key $opt($key)" }
  }
  if {[lsearch $keys packet_bytes] < 0} { puts $goodput_log "# packet_bytes $packet_bytes" }
  puts $goodput_log "# columns t_end_s fid bytes cwnd_packets srtt_s"
  $ns at $interval_s "log_interval 1"
}

# The lines of interval 1, 2, ... of all flows, at its end.
proc log_interval {number} {
  global ns opt tcp starts delivered goodput_log interval_s cwnd_digits
  set t [format %.10g [expr {$number * $interval_s}]]
  foreach flow [lsort -integer [array names tcp]] {
    set total [payload_delivered $flow]
    set cwnd 0
    set srtt 0
    if {$t > $starts($flow)} {
      set cwnd [$tcp($flow) set cwnd_]
      # srtt_ counts ticks and has three bits after the binary point
      set srtt [expr {[$tcp($flow) set srtt_] / 8.0 * [$tcp($flow) set tcpTick_]}]
    }
    puts $goodput_log [format "%s %d %d %.*g %.6g" \
      $t $flow [expr {$total - $delivered($flow)}] $cwnd_digits $cwnd $srtt]
    set delivered($flow) $total
  }
  incr number
  set next [expr {$number * $interval_s}]
  if {$next <= $opt(duration_s) + 1e-9} { $ns at $next "log_interval $number" }
}

# Payload bytes delivered in order to the receiving application since the start of the run. The sink
# counts whole packets with their headers, in an int of 32 bits that wraps (after 14 s at 2.5 Gb/s:
# an interval of the log must be shorter).
proc payload_delivered {flow} {
  global sink received header_bytes packet_bytes payload_bytes
  set step [expr {([$sink($flow) set bytes_] - $received($flow)) & 0xffffffff}]
  set received($flow) [expr {$received($flow) + $step}]
  if {$received($flow) == 0} { return 0 }
  set data [expr {$received($flow) - $header_bytes}]
  if {$data % $packet_bytes} {
    stop "flow $flow: $received($flow) bytes are not one SYN of $header_bytes and packets of\
      $packet_bytes: the header accounting is wrong"
  }
  return [expr {$data / $packet_bytes * $payload_bytes}]
}

# What is known of every flow at the end.
proc log_totals {} {
  global tcp delivered goodput_log
  foreach flow [lsort -integer [array names tcp]] {
    puts $goodput_log "# flow $flow payload_bytes $delivered($flow)\
      data_packets [$tcp($flow) set ndatapack_]\
      retransmitted_packets [$tcp($flow) set nrexmitpack_]\
      window_cuts [$tcp($flow) set ncwndcuts_] timeouts [$tcp($flow) set nrexmit_]\
      tick_s [$tcp($flow) set tcpTick_]"
  }
}
