# trace.awk - summarises strace -f -ttt of controller, agent, supervisors and ranks: the number of calls of each kind for a job,
# and, with EACH, the calls between two jobs in the middle. Variables: see alone_trace.sh.

# The file is read twice: first, whose child each process is.
NR == FNR {
    if ($3 !~ /^(clone3?|vfork|fork)\(/ && !($3 == "<..." && $4 ~ /^(clone3?|vfork|fork)$/)) next
    if ($3 != "<...") flags[$1] = $0
    if (match($0, /= [0-9]+/)) {
        parent[substr($0, RSTART + 2, RLENGTH - 2)] = $1
        if (flags[$1] ~ /CLONE_PARENT/) sibling[substr($0, RSTART + 2, RLENGTH - 2)] = 1
    }
    next
}

# A child of a supervisor is a rank until it is a shell.
function role(pid) {
    if (pid in of) return of[pid]
    if (pid == controller) return "loop"
    if (pid == agent) return "agent"
    if (!(pid in parent) || pid in sibling) return of[pid] = "supervisor"
    return of[pid] = role(parent[pid]) == "supervisor" ? "rank" : role(parent[pid])
}

# Only beginnings count: "<... CALL resumed>" is the rest of a line before.
{
    pid = $1
    text = substr($0, index($0, $2) + length($2) + 1)
    if (text ~ /^(---|\+\+\+)/) next
    resumed = text ~ /^<\.\.\./
    call = text
    sub(/^<\.\.\. /, "", call)
    sub(/[( ].*/, "", call)
    if (resumed && call !~ /^(epoll_wait|poll|futex|recvfrom|recvmsg|fdatasync)$/) next
    if (!(pid in parent) && call ~ /^(fdatasync|pwrite64)$/) of[pid] = "store"
    who = role(pid)
    if (resumed) { if (who != "shell") line[++n] = $2 " " who " " call " returns"; next }
    if (call == "execve" && who == "rank") {
        started[++n_started] = n + 1
        line[++n] = $2 " rank execve: the shell begins"
        count["rank execve"]++
        of[pid] = "shell"
        next
    }
    if (who == "shell") next
    count[who " " call]++
    total[who]++
    short = text
    if (length(short) > 76) short = substr(short, 1, 73) "..."
    line[++n] = $2 " " who " " short
}

END {
    print what ": calls for each of " tasks " jobs (all but the shell's own)"
    order = split("loop store agent supervisor rank", whos, " ")
    for (i = 1; i <= order; i++) {
        w = whos[i]
        printf "  %-11s %6.1f:", w, total[w] / tasks
        m = 0
        for (k in count) if (index(k, w " ") == 1 && count[k] >= tasks / 4) { m++; name[m] = substr(k, length(w) + 2); c[m] = count[k] }
        for (a = 1; a <= m; a++) {
            best = a
            for (b = a + 1; b <= m; b++) if (c[b] > c[best] || (c[b] == c[best] && name[b] < name[best])) best = b
            t = c[a]; c[a] = c[best]; c[best] = t
            t = name[a]; name[a] = name[best]; name[best] = t
            printf " %s %.1f%s", name[a], c[a] / tasks, a < m ? "," : ""
        }
        print ""
    }
    if (!each || n_started < 3) exit
    middle = int(n_started / 2)
    print what ": from the start of one shell to the start of the next, in microseconds"
    split(line[started[middle]], f, " ")
    t0 = f[1]
    for (i = started[middle]; i <= started[middle + 1]; i++) {
        split(line[i], f, " ")
        printf "  %7d %-11s %s\n", (f[1] - t0) * 1e6, f[2], substr(line[i], length(f[1]) + length(f[2]) + 3)
    }
}
