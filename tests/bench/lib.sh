# shellcheck shell=bash
# lib.sh - what the pieces of the benchmark share: a system under test, waiting, results.
#
# A piece is a file NAME.sh with a function NAME_piece that measures whatever system leads $PATH: the commands have the same names in
# both. $system says which it is: stoker, shipped or tuned (Slurm with its defaults, Slurm tuned as well as we know how).

# shellcheck source=tests/bench/slurm.sh
. "$here/slurm.sh"
tools=$B/tests/bench
cpus=$(nproc)

die() {
    echo "bench: $*" >&2
    exit 1
}

# --- time ---

exec {nap_fd}<> <(:) # never ready: reading it with a timeout waits without a process
nap() { read -r -t "${1:-0.02}" -u "$nap_fd" _ || true; }
now_us() { echo "${EPOCHREALTIME/[.,]/}"; }

# wait_until SECONDS CMD...: gives the piece up at the deadline. Looks again after 20 ms or a fiftieth of the wait so far: what looks
# costs the daemons time too.
wait_until() {
    local t0 waited limit=$1
    shift
    t0=$(now_us)
    until "$@"; do
        waited=$(($(now_us) - t0))
        [ $waited -lt $((limit * 1000000)) ] || die "$system: waited without result for: $*"
        nap "$(awk -v w=$waited 'BEGIN { w /= 50e6; print w < 0.02 ? 0.02 : w }')"
    done
}

queue_is_empty() { [ -z "$(squeue -h -o %i)" ]; }
is_listed() { [ -n "$(squeue -h -o %i -j "$1" 2>/dev/null)" ]; }
is_not_listed() { ! is_listed "$1"; }
has_text() { [ -s "$1" ]; }

# --- results ---

# record METRIC UNIT high|low VALUE...: high: more is better
record() {
    local metric=$1 unit=$2 better=$3
    shift 3
    [ $# -gt 0 ] || die "$system: no figure for: $metric"
    echo "$metric|$unit|$better|$system|$*" >>"$results"
    printf '  %-8s %-58s %s %s\n' "$system" "$metric" "$(median "$@")" "$unit"
}
note() { echo "$*" >>"$notes"; }
median() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
# ratio A B, in three figures
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4g", a / b }'; }

# Medians with their spread, and how many times better Stoker is: above 1 it is, whichever way is better.
print_table() {
    awk -F'|' '
    function med(s, v, n, i, j, t) {
        n = split(s, v, " ")
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
        lo = v[1]; hi = v[n]; cnt = n
        return n % 2 ? v[(n + 1) / 2] + 0 : (v[n / 2] + v[n / 2 + 1]) / 2
    }
    function num(x) { return x >= 100 ? sprintf("%.0f", x) : x >= 10 ? sprintf("%.1f", x) : sprintf("%.2f", x) }
    function cell(k, m) {
        if (!(k in val)) return "-"
        m = med(val[k])
        return cnt > 1 ? sprintf("%s (%s-%s)", num(m), num(lo), num(hi)) : num(m)
    }
    function times(a, b, better) {
        if (!(a in val) || !(b in val)) return "-"
        a = med(val[a]); b = med(val[b])
        return a && b ? sprintf("%s", num(better == "high" ? a / b : b / a)) : "-"
    }
    { if (!($1 in seen)) { seen[$1] = 1; order[++n] = $1; unit[$1] = $2; better[$1] = $3 } val[$1 SUBSEP $4] = $5 }
    END {
        fmt = "| %-58s | %-22s | %-22s | %-22s | %8s | %8s |\n"
        printf fmt, "median (spread)", "Stoker", "Slurm as shipped", "Slurm tuned", "x shipped", "x tuned"
        print "|---|---|---|---|---|---|"
        for (i = 1; i <= n; i++) {
            m = order[i]
            printf fmt, m ", " unit[m], cell(m SUBSEP "stoker"), cell(m SUBSEP "shipped"), cell(m SUBSEP "tuned"),
                times(m SUBSEP "stoker", m SUBSEP "shipped", better[m]), times(m SUBSEP "stoker", m SUBSEP "tuned", better[m])
        }
    }' "$results"
}

# --- the system under test ---

stoker_configure() {
    mkdir -p "$1"
    cat >"$1/stoker.cfg" <<CFG
cluster = "bench";
max_jobs = 1000000;
max_array_size = 100001;
nodes = ( { name = "n1"; transport = "local"; cpus = $cpus; memory = "8G"; gpus = 0; detect = false; } );
partitions = ( { name = "main"; nodes = "n1"; default = true; } );
CFG
}

node_is_idle() { [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; }

# In the box. $1: system, $2: directory
system_boot() {
    if [ "$1" = stoker ]; then stoker up >"$2/up.out" 2>&1; else slurm_start "$2"; fi
}

# Sets the environment of this shell, so call it in a subshell: pieces run in one each.
system_start() {
    local dir=$work/$system line
    rm -rf "$dir"
    mkdir -p "$dir/jobs"
    if [ "$system" = stoker ]; then
        stoker_configure "$dir"
        export STOKER_HOME=$dir PATH=$B/bin:/usr/local/bin:/usr/bin:/bin
    else
        slurm_configure "$dir" "$system" "$cpus"
        while read -r line; do export "${line?}"; done < <(slurm_env "$dir")
    fi
    cd "$dir/jobs" || exit 1
    "$tools/bench_box" run bash "$here/run" --boot "$system" "$dir" >"$dir/box.out" &
    box=$!
    trap 'kill "$box" 2>/dev/null; wait "$box" 2>/dev/null; cd /' EXIT
    wait_until 40 has_text "$dir/box.out"
    if ! grep -qx 'ready 0' "$dir/box.out"; then
        tail -n 5 "$dir"/*.out "$dir"/log/* >&2
        die "$system does not start"
    fi
    wait_until 20 node_is_idle
}

box_cpu() { "$tools/bench_box" cpu "$box"; }
controller_rss() { "$tools/bench_box" rss "$box" "$([ "$system" = stoker ] && echo stokerd || echo slurmctld)"; }
