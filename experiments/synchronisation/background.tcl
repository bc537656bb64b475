# Background traffic of synchronisation.tcl, which sources this file: it enters at router 2 and leaves
# at router 3. Every background packet has the flow id 100. All of it passes the counter
# `background_counter` in front of router 2. The global array `background` counts what was started.

set background_fid 100
array set background {transfers 0 agents 0}

# Sends what `agent` (attached to router 2) sends through the counter.
proc count_background {agent} {
  global background_counter
  $agent target $background_counter
}

# On-off sources: constant bit rate while on; on and off times of mean on_off_s each, so that a source
# is on for half of the time. A packet of 1000 bytes (ns-2's UDP adds no headers).
proc start_on_off {distribution} {
  global ns opt router2 router3 rng background_fid
  set receiver [new Agent/Null]
  $ns attach-agent $router3 $receiver
  for {set i 0} {$i < $opt(sources)} {incr i} {
    set sender [new Agent/UDP]
    $sender set packetSize_ $opt(packet_bytes)
    $sender set fid_ $background_fid
    $ns attach-agent $router2 $sender
    $ns connect $sender $receiver
    count_background $sender
    set source [new Application/Traffic/$distribution]
    $source set packetSize_ $opt(packet_bytes)
    $source set burst_time_ $opt(on_off_s)
    $source set idle_time_ $opt(on_off_s)
    $source set rate_ $opt(source_bps) ;# while on
    if {$distribution eq "Pareto"} { $source set shape_ $opt(pareto_shape) }
    $source attach-agent $sender
    $ns at [$rng uniform 0 1] "$source start"
  }
}

# FTP transfers of `transfer_packets` packets each (Table I), SACK, with exponential times of mean
# interval_s between their starts. Agents that are done are used again: deleting them in the middle
# of a run crashes ns-2 2.35.
set idle_agents {}

proc start_transfer {} {
  global ns opt rng idle_agents background
  if {[llength $idle_agents]} {
    set agent [lindex $idle_agents end]
    set idle_agents [lrange $idle_agents 0 end-1]
    $agent reset
    [$agent set receiver] reset
  } else {
    set agent [new_transfer_agent]
  }
  incr background(transfers)
  $agent advanceby $opt(transfer_packets)
  $ns at [expr {[$ns now] + [$rng exponential $opt(interval_s)]}] start_transfer
}

proc new_transfer_agent {} {
  global ns opt router2 router3 background background_fid header_bytes
  set agent [new Agent/TCP/Sack1]
  $agent set packetSize_ [expr {$opt(packet_bytes) - $header_bytes}]
  $agent set window_ $opt(background_window_packets)
  $agent set overhead_ $opt(send_jitter_s)
  $agent set fid_ $background_fid
  set receiver [new Agent/TCPSink/Sack1]
  $ns attach-agent $router2 $agent
  $ns attach-agent $router3 $receiver
  $ns connect $agent $receiver
  count_background $agent
  $agent set receiver $receiver
  # called by ns-2 when the last packet is acknowledged
  $agent proc done {} {
    global idle_agents
    lappend idle_agents $self
  }
  incr background(agents)
  return $agent
}

# Web traffic (Table II; Feldmann et al. 1999): sessions of pages of objects. The servers sit at router
# 2, the clients at router 3; requests travel against the bottleneck, responses through it.
proc start_web {} {
  global ns opt router2 router3 background_fid header_bytes
  Agent/TCP set packetSize_ [expr {$opt(packet_bytes) - $header_bytes}]
  Agent/TCP set window_ $opt(background_window_packets)
  Agent/TCP set overhead_ $opt(send_jitter_s)
  PagePool/WebTraf set TCPTYPE_ Sack1
  PagePool/WebTraf set TCPSINKTYPE_ TCPSink/Sack1
  PagePool/WebTraf set FID_ASSIGNING_MODE_ 2 ;# one flow id for all
  set pool [new PagePool/WebTraf]
  $pool set sameFid_ $background_fid
  $pool set-num-server $opt(servers)
  $pool set-num-client $opt(servers)
  for {set i 0} {$i < $opt(servers)} {incr i} {
    set server [$ns node]
    set client [$ns node]
    connect_nodes $server $router2 0 counted
    connect_nodes $router2 $server 0
    connect_nodes $router3 $client 0
    connect_nodes $client $router3 0
    $pool set-server $i $server
    $pool set-client $i $client
  }
  $pool set-num-session $opt(sessions)
  for {set i 0} {$i < $opt(sessions)} {incr i} {
    set object_packets [new RandomVariable/ParetoII]
    $object_packets set avg_ $opt(object_packets)
    $object_packets set shape_ $opt(object_shape)
    $pool create-session $i $opt(pages) [expr {0.1 * $i}] [exponential $opt(page_gap_s)] \
      [constant $opt(page_objects)] [exponential $opt(object_gap_s)] $object_packets
  }
}

proc exponential {mean} {
  set variable [new RandomVariable/Exponential]
  $variable set avg_ $mean
  return $variable
}

proc constant {value} {
  set variable [new RandomVariable/Constant]
  $variable set val_ $value
  return $variable
}
