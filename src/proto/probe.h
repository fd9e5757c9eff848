/* probe.h - what a machine is asked before it becomes a node: lines NAME=VALUE from a plain shell.
 *
 * Where the key may run nothing but the bridge (restrict,command=...), the bridge knows the question by its
 * first words and asks the same itself; what was sent is not run.
 */
#ifndef STOKER_PROTO_PROBE_H
#define STOKER_PROTO_PROBE_H

#define PROBE_MARK ": stoker-check; " /* in every shell: nothing */

/* No single quote in it: it travels between two. */
#define PROBE_SCRIPT \
    "echo uid=$(id -u); echo user=$(id -un); echo arch=$(uname -m); " \
    "echo os=$(sed -n \"s/^PRETTY_NAME=//p\" /etc/os-release 2>/dev/null | tr -d \\\"); " \
    "echo now=$(date +%s); " \
    "if [ \"$(id -u)\" = 0 ]; then d=\"${XDG_CACHE_HOME:-/var/cache}/stoker\"; " \
    "else d=\"${XDG_CACHE_HOME:-$HOME/.cache}/stoker\"; fi; echo \"dir=$d\"; " \
    "mkdir -p \"$d\" 2>/dev/null; p=\"$d/.probe-$$\"; " \
    "{ echo \"#!/bin/sh\"; echo \"echo yes\"; } 2>/dev/null >\"$p\"; chmod 700 \"$p\" 2>/dev/null; " \
    "echo write=$(\"$p\" 2>/dev/null); rm -f \"$p\"; " \
    "echo free=$(df -Pk \"$d\" 2>/dev/null | sed -n 2p | tr -s \" \" | cut -d\" \" -f4); " \
    "if [ \"$(id -u)\" = 0 ]; then s=/var/lib/stoker; else s=\"$HOME/.local/state/stoker\"; fi; " \
    "s=\"${XDG_STATE_HOME:-$s}\"; while [ ! -d \"$s\" ] && [ \"$s\" != / ]; do s=$(dirname \"$s\"); done; " \
    "echo \"spool=$s\"; echo spool_free=$(df -Pk \"$s\" 2>/dev/null | sed -n 2p | tr -s \" \" | cut -d\" \" -f4); " \
    "echo cpus=$(nproc); echo memory=$(sed -n \"s/^MemTotal: *\\([0-9]*\\).*/\\1/p\" /proc/meminfo); " \
    "g=$(sed -n \"s/^0:://p\" /proc/self/cgroup); " \
    "if [ \"$(stat -fc %T /sys/fs/cgroup 2>/dev/null)\" = cgroup2fs ]; then " \
    "if [ -w \"/sys/fs/cgroup$g/cgroup.procs\" ]; then echo cgroup=v2; else echo cgroup=readonly; fi; " \
    "else m=/sys/fs/cgroup/memory$(sed -n \"s/^[0-9]*:memory://p\" /proc/self/cgroup); " \
    "if [ -e \"$m/memory.limit_in_bytes\" ] && [ -w \"$m\" ]; then echo cgroup=v1; " \
    "else echo cgroup=none; fi; fi; " \
    "echo gpus=$(nvidia-smi -L 2>/dev/null | grep -c ^GPU); "

#endif
