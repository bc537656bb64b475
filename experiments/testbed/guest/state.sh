# In a namespace, after the run: the state of its qdiscs and, on a host, its TCP counters.
# $1: the namespace, $2: the tools.
tc -s qdisc show
"$2/qdisc_peak"
case $1 in
  [sd]?)
    echo "$(</proc/net/snmp)"
    echo "$(</proc/net/netstat)"
    ;;
esac
