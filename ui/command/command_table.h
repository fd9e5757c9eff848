/* command_table.h - the commands behind ':'.
 *
 * X(name, other name or NULL, arguments as the help shows them, what Tab completes, what it does)
 *
 * A command that takes jobs means the marked ones, or the one under the cursor, where it is given none.
 */
#ifndef UI_COMMAND_COMMAND_TABLE_H
#define UI_COMMAND_COMMAND_TABLE_H

/* clang-format off */
#define COMMANDS(X) \
    X(cancel,  "scancel", "[JOB...]",            JOBS,    "cancel jobs (asks first)") \
    X(signal,  "kill",    "SIGNAL [JOB...]",     SIGNALS, "send a signal to running jobs") \
    X(hold,    NULL,      "[JOB...]",            JOBS,    "waiting jobs do not start") \
    X(release, NULL,      "[JOB...]",            JOBS,    "held jobs may start") \
    X(requeue, NULL,      "[JOB...]",            JOBS,    "end them and let them run again") \
    X(update,  "edit",    "[JOB...] KEY=VALUE...", JOBS,  "change a job: TimeLimit=2:00:00 Partition=long") \
    X(show,    "job",     "JOB|NODE",            THINGS,  "open the page of a job or a node") \
    X(output,  "tail",    "[JOB]",               JOBS,    "read the output of a job") \
    X(why,     NULL,      "[JOB]",               JOBS,    "why a job waits") \
    X(watch,   NULL,      "[JOB...]",            JOBS,    "bell and title when it changes; again: no more") \
    X(drain,   NULL,      "NODES REASON...",     NODES,   "no new jobs start there") \
    X(resume,  NULL,      "NODES",               NODES,   "they take jobs again") \
    X(note,    NULL,      "NODES TEXT...",       NODES,   "a note about nodes, for everybody to read; nothing: ask") \
    X(window,  "reservation", "NODES [KEY=VALUE...]", WINDOW,  "keep nodes free: start=18:00 duration=2h reason=TEXT users=ann") \
    X(windows, NULL,      "[add|change|delete] [NAME]", WINDOWS, "list them; add NODES KEY=VALUE..., change NAME KEY=VALUE..., delete NAME...") \
    X(submit,  "sbatch",  "[SCRIPT]",            FILES,   "open the form, empty or with a script") \
    X(filter,  NULL,      "[WORDS...]",          WORDS,   "show what matches; nothing: all") \
    X(mark,    NULL,      "WORDS...",            WORDS,   "mark all that match") \
    X(unmark,  NULL,      "",                    NONE,    "unmark all") \
    X(sort,    NULL,      "[COLUMN [down]]",     COLUMNS, "sort by a column; nothing: the natural order") \
    X(columns, NULL,      "[COLUMN...]",         COLUMNS, "the columns to show; nothing: the usual ones") \
    X(save,    NULL,      "NAME",                VIEWS,   "keep what this screen shows under a name: filter, order, columns") \
    X(view,    NULL,      "NAME",                VIEWS,   "show what was kept under a name") \
    X(views,   NULL,      "",                    NONE,    "what was kept: choose one") \
    X(forget,  NULL,      "NAME",                VIEWS,   "forget what was kept under a name") \
    X(theme,   NULL,      "[NAME]",              THEMES,  "dark, light, mono, colourblind, your own; nothing: as ui.cfg says") \
    X(mouse,   NULL,      "",                    NONE,    "mouse on or off") \
    X(freeze,  NULL,      "",                    NONE,    "freeze the picture, or go on") \
    X(help,    NULL,      "",                    NONE,    "the keys of this screen, and all commands") \
    X(quit,    "q",       "",                    NONE,    "quit")
/* clang-format on */

enum completion {
    COMPLETE_NONE,
    COMPLETE_JOBS,
    COMPLETE_NODES,
    COMPLETE_THINGS, /* jobs and nodes */
    COMPLETE_SIGNALS,
    COMPLETE_FILES,
    COMPLETE_WORDS, /* of a filter */
    COMPLETE_COLUMNS,
    COMPLETE_THEMES,
    COMPLETE_WINDOW,  /* a new one: nodes, then the keys of its line */
    COMPLETE_WINDOWS, /* what is done with them */
    COMPLETE_VIEWS,
    COMPLETE_COMMANDS
};

#endif
