#!/usr/bin/env bash
# TorchX: --parsable, squeue --json, then sacct.
. stoker.sh
cluster_start

cat >torchx.sh <<'S'
#!/bin/bash
#SBATCH --job-name=trainer-x1
#SBATCH --cpus-per-task=1
#SBATCH --mem=500
#SBATCH --ntasks-per-node=1
#SBATCH --requeue
export PYTHONUNBUFFERED=1
srun -n1 --output=slurm-%j-trainer-0.out --error=slurm-%j-trainer-0.err --wait=60 --kill-on-bad-exit=1 bash -c 'echo $SLURM_PROCID; exec sleep 1000'
S
must sbatch --parsable torchx.sh
job=${out%%;*}
wait_for 20 has_lines "slurm-$job-trainer-0.out" 1
must python3 - "$job" <<'PY'
import json, subprocess, sys
job = json.loads(subprocess.check_output(["squeue", "--json", "-j", sys.argv[1]]))["jobs"][0]
assert job["job_state"] in ("RUNNING", ["RUNNING"]), job["job_state"]
assert job["name"] == "trainer-x1" and job["job_id"] == int(sys.argv[1])
assert job["standard_output"].startswith("/")
PY
must scancel "$job"
wait_state "$job" CANCELLED
must python3 - "$job" <<'PY'
import csv, io, subprocess, sys
text = subprocess.check_output(["sacct", "--parsable2", "-j", sys.argv[1]], encoding="utf-8")
rows = [r for r in csv.DictReader(io.StringIO(text), delimiter="|") if "." not in r["JobID"]]
assert len(rows) == 1 and rows[0]["JobID"] == sys.argv[1], rows
assert rows[0]["State"].split(" ")[0] == "CANCELLED" and rows[0]["JobName"] == "trainer-x1", rows
PY
