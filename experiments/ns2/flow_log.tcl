# What dumbbell.tcl, hstcp_buffers.tcl and high_speed.tcl have in common: the sizes of packets, and
# goodput.log. They source it when their keys are checked: it uses opt, keys and stop, and of each
# flow sink(flow) and received(flow). Formats: docs/ns2.md.

# ---- packets ------------------------------------------------------------------------------------
# packetSize_ is the payload. ns-2 adds tcpip_base_hdr_size_ + ts_option_size_ to every packet but
# the first, which stands for the SYN, carries no data and is tcpip_base_hdr_size_ long. Timestamps
# take 12 bytes with their padding (RFC 7323); ns-2's default is 10.
set base_header_bytes 40
set timestamp_bytes 12
set packet_bytes [expr {$opt(mss_bytes) + $base_header_bytes + $timestamp_bytes}]

# ns-2 prints a number with 17 digits by default, noise that would make queue.log a quarter larger.
# Nine keep 300.0001 s apart from 300 s; the simulation itself does not change.
set tcl_precision 9

# Only the headers in use: without this a packet carries those of every protocol in ns-2, and a
# run takes a quarter longer.
remove-all-packet-headers
add-packet-header IP TCP Flags

# ---- logs ---------------------------------------------------------------------------------------
proc open_log {name} {
  global opt
  return [open [file join $opt(out_dir) $name] w]
}

# Open goodput.log and write its head: every key, so that the log says what was simulated.
proc open_goodput_log {} {
  global opt keys packet_bytes
  set log [open_log goodput.log]
  puts $log "# evenflow-ns2-goodput/1"
  puts $log "# simulator ns-[ns-version]"
  foreach key $keys {
    if {$key ne "out_dir"} { puts $log "# $key $opt($key)" }
  }
  puts $log "# packet_bytes $packet_bytes"
  puts $log "# columns t_end_s fid bytes cwnd_packets srtt_s"
  return $log
}

# Payload bytes delivered in order to the receiving application since the start of the run. The sink
# counts whole packets with their headers, in an int of 32 bits that wraps (after 14 s at 2.5 Gb/s:
# an interval of the log must be shorter).
proc payload_delivered {flow} {
  global opt sink received base_header_bytes packet_bytes
  set step [expr {([$sink($flow) set bytes_] - $received($flow)) & 0xffffffff}]
  set received($flow) [expr {$received($flow) + $step}]
  if {$received($flow) == 0} { return 0 }
  set data [expr {$received($flow) - $base_header_bytes}]
  if {$data % $packet_bytes} {
    stop "flow $flow: $received($flow) bytes are not one SYN of $base_header_bytes and packets of\
      $packet_bytes: the header accounting is wrong"
  }
  return [expr {$data / $packet_bytes * $opt(mss_bytes)}]
}
