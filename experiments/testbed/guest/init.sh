#!/bin/bash
# PID 1 of the guest. The kernel command line gives STAGE, the run's directory on the host: its
# guest/ (scripts and settings), tools/ and out/, the only place that the guest writes to.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C TZ=UTC
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev 2>/dev/null
mount -t tmpfs tmpfs /run
mkdir -p /run/netns /run/lock
mount -t tmpfs tmpfs /mnt
mkdir -p /mnt/stage
mount -t hostfs none /mnt/stage -o "$STAGE"
mount -t tmpfs tmpfs /tmp
exec >/mnt/stage/out/console.log 2>&1
hostname testbed
cd /mnt/stage/out
echo "kernel $(uname -r)"
bash ../guest/dumbbell.sh
echo "experiment ended with $?"
sync
exec ../tools/poweroff
