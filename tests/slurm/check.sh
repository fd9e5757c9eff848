# shellcheck shell=bash
# check.sh - what the tests over a real Slurm share: sourced, never run.
#
#   slurm_test NAME         a clean environment and $work; 77 if there is no Slurm to be had. At exit all of it ends and goes
#   check WHAT GOT WANT     sets failed=1
#   wait_for SECONDS CMD... until CMD succeeds; 1: it did not

failed=0
check() {
    if [ "$2" = "$3" ]; then
        echo "ok    $1"
    else
        echo "FAIL  $1"
        diff <(echo "$2") <(echo "$3") | head -n 20 | sed 's/^/    /'
        failed=1
    fi
}

wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.2
    done
}

# A slurmd that still ends a job does not hear the first signal.
slurm_test_end() {
    local end=$((SECONDS + 60))
    while pgrep -f "$work/slurm" >/dev/null && [ $SECONDS -lt $end ]; do
        slurm_cluster_stop "$work/slurm"
        sleep 0.5
    done
    rm -rf "$work"
}

slurm_test() {
    local v why
    for v in $(compgen -e); do
        case $v in
        SLURM_SUITE) ;;
        STOKER_* | SLURM_* | SBATCH_* | SQUEUE_* | SINFO_* | XDG_* | MAKE*) unset "$v" ;;
        esac
    done
    export LC_ALL=C.UTF-8 TZ=UTC
    why=$(slurm_fetch) || { echo "no Slurm to be had: $why"; exit 77; }
    work=$(mktemp -d "${TMPDIR:-/tmp}/st-$1.XXXXXX")
    trap slurm_test_end EXIT
    mkdir -p "$work/slurm" "$work/jobs" "$work/run" "$work/home"
    chmod 700 "$work/run"
    export HOME=$work/home XDG_RUNTIME_DIR=$work/run
}
