#!/usr/bin/env bash
# F50: a login that is refused again and again is tried less and less often, at least half a minute apart and up to ten: sshd bans clients that
# keep on failing. The controller's clock is played, so that the minutes need not be waited for.
# test-user
. stoker.sh
. sshd.sh
export FAKE_CLOCK=$TMPDIR/clock
slept=0
pass() { slept=$((slept + $1)); echo "0 $slept" >"$FAKE_CLOCK.new" && mv "$FAKE_CLOCK.new" "$FAKE_CLOCK"; } # SECONDS
pass 0
sshd_start 2
ssh_config 2
mv "$NODES_DIR/authorized_keys" "$NODES_DIR/away"
sed "s#authorized_keys#away#" "$NODES_DIR/n2/sshd_config" >"$NODES_DIR/n2/config.new"
mv "$NODES_DIR/n2/config.new" "$NODES_DIR/n2/sshd_config"
sshd_stop 2
sshd_run 2
wait_for 10 is_listening 2
t0=$(now_ms)
must env LD_PRELOAD="$B/tests/lib/libfakeclock.so" stoker up
up() { [[ $(sinfo -h -N -n "$1" -o %T) =~ ^(idle|mixed|allocated)$ ]]; }
wait_for 30 up n2
tries() { grep -c 'node=n1.*login_refused\|n1 login_refused' "$STOKER_HOME/log/stoker-link.log"; }
has_tried() { [ "$(tries)" -ge "$1" ]; }
wait_for 20 has_tried 1
# The other node is called and answers meanwhile, so that what is due has come.
settle() {
    wait_for 20 up n2
    for k in 1 2 3; do
        must timeout 60 srun -w n2 true
        nap
    done
}
least=30
known=1 # whether the last try came after t0
for i in 1 2 3 4 5 6; do
    pass $((least - 6))
    settle
    # The machine's own seconds come on top: where it is too slow for six of them nothing can be said
    [ $known -eq 0 ] || [ $(($(now_ms) - t0)) -ge 5000 ] || is "tries within $((least - 1)) s after try $i" "$(tries)" "$i"
    t0=$(now_ms)
    known=0
    if ! has_tried $((i + 1)); then
        pass $((least * 2 / 3 + 8))
        known=1
    fi
    wait_for 20 has_tried $((i + 1))
    settle
    is "tries within $((least * 5 / 3)) s" "$(tries)" $((i + 1))
    least=$((least * 2 > 600 ? 600 : least * 2))
done

case_ "the key is let in again: at once on request"
mv "$NODES_DIR/away" "$NODES_DIR/authorized_keys"
ln "$NODES_DIR/authorized_keys" "$NODES_DIR/away"
must scontrol reconfigure
wait_for 20 up n1
must srun -w n1 true
cluster_stop
