# Completions for bash, written by: stoker manual --bash
_stoker_values() {
    case $1 in
    partition) sinfo -h -o %R 2>/dev/null ;;
    jobs|job|jobid|dependency) squeue -h -r -o %i 2>/dev/null ;;
    nodelist|exclude|node|nodes) sinfo -h -N -o %N 2>/dev/null ;;
    states|state) echo PENDING RUNNING SUSPENDED COMPLETING COMPLETED CANCELLED FAILED TIMEOUT NODE_FAIL PREEMPTED OUT_OF_MEMORY DEADLINE all ;;
    qos) sacctmgr -n -P show qos format=name 2>/dev/null ;;
    account|accounts) sacctmgr -n -P show assoc format=account user="$USER" 2>/dev/null ;;
    user|users) compgen -u ;;
    esac
}
_stoker_complete() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=${COMP_WORDS[0]##*/} option=
    [[ $cur == = ]] && cur=
    [[ $prev == = && $COMP_CWORD -ge 2 ]] && prev=${COMP_WORDS[COMP_CWORD-2]}
    if [[ $cmd == stoker ]]; then
        if [[ $COMP_CWORD == 1 ]]; then
            COMPREPLY=($(compgen -W "$_stoker_commands" -- "$cur"))
            return
        fi
        cmd=stoker_${COMP_WORDS[1]//-/_}
    fi
    case $prev in
    --*) option=${prev#--} ;;
    -p) option=partition ;;
    -j) option=jobs ;;
    -w|-x) option=nodelist ;;
    -t) [[ $cmd == squeue || $cmd == scancel ]] && option=states ;;
    -u) option=user ;;
    -q) option=qos ;;
    -A) option=account ;;
    esac
    local words=_stoker_words_$cmd values
    if [[ $option ]] && values=$(_stoker_values "$option") && [[ $values ]]; then
        COMPREPLY=($(compgen -W "$values" -- "$cur"))
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "${!words}" -- "$cur"))
        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    else
        case $cmd in
        scancel|stoker_show|stoker_why|stoker_output|stoker_cancel|stoker_requeue|stoker_hold|stoker_release|stoker_update)
            COMPREPLY=($(compgen -W "$(_stoker_values jobs)" -- "$cur")) ;;
        scontrol) COMPREPLY=($(compgen -W "show update hold release requeue requeuehold suspend resume ping reconfigure version job node partition config hostnames" -- "$cur")) ;;
        *) COMPREPLY=($(compgen -f -- "$cur")) ;;
        esac
    fi
}
_stoker_commands='submit jobs show why plan output attach cancel requeue hold release update nodes node window gpus users up down init doctor config import manual sim '
_stoker_words_stoker_submit=' --json -a --array= --parsable --test-only -W --wait --wrap= -A --account= -b --begin= -D --chdir= -M --clusters= --comment= -C --constraint= --contiguous --cpus-per-gpu= -c --cpus-per-task= --deadline= -d --dependency= -m --distribution= -e --error= -x --exclude= --exclusive --export= -G --gpus= --gpus-per-node= --gpus-per-task= --gres= -H --hold -i --input= -J --job-name= --kill-on-invalid-dep= -L --licenses= --lost-node= --mail-type= --mail-user= --mem= --mem-per-cpu= --mem-per-gpu= --mincpus= --nice -w --nodelist= -N --nodes= --no-requeue -n --ntasks= --ntasks-per-gpu= --ntasks-per-node= --open-mode= -o --output= -O --overcommit -p --partition= --priority= --propagate -q --qos= -Q --quiet --requeue --reservation= --signal= -t --time= --time-min= --tmp= -v --verbose --wckey= -h --help --usage -V --version'
_stoker_words_stoker_jobs=' -m --mine -a --all -s --state= -u --user= -p --partition= -n --name= --json -h --help --usage -V --version'
_stoker_words_stoker_show=' --json -h --help --usage -V --version'
_stoker_words_stoker_why=' --json -h --help --usage -V --version'
_stoker_words_stoker_plan=' --config= --drain= --json -p --partition= -u --user= -h --help --usage -V --version'
_stoker_words_stoker_output=' -f --follow -e --err -n --lines= --task= -h --help --usage -V --version'
_stoker_words_stoker_attach=' -t --take -h --help --usage -V --version'
_stoker_words_stoker_cancel=' -s --signal= --mine -h --help --usage -V --version'
_stoker_words_stoker_requeue=' --hold -h --help --usage -V --version'
_stoker_words_stoker_hold=' --admin -h --help --usage -V --version'
_stoker_words_stoker_release=' -h --help --usage -V --version'
_stoker_words_stoker_update=' -h --help --usage -V --version'
_stoker_words_stoker_nodes=' --json -h --help --usage -V --version'
_stoker_words_stoker_node=' -r --reason= --name= --address= -p --port= -l --user= -i --identity= --accept= --cpus= --memory= --gpus= --gpu-type= --features= --role= --end= --json -h --help --usage -V --version'
_stoker_words_stoker_window=' -A --accounts= -d --duration= --end= --json -n --name= -w --nodes= -r --reason= -s --start= -u --users= -h --help --usage -V --version'
_stoker_words_stoker_gpus=' --json -u --use -h --help --usage -V --version'
_stoker_words_stoker_users=' --json -h --help --usage -V --version'
_stoker_words_stoker_up=' --accept-loss -h --help --usage -V --version'
_stoker_words_stoker_down=' --kill-jobs -h --help --usage -V --version'
_stoker_words_stoker_init=' --print --shared --node= --key= --login --user= --link-user= --root= -h --help --usage -V --version'
_stoker_words_stoker_doctor=' --json -h --help --usage -V --version'
_stoker_words_stoker_config=' --json -h --help --usage -V --version'
_stoker_words_stoker_import=' -o --output= -f --force -h --help --usage -V --version'
_stoker_words_stoker_manual=' --bash --list -h --help --usage -V --version'
_stoker_words_stoker_sim=' -c --config= -g --generate= --seed= -p --policy= --procs-only -n --jobs= --starts= --json -h --help --usage -V --version'
_stoker_words_sbatch=' -a --array= --parsable --test-only -W --wait --wrap= -A --account= -b --begin= -D --chdir= -M --clusters= --comment= -C --constraint= --contiguous --cpus-per-gpu= -c --cpus-per-task= --deadline= -d --dependency= -m --distribution= -e --error= -x --exclude= --exclusive --export= -G --gpus= --gpus-per-node= --gpus-per-task= --gres= -H --hold -i --input= -J --job-name= --kill-on-invalid-dep= -L --licenses= --lost-node= --mail-type= --mail-user= --mem= --mem-per-cpu= --mem-per-gpu= --mincpus= --nice -w --nodelist= -N --nodes= --no-requeue -n --ntasks= --ntasks-per-gpu= --ntasks-per-node= --open-mode= -o --output= -O --overcommit -p --partition= --priority= --propagate -q --qos= -Q --quiet --requeue --reservation= --signal= -t --time= --time-min= --tmp= -v --verbose --wckey= -h --help --usage -V --version'
_stoker_words_srun=' --cpu-bind= -X --disable-status --exact -I --immediate --jobid= -K --kill-on-bad-exit -l --label --mpi= --multi-prog --overlap --pty --quit-on-interrupt -r --relative= --test-only -u --unbuffered -W --wait= -A --account= -b --begin= -D --chdir= -M --clusters= --comment= -C --constraint= --contiguous --cpus-per-gpu= -c --cpus-per-task= --deadline= -d --dependency= -m --distribution= -e --error= -x --exclude= --exclusive --export= -G --gpus= --gpus-per-node= --gpus-per-task= --gres= -H --hold -i --input= -J --job-name= --kill-on-invalid-dep= -L --licenses= --lost-node= --mail-type= --mail-user= --mem= --mem-per-cpu= --mem-per-gpu= --mincpus= --nice -w --nodelist= -N --nodes= --no-requeue -n --ntasks= --ntasks-per-gpu= --ntasks-per-node= --open-mode= -o --output= -O --overcommit -p --partition= --priority= --propagate -q --qos= -Q --quiet --requeue --reservation= --signal= -t --time= --time-min= --tmp= -v --verbose --wckey= -h --help --usage -V --version'
_stoker_words_salloc=' -I --immediate --no-shell -A --account= -b --begin= -D --chdir= -M --clusters= --comment= -C --constraint= --contiguous --cpus-per-gpu= -c --cpus-per-task= --deadline= -d --dependency= -m --distribution= -e --error= -x --exclude= --exclusive --export= -G --gpus= --gpus-per-node= --gpus-per-task= --gres= -H --hold -i --input= -J --job-name= --kill-on-invalid-dep= -L --licenses= --lost-node= --mail-type= --mail-user= --mem= --mem-per-cpu= --mem-per-gpu= --mincpus= --nice -w --nodelist= -N --nodes= --no-requeue -n --ntasks= --ntasks-per-gpu= --ntasks-per-node= --open-mode= -o --output= -O --overcommit -p --partition= --priority= --propagate -q --qos= -Q --quiet --requeue --reservation= --signal= -t --time= --time-min= --tmp= -v --verbose --wckey= -h --help --usage -V --version'
_stoker_words_squeue=' -A --account= -a --all -r --array --array-unique -M --clusters= --expand-patterns -o --format= -O --Format= --hide -i --iterate= -j --jobs --json -L --licenses= -l --long --me -n --name= --noconvert -w --nodelist= -h --noheader --only-job-state -p --partition= -q --qos= -R --reservation= -S --sort= --start -t --states= -s --steps -u --user= -v --verbose --help --usage -V --version'
_stoker_words_scancel=' -A --account= -b --batch -M --clusters= --ctld -f --full -i --interactive --me -n --name= -w --nodelist= -p --partition= -q --qos= -Q --quiet -R --reservation= -s --signal= -t --state= -u --user= -v --verbose --wckey= -h --help --usage -V --version'
_stoker_words_scontrol=' -a --all -M --cluster= -d --details --json -o --oneliner -Q --quiet -v --verbose -h --help --usage -V --version'
_stoker_words_sinfo=' -a --all -M --clusters= -d --dead -e --exact -o --format= -O --Format= -i --iterate= --json -l --long -R --list-reasons -n --nodes= -N --Node -h --noheader -p --partition= -T --reservation -r --responding -S --sort= -t --states= -s --summarize -v --verbose --help --usage -V --version'
_stoker_words_sacct=' -A --accounts= -L --allclusters -X --allocations -a --allusers --array -B --batch-script -b --brief -x --associations= -c --completion -M --clusters= --delimiter= -D --duplicates -E --endtime= -o --format= -g --gid= -e --helpformat -j --jobs= --json -l --long --name= --noconvert -I --ncpus= -i --nnodes= -N --nodelist= -n --noheader -p --parsable -P --parsable2 -r --partition= -q --qos= -S --starttime= -s --state= -K --timelimit-max= -k --timelimit-min= -T --truncate --units= -u --user= -v --verbose -W --wckeys= -h --help --usage -V --version'
_stoker_words_sstat=' -a --allsteps --delimiter= -o --format= -e --helpformat -j --jobs= -n --noheader -p --parsable -P --parsable2 -i --pidformat -v --verbose -h --help --usage -V --version'
_stoker_words_sdiag=' -a --all -M --cluster= --json -r --reset -h --help --usage -V --version'
_stoker_words_sacctmgr=' -s --associations -n --noheader -p --parsable -P --parsable2 -r --readonly -v --verbose -h --help --usage -V --version'
_stoker_words_sprio=' -M --clusters= -o --format= -j --jobs= --json -l --long -h --noheader -n --norm -p --partition= -S --sort= -u --user= -w --weights --help --usage -V --version'
_stoker_words_seff=' -h --help --usage -V --version'
_stoker_words_sattach=' --error-filter= --input-filter= -l --label --layout --output-filter= --pty -Q --quiet -h --help --usage -V --version'
_stoker_words_sbcast=' -C --compress -f --force -j --jobid= -p --preserve --send-libs -h --help --usage -V --version'
_stoker_words_sshare=' -A --accounts= -a --all -M --clusters= -o --format= -e --helpformat --json -l --long -n --noheader -p --parsable -P --parsable2 -u --users= -U --Users -h --help --usage -V --version'
complete -F _stoker_complete stoker sbatch srun salloc squeue scancel scontrol sinfo sacct sstat sdiag sacctmgr sprio seff sattach sbcast sshare
