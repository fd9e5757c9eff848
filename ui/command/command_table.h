/* command_table.h - the commands behind ':'.
 *
 * X(name, other name or NULL, arguments as the help shows them, what Tab completes, what it does)
 *
 * A command on jobs without arguments applies to the marked jobs, else to the one under the cursor.
 */
#ifndef UI_COMMAND_COMMAND_TABLE_H
#define UI_COMMAND_COMMAND_TABLE_H

/* clang-format off */
#define COMMANDS(X) \
    X(cancel,  "scancel", "[JOB...]",            OWN,     "cancel jobs (asks first)") \
    X(signal,  "kill",    "SIGNAL [JOB...]",     SIGNALS, "send a signal to running jobs") \
    X(hold,    NULL,      "[JOB...]",            OWN,     "hold waiting jobs") \
    X(release, NULL,      "[JOB...]",            OWN,     "release held jobs") \
    X(requeue, NULL,      "[JOB...]",            OWN,     "end jobs and queue them again") \
    X(update,  "edit",    "[JOB...] KEY=VALUE...", OWN,   "change a job: TimeLimit=2:00:00 Partition=long") \
    X(show,    "job",     "JOB|NODE",            THINGS,  "open a job or a node") \
    X(squeue,  NULL,      "[--me] [-u USER] [-p PARTITION] [-n NAME]", NONE, "the jobs, or those of a user, a partition, a name") \
    X(sinfo,   NULL,      "[-N] [-n NODES]",     NONE,    "the partitions; -N: the nodes") \
    X(sacct,   NULL,      "[-j JOB]",            NONE,    "ended jobs") \
    X(scontrol, NULL,     "show|hold|release|requeue|update ...", SCONTROL, "show opens what it names; the others do what they do in a shell") \
    X(output,  "tail",    "[JOB]",               JOBS,    "read the output of a job") \
    X(why,     NULL,      "[JOB]",               JOBS,    "why a job waits") \
    X(watch,   NULL,      "[JOB...]",            JOBS,    "bell and title on changes; again: stop") \
    X(drain,   NULL,      "NODES REASON...",     NODES,   "running jobs finish, no new ones start") \
    X(resume,  NULL,      "NODES",               NODES,   "drained nodes take jobs again") \
    X(note,    NULL,      "NODES TEXT...",       NODES,   "write a note about nodes, shown to all users; no text: ask") \
    X(window,  "reservation", "NODES [KEY=VALUE...]", WINDOW,  "maintenance or reservation: start=18:00 duration=2h reason=TEXT users=ann") \
    X(windows, NULL,      "[add|change|delete] [NAME]", WINDOWS, "list windows; add NODES KEY=VALUE..., change NAME KEY=VALUE..., delete NAME...") \
    X(submit,  "sbatch",  "[SCRIPT]",            FILES,   "open the form, empty or with a script") \
    X(filter,  NULL,      "[WORDS...]",          WORDS,   "show matching rows; empty: all") \
    X(mark,    NULL,      "WORDS...",            WORDS,   "mark matching rows") \
    X(unmark,  NULL,      "",                    NONE,    "unmark all") \
    X(sort,    NULL,      "[COLUMN [down]]",     COLUMNS, "sort by a column; empty: the natural order") \
    X(columns, NULL,      "[COLUMN...]",         COLUMNS, "columns to show; empty: the usual ones") \
    X(save,    NULL,      "NAME",                VIEWS,   "save filter, order and columns of this screen under a name") \
    X(view,    NULL,      "NAME",                VIEWS,   "show a saved view") \
    X(views,   NULL,      "",                    NONE,    "choose a saved view") \
    X(forget,  NULL,      "NAME",                VIEWS,   "delete a saved view") \
    X(theme,   NULL,      "[NAME]",              THEMES,  "dark, light, mono, colourblind, your own; empty: as in ui.cfg") \
    X(export,  NULL,      "FILE [all]",          FILES,   "write the list to a new file: .txt, .csv or .json; all: all columns") \
    X(log,     NULL,      "",                    NONE,    "what was changed from here, as command lines to copy") \
    X(settings, NULL,     "",                    NONE,    "the settings: options, where they come from, themes") \
    X(mouse,   NULL,      "",                    NONE,    "mouse on or off") \
    X(freeze,  NULL,      "",                    NONE,    "freeze or unfreeze the screen") \
    X(help,    NULL,      "",                    NONE,    "keys of this screen, and all commands") \
    X(quit,    "q",       "",                    NONE,    "quit")
/* clang-format on */

enum completion {
    COMPLETE_NONE,
    COMPLETE_JOBS,
    COMPLETE_OWN, /* jobs that the user may change, their own first */
    COMPLETE_SCONTROL,
    COMPLETE_NODES,
    COMPLETE_THINGS, /* jobs and nodes */
    COMPLETE_SIGNALS,
    COMPLETE_FILES,
    COMPLETE_WORDS, /* of a filter */
    COMPLETE_COLUMNS,
    COMPLETE_THEMES,
    COMPLETE_WINDOW,  /* a new one: nodes, then the keys of its line */
    COMPLETE_WINDOWS, /* the verb of :windows */
    COMPLETE_VIEWS,
    COMPLETE_COMMANDS
};

#endif
