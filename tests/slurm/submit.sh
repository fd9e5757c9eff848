# shellcheck shell=bash
# submit.sh - stoker-slurm is killed between the start of sbatch and its answer, over a real Slurm: sourced by run.
#
#   kill_submissions DIR N    N submissions through a wrapper of sbatch in DIR that kills its parent at a random moment

kill_submissions() {
    local dir=$1 n=$2 real i out told=0 wrong=0
    real=$(dirname "$(command -v squeue)")
    mkdir -p "$dir"
    for i in squeue scontrol scancel sacct sinfo; do ln -sf "$real/$i" "$dir/$i"; done
    cat >"$dir/sbatch" <<WRAPPER
#!/bin/bash
# Before sbatch, at any moment while it runs, behind it; now and then sbatch itself goes, too.
server=\$PPID
case \$((RANDOM % 10)) in
0) kill -9 \$server; exec "$real/sbatch" "\$@" ;;
1) "$real/sbatch" "\$@"; kill -9 \$server ;;
2) (sleep 0.0\$((RANDOM % 5)); kill -9 \$server \$\$ 2>/dev/null) >/dev/null 2>&1 & exec "$real/sbatch" "\$@" ;;
*) (sleep 0.0\$((RANDOM % 5)); kill -9 \$server 2>/dev/null) >/dev/null 2>&1 & exec "$real/sbatch" "\$@" ;;
esac
WRAPPER
    chmod +x "$dir/sbatch"
    printf '#!/bin/sh\nexec sleep 600\n' >"$dir/killed.sh"
    for ((i = 0; i < n; i++)); do
        # Behind its id stands the name of the submission, which is in the queue once.
        out=$(PATH=$dir:$PATH STOKER_SLURM_SETTLE_MS=3000 timeout 90 "$B/bin/stoker" submit --hold -J "killed$i" "$dir/killed.sh" 2>"$dir/err")
        if [ "$(squeue -h -n "killed$i" -o %i)" = "$out" ] && [ -n "$out" ]; then
            told=$((told + 1))
        else
            wrong=$((wrong + 1))
            echo "      killed$i: told \"$out\" ($(<"$dir/err")), in the queue: $(squeue -h -n "killed$i" -o %i | tr '\n' ' ')" >&2
        fi
    done
    # The last server may have been killed when its client had left: the next one takes its socket over.
    for ((i = 0; i < 200; i++)); do # ten seconds
        pgrep -f "$dir/sbatch" >/dev/null || break
        sleep 0.05
    done
    PATH=$dir:$PATH "$B/bin/stoker" jobs >/dev/null
    echo "$told told, $wrong wrong"
}
