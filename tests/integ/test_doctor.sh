#!/usr/bin/env bash
# stoker doctor, stoker nodes and submissions say what a configuration asks for and this cluster does not have.
# test-user
. stoker.sh

mkdir -p "$STOKER_HOME"
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
mail_program = "/nonexistent/mail";
nodes = ( { name = "n1"; transport = "local"; cpus = 2; memory = "2G"; gpus = 3; },
  { name = "n2"; transport = "local"; cpus = 2; memory = "2G"; gpus = 3; detect = false; },
  { name = "front"; role = "login"; } );
partitions = ( { name = "main"; nodes = "n[1-2]"; allow_groups = ["$(id -gn)", "nogroup9"]; } );
accounts = ( { name = "vision"; users = ( { name = "nouser9"; }, { name = "$(id -un)"; } ); } );
limits = ( { scope = "user"; name = "nouser8"; hard = { gpus = 1; }; }, { scope = "user"; hard = { gpus = 8; }; } );
CFG
must stoker up
are_up() { [ "$(sinfo -h -n n1,n2 -o %T | sort -u)" = idle ]; }
wait_for 30 are_up
row() { grep -E "^(ok|warn|fail) +$1 " <<<"$out"; }

case_ "doctor names what is missing"
run stoker doctor
is "a mail program that cannot be run is a failure" "$rc" 1
like "mail" "$(row mail)" "fail +mail +mail_program /nonexistent/mail cannot be run: no mail is sent"
like "names" "$(row names)" \
    "warn +names +this machine does not know user nouser9 \(accounts\), user nouser8 \(limits\), group nogroup9 \(allow_groups\)"
like "GPUs" "$(row GPUs)" "warn +GPUs +n1: 3 configured, 0 found"
like "isolation" "$(row 'GPU isolation')" "ok +GPU isolation +by environment variables alone, .*: n1, n2"
like "a login node that is this machine does not count as silent" "$(row nodes)" "ok +nodes +3 answer, 0 of them drained"
hasnt "the user who is there" "$(row names)" "user $(id -un) "
is "each disk has one line" "$(grep -cE '^[a-z]+ +disk (space|of the state) ' <<<"$out")" 1

case_ "the node says so as well, one whose figures are believed does not"
run stoker nodes n1
has "the node" "$out" "3 GPUs configured, 0 found"
run stoker nodes n2
hasnt "believed" "$out" "configured"
is "json" "$(stoker nodes n1 --json | jq -c '.nodes[0] | [.gpus, .gpus_found, .windows]')" '[3,0,[]]'
is "the login node" "$(sinfo -h -N -n front -o %T 2>/dev/null; stoker nodes front | awk 'NR == 2 { print $2, $3 }')" "idle"$'\n'". idle"

case_ "stoker nodes shows windows, now and within a day"
must stoker window add --nodes=n1 --duration=2h --name=fans -r "new fans"
must stoker window add --nodes=n2 --start=now+2hours --duration=1h --name=later
must stoker window add --nodes=n2 --start=now+3days --duration=1h --name=faraway
run stoker nodes
like "now" "$(grep '^n1 ' <<<"$out")" ".*maintenance fans until 20[0-9T:-]*: new fans.*"
like "later" "$(grep '^n2 ' <<<"$out")" ".*maintenance later from 20[0-9T:-]*.*"
hasnt "in three days" "$out" "faraway"
is "json has all" "$(stoker nodes n2 --json | jq -c '.nodes[0].windows')" '["later","faraway"]'
for w in fans later faraway; do must stoker window remove $w; done

case_ "--mail-type where no mail is sent: a warning, and the job is queued"
sed -i '/^mail_program/d' "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
run sbatch -A vision --parsable -w n2 --mail-type=END --wrap true
like "the job" "$rc $out" "0 [0-9]+"
is "the warning" "$err" "sbatch: warning: --mail-type: no mail is sent, because mail_program is not set in this cluster's configuration"
run sbatch -A vision --parsable -w n2 --mail-type=NONE --wrap true
is "nothing was asked for" "$err" ""
run stoker submit --account=vision --mail-type=FAIL -- true
has "stoker submit" "$err" "warning: --mail-type"
run srun -A vision -w n2 --mail-type=ALL true
has "srun" "$err" "srun: warning: --mail-type"
must stoker doctor
like "doctor" "$(row mail)" "ok +mail +mail_program is not set: --mail-type sends nothing"
