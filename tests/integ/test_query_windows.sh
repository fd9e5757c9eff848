#!/usr/bin/env bash
# Nodes that a window keeps, in sinfo and scontrol: maint, resv, and the signs beside other states.
. stoker.sh
NODES='n[1-2]' CPUS=4 cluster_start

case_ "maintenance"
must scontrol create reservation ReservationName=m StartTime=now Duration=10 Nodes=n1 Users="$(id -un)" Flags=maint,ignore_jobs
is "states" "$(sinfo -N -h -o '%N %t %T')" "n1 maint maint
n2 idle idle"
is "by state" "$(sinfo -h -t maint -o %N)" n1
is "it is reserved, too" "$(sinfo -h -t resv -o %N)" n1
is "and idle" "$(sinfo -N -h -t idle -o %N | tr '\n' ' ')" "n1 n2 "
like "scontrol" "$(scontrol -o show node n1)" '.* State=IDLE\+MAINTENANCE\+RESERVED .*'
is "-O" "$(sinfo -h -n n1 -O statelong,statecomplete:40,statecompact)" "maint               idle+maintenance+reserved               maint               "
must scontrol update NodeName=n1 State=DRAIN Reason=x
is "drained" "$(sinfo -h -n n1 -o '%t %T')" 'drain$ drained$'
like "drained, in full" "$(scontrol -o show node n1)" '.* State=IDLE\+DRAIN\+MAINTENANCE\+RESERVED .*'
must scontrol update NodeName=n1 State=RESUME
must scontrol delete ReservationName=m
is "over" "$(sinfo -h -o '%N %t')" "n[1-2] idle"

case_ "a reservation"
must scontrol create reservation ReservationName=r StartTime=now Duration=10 Nodes=n2 Users="$(id -un)"
is "states" "$(sinfo -N -h -o '%N %t %T')" "n1 idle idle
n2 resv reserved"
echo 'until [ -e go ]; do sleep 0.1; done' | script wait.sh
submit --reservation=r -c 2 wait.sh
wait_state "$job" RUNNING
is "in use" "$(sinfo -h -n n2 -o '%t %T')" "mix mixed"
like "in use, in full" "$(scontrol -o show node n2)" '.* State=MIXED\+RESERVED .*'
is "still of it" "$(sinfo -h -t reserved -o %N)" n2
has "sinfo -T names its nodes" "$(sinfo -h -T)" " n2"
touch go
wait_end "$job"
