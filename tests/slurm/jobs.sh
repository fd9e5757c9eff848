# shellcheck shell=bash
# jobs.sh - a queue with one job for each thing that can be said of a job, submitted to the Slurm in PATH. Sourced.

submit_jobs() {
    local script=$1/job.sh
    printf '#!/bin/bash\necho hello\nexec sleep "${1:-600}"\n' >"$script"
    chmod +x "$script"
    (
        cd "$1" || exit 1
        sbatch -J one -n 2 --mem=100 "$script"
        sbatch -J 'two nodes' -N 2 -n 10 -o 'out-%x-%j.txt' --comment 'a comment' "$script"
        sbatch -J fast -p fast -C fast -c 2 "$script"
        sbatch -J fails --wrap 'exit 3'
        sbatch -J killed --wrap 'kill -9 $$'
        sbatch -J sweep -a '0-9,20-30:5%2' -c 2 "$script"
        sbatch -J held --hold "$script"
        sbatch -J never -p big "$script"
        sbatch -J later --begin=now+1hour "$script"
        first=$(sbatch --parsable -J base "$script")
        sbatch -J follows -d "afterok:$first" "$script"
        sbatch -J wide -N 4 --exclusive "$script"
        sbatch -J behind -N 4 --exclusive --nice=100 "$script"
        # Names that break who trusts them: separators, a forged row, controls, colours, other alphabets.
        sbatch -J 'a|b,c;d e' --hold "$script"
        sbatch -J $'x\n999999 RUNNING\n999998;forged' --hold "$script"
        sbatch -J $'\x1f\x1e\033[31mred' --hold "$script"
        sbatch -J 'zażółć 日本 ✓' --hold "$script"
        sbatch -J "$(printf 'n%.0s' {1..250})" --hold "$script"
        sbatch -J None --hold "$script"
    )
}
