# The usual script for ns-2's traces: name all fields, then ask. Bytes received by a flow's sink and
# packets dropped, by second and flow.
{
  event = $1; time = $2; from = $3; to = $4; type = $5; size = $6
  flags = $7; flow = $8; source = $9; destination = $10; sequence = $11; packet = $12
  split(destination, address, ".")
  second = int(time)
  if (event == "r" && type != "ack" && to == address[1]) received[second " " flow] += size
  if (event == "d") dropped[second " " flow]++
}
END { for (key in received) printf "%s %d %d\n", key, received[key], dropped[key] }
