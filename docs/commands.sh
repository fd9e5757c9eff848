#!/usr/bin/env bash
# Writes docs/COMMANDS.md from the commands' own tables: docs/commands.sh >docs/COMMANDS.md, with the programs in PATH.
set -eu

commands() { stoker --help | awk -v part="$1" '/^Slurm/ { slurm = 1 } /^  [a-z]/ { if (slurm == (part == "slurm")) print $1 }'; }
section() { # title, command...
    printf '\n## %s\n\n```\n' "$1"
    shift
    "$@" --help
    printf '```\n'
}

cat <<'TEXT'
# Commands

Written by `docs/commands.sh` from the tables that the commands themselves are parsed with. `stoker` alone opens the screens on a
terminal and prints the queue elsewhere.

## Exit codes

| code | stoker's own commands |
|---|---|
| 0 | ok |
| 1 | failed; `stoker doctor`: something is wrong |
| 2 | wrong usage |
| 3 | not found: no such job, step, task or node |
| 4 | refused by policy: not allowed, over a limit, can never run |
| 5 | the controller or a node is out of reach |
| 6 | timed out |

Slurm's names keep Slurm's:

| command | code | when |
|---|---|---|
| all | 0 | ok |
| all | 1 | an error, with Slurm's text on standard error; 255 from sbatch for an unknown option |
| squeue | 1 | the controller is away; `-j` with one unknown id; an unknown state |
| squeue | 0 | unknown users, partitions and, with several ids, unknown jobs: they are not in the list |
| scancel | 0 | also for jobs that are unknown or have ended |
| scancel | 8 | the controller is away |
| scontrol ping | 1 | the controller is away |
| srun, sbatch -W, salloc | n | the highest code of the tasks; 128 + n where signal n ended one |

Every listing of stoker's own has `--json`: one object with `"schema"`, a number that grows when members change their meaning;
new members may come at any time. `--json` of Slurm's names has the shape of Slurm 23.02: see [JSON.md](JSON.md).
TEXT
printf '\n# stoker'"'"'s own\n'
section "stoker --demo" stoker --demo
for c in $(commands own); do section "stoker $c" stoker "$c"; done
printf '\n# Slurm'"'"'s names\n'
for c in $(commands slurm); do section "$c" "$c"; done
