#!/bin/bash
# Inside the guest, in out/: build the dumbbell, run the flows, write the logs.
# The commands come from topology.py (../guest/*.ip, *.tc, *.netem, *.sysctl, settings.sh).
# Processes are few: starting one is the slowest thing that a User-Mode Linux does.
set -eu
stage=/mnt/stage
tools=$stage/tools
cd $stage/guest
. ./settings.sh

for n in $NAMESPACES; do ip netns add "$n"; done
ip -batch links.ip
echo 268435456 >/proc/sys/net/core/rmem_max
echo 268435456 >/proc/sys/net/core/wmem_max
echo 100000 200000 400000 >/proc/sys/net/ipv4/tcp_mem # pages; never the limit
[ $GAMMA_TUNING = Y ] || echo N >/sys/module/tcp_compound/parameters/gamma_tuning
[ $TRACE = N ] || echo Y >/sys/module/tcp_compound/parameters/trace # lines on the kernel's console
for n in $NAMESPACES; do
  ip -n "$n" -batch "$n.ip"
  [ ! -e "$n.tc" ] || tc -n "$n" -batch "$n.tc"
  ip netns exec "$n" bash ./setup.sh "$n"
done

cd $stage/out
{
  echo "# evenflow host-state 1"
  echo "## ping s1 10.0.3.1"
  ip netns exec s1 $tools/pinger 10.0.3.1 10
  echo "## ping s2 10.0.4.1"
  ip netns exec s2 $tools/pinger 10.0.4.1 10
} >router.log

serve() { # flow: the receiver, started before its sender
  LD_PRELOAD=$tools/lowat.so RCVLOWAT=$RCVLOWAT RCVTIMEO_MS=$RCVTIMEO_MS \
    exec ip netns exec "d$1" iperf -s -i 1 -f b -e >"flow$1.server.log" 2>&1
}
watch() { # flow, address: the sender's state once a second, from the start of its flow
  [ $TCP_INFO = N ] || exec ip netns exec "s$1" $tools/tcp_info "$2" "$3" >"flow$1.tcp_info.log"
}
flow() { # flow, address, cca, seconds
  exec ip netns exec "s$1" iperf -c "$2" -Z "$3" -t "$4" -f b -e >"flow$1.client.log" 2>&1
}
finished() { grep -qE '\] 0\.0000-([2-9]|[0-9]{2,})' "flow$1.server.log"; }

serve 1 & servers=$!
flows=1
[ -z "$CCA2" ] || { serve 2 & servers="$servers $!"; flows="1 2"; }
sleep 1
clock="flow 1 start $EPOCHREALTIME"
flow 1 10.0.3.1 "$CCA1" "$DURATION_S" & clients=$!
watch 1 10.0.3.1 "${DURATION_S%.*}" & watchers=$!
if [ -n "$CCA2" ]; then
  sleep "$START2_S"
  clock+=$'\n'"flow 2 start $EPOCHREALTIME"
  flow 2 10.0.4.1 "$CCA2" "$DURATION2_S" & clients="$clients $!"
  watch 2 10.0.4.1 "${DURATION2_S%.*}" & watchers="$watchers $!"
fi
connection() { ip netns exec "s$1" ss -tinH state established; }
for k in $flows; do # once the flow is up: what does the kernel say that it is?
  for _ in {1..60}; do
    sleep 1 # a SYN that the full queue dropped is sent again after 1 s, 3 s, ...
    socket=$(connection "$k")
    [ -z "$socket" ] || break
  done
  printf '%s\n' "## socket s$k" "$socket"
done >>router.log
for pid in $clients $watchers; do wait "$pid"; done
clock+=$'\n'"flows end $EPOCHREALTIME"
# What is still queued or must be sent again arrives late; the receiver then writes its total.
for k in $flows; do
  for _ in {1..120}; do
    finished "$k" && break
    sleep 1
  done
done
kill $servers
echo "## clock
$clock" >>router.log
[ $CUBIC = N ] || { # parameters that the run has changed
  echo "## cubic"
  for p in /sys/module/tcp_cubic/parameters/*; do echo "${p##*/} $(<"$p")"; done
} >>router.log
for n in $NAMESPACES; do
  echo "## state $n"
  ip netns exec "$n" bash $stage/guest/state.sh "$n" $tools
done >>router.log
