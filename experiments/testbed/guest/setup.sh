# In a namespace: its kernel settings and its netem qdiscs. $1: the namespace.
set -eu
. "./$1.sysctl"
[ ! -e "$1.netem" ] || ../tools/netem <"$1.netem"
