/* command_lines.h - the commands behind the actions of the screens: that they do in a shell what the action
 * does is proved by tests/pty/test_command_lines.c, which has a row for each. */
#ifndef STOKER_TESTS_LIB_COMMAND_LINES_H
#define STOKER_TESTS_LIB_COMMAND_LINES_H

/* X(enum member, beginning of the line) */
#define COMMAND_LINES(X)                                     \
    X(CANCEL, "scancel ")                                    \
    X(SIGNAL, "stoker cancel --signal=")                     \
    X(HOLD, "scontrol uhold ")                               \
    X(RELEASE, "scontrol release ")                          \
    X(REQUEUE, "scontrol requeue ")                          \
    X(UPDATE, "scontrol update JobId=")                      \
    X(NODE, "scontrol update NodeName=")                     \
    X(NODE_QUOTED, "scontrol update 'NodeName=")             \
    X(NOTE, "stoker node note ")                             \
    X(WINDOW, "scontrol create reservation ")                \
    X(WINDOW_UPDATE, "scontrol update ReservationName=")     \
    X(WINDOW_DELETE, "scontrol delete ReservationName=")     \
    X(SUBMIT, "sbatch ")                                     \
    X(SUBMIT_STEPS, "file=$(mktemp --suffix=.job); cat >\"$file\" <<'EOF'")

#endif
