#!/usr/bin/env bash
# Runs the samples of this folder on a cluster of its own in a temporary directory: one node, four GPUs that only the configuration
# knows, so that it works on any machine. Ends with 0 if every job ended well. STOKER_HOME=DIR: keeps everything there.
#
#   run-samples.sh [SAMPLE...]       default: all but preempt.bash, which has to be told to end
#   run-samples.sh --submit          submits a few to the user's own cluster, which is started if none runs
#   run-samples.sh --screen          submits a few to the user's own cluster, which is started if none runs, and opens the screens.
#                                    Where there are jobs already, or a cluster is configured, it only opens the screens
set -u

here=$(cd "$(dirname "$0")" && pwd)

# Some that run, with steps and tasks, and one that waits: prints their ids. Each task takes a minute, so that there is time to
# look at it.
submit_samples() {
    local dir ids id after=
    dir=${STOKER_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/stoker}/samples
    mkdir -p "$dir" && cp "$here"/*.py "$here"/*.bash "$here"/*.job "$dir" && cd "$dir" || return
    sed -i 's/--epochs=[34]/--epochs=12/; s/--seconds=1 /--seconds=60 /; s/time = "10:00"/time = "30:00"/' array.bash sweep.job
    ids=$(sbatch --parsable array.bash) || return
    case $(sinfo -h -o %G 2>/dev/null) in
    *gpu*) ;;
    *) sed -i 's/gpus = 1;//' sweep.job ;;
    esac
    after=$(stoker submit sweep.job) && ids=$ids,$after
    if [ -n "${after:-}" ]; then
        id=$(sbatch --parsable --job-name=report --dependency="afterok:$after" --wrap='ls -l') && ids=$ids,$id
    fi
    echo "$ids"
}

# The screens with samples, on a cluster that is new.
show_samples() {
    local config ids
    config=$(stoker config path) || exec stoker
    [ ! -e "$config" ] || exec stoker
    [ -z "$(squeue -h 2>/dev/null)" ] || exec stoker
    ids=$(submit_samples) || exec stoker
    exec stoker "--samples=$ids"
}
if [ "${1:-}" = --submit ]; then
    submit_samples
    exit
fi
[ "${1:-}" != --screen ] || show_samples
deadline_s=${SAMPLES_DEADLINE:-300}
temporary=
if [ -z "${STOKER_HOME:-}" ]; then
    STOKER_HOME=$(mktemp -d "${TMPDIR:-/tmp}/stoker-samples.XXXXXX")
    temporary=$STOKER_HOME
fi
export STOKER_HOME
work=$STOKER_HOME/samples
mkdir -p "$work" || exit 1

finish() {
    stoker down --kill-jobs >/dev/null 2>&1
    [ -z "$temporary" ] || rm -rf "$temporary"
}
trap finish EXIT
trap 'exit 130' INT TERM

if [ ! -e "$STOKER_HOME/stoker.cfg" ]; then
    cat >"$STOKER_HOME/stoker.cfg" <<'CFG'
cluster = "samples";
nodes = ( { name = "here"; cpus = 8; memory = "4G"; gpus = 4; gpu_type = "demo"; detect = false; } );
partitions = ( { name = "main"; nodes = "here"; default = true; } );
CFG
fi

cp "$here"/*.py "$here"/*.bash "$here"/*.conf "$here"/*.job "$work" || exit 1
cd "$work" || exit 1
stoker up || exit 1

# A machine without environment modules: the samples load one, as scripts from clusters do.
if ! type module >/dev/null 2>&1; then
    module() { :; }
    export -f module
fi

ids=()
submit() {
    local id
    case $1 in
    *.job) id=$(stoker submit "$1") ;;
    *) id=$(sbatch --parsable "$1") ;;
    esac || exit 1
    echo "submitted $1 as job $id"
    ids+=("$id")
}

[ $# -gt 0 ] || set -- job.bash pack-labels.bash pack-multiprog.bash pack-gpus.bash array.bash sweep.job
for sample; do submit "$sample"; done
list=$(IFS=,; echo "${ids[*]}")

echo
squeue -j "$list"
echo

end=$((SECONDS + deadline_s))
shown=
while :; do
    left=$(squeue -h -r -j "$list" -o %i | wc -l)
    if [ "$left" != "$shown" ]; then
        echo "waiting: $left to go"
        shown=$left
    fi
    [ "$left" -gt 0 ] || break
    if [ "$SECONDS" -ge "$end" ]; then
        echo "run-samples: not done within $deadline_s s" >&2
        squeue -l -j "$list" >&2
        exit 1
    fi
    sleep 0.5
done

echo
squeue -t all -r -j "$list" -o '%.10i %.16j %.10T %.8M %R'
for out in *.out; do
    [ -s "$out" ] || continue
    echo
    echo "==> $out <=="
    tail -n 4 "$out"
done

failed=$(squeue -h -t all -r -j "$list" -o '%i %T' | awk '$2 != "COMPLETED"')
if [ -n "$failed" ]; then
    echo "run-samples: not completed:" >&2
    echo "$failed" >&2
    exit 1
fi
echo
echo "all samples completed"
