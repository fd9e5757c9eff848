/* action.h - everything a key can do: one table, from which the binding, the footer, the help and the
 * manual come.
 *
 * X(scope, enum member, name in the configuration, keys, short label for the footer or NULL, help)
 *
 * A view has a few scopes, most special first; a key means the first action that has it. What is not
 * written yet is not in the table: no key promises what does not exist.
 */
#ifndef UI_KEYS_ACTION_H
#define UI_KEYS_ACTION_H

/* X(enum member, title in the help) */
#define SCOPES(X)               \
    X(GLOBAL, "Everywhere")     \
    X(MOVE, "Moving")           \
    X(LIST, "Lists")            \
    X(JOBS, "Jobs")             \
    X(JOB, "The page of a job") \
    X(ACTS, "Done to jobs")     \
    X(NODES, "Nodes")           \
    X(WINDOWS, "Windows")       \
    X(PLAN, "Timeline")         \
    X(PARTS, "Partitions")      \
    X(HISTORY, "History")       \
    X(USAGE, "Usage")           \
    X(TEXT, "Output")           \
    X(FORM, "The form")         \
    X(AGAIN, "Running again")   \
    X(WAIT, "While something can be undone")

enum scope {
#define X(name, title) SCOPE_##name,
    SCOPES(X)
#undef X
        SCOPE_N
};

/* clang-format off */
#define ACTIONS(X)                                                                                           \
    X(JOBS,   OPEN_JOB,   "open",        "Enter",      "open",    "open the page of the job: steps, tasks, story, request") \
    X(JOBS,   OUTPUT,     "output",      "l",          "output",  "read its output")                         \
    X(JOBS,   MINE,       "mine",        "m",          "mine",    "only my jobs, or everybody's")            \
    X(JOBS,   FLAT,       "flat",        "t",          NULL,      "arrays as one row each, or all their elements as rows; kept") \
    X(ACTS,   WHY,        "why",         "w",          "why",     "why it waits, with all causes and numbers") \
    X(ACTS,   CANCEL,     "cancel",      "c",          "cancel",  "cancel (asks first)")                     \
    X(ACTS,   SIGNAL,     "signal",      "C F9",       NULL,      "choose a signal and send it")             \
    X(ACTS,   HOLD,       "hold",        "H",          NULL,      "hold: a waiting job does not start")      \
    X(ACTS,   RELEASE,    "release",     "U",          NULL,      "release a held job")                      \
    X(ACTS,   REQUEUE,    "requeue",     "R",          NULL,      "requeue: end it and let it run again")    \
    X(ACTS,   EDIT,       "edit",        "e",          NULL,      "change what it asked for: time, memory, partition ...") \
    X(ACTS,   WATCH,      "watch",       "W",          NULL,      "watch it: bell and title when it changes; again: no more") \
    X(ACTS,   SHELL,      "shell",       "a",          NULL,      "a shell in its allocation; the screens come back when it ends") \
    X(ACTS,   DEPENDS,    "depends",     "d",          NULL,      "what it waits for, and what waits for it") \
    X(JOB,    TASK_OUTPUT, "task-output", "l Enter",   "output",  "read the output of the task under the cursor") \
    X(JOB,    PANEL,      "panel",       "Tab S-Tab",  "panel",   "between the tasks and the text beside them") \
    X(JOB,    FOLD_TASKS, "fold-tasks",  "t Right Left", NULL,    "fold the step or task under the cursor open or shut") \
    X(JOB,    FAILED,     "failed",      "E",          NULL,      "to the next task that failed")            \
    X(NODES,  OPEN_NODE,  "open-node",   "Enter",      "open",    "the node: its jobs, GPUs and story")      \
    X(NODES,  DRAIN,      "drain",       "d",          "drain",   "drain: running jobs end, no new ones start (asks for a reason)") \
    X(NODES,  RESUME,     "resume",      "R",          "resume",  "resume (shows why it was drained)")       \
    X(NODES,  NODE_NOTE,  "node-note",   "e",          "note",    "write a note about it, for everybody to read") \
    X(NODES,  NODE_SHELL, "node-shell",  "A",          NULL,      "a shell on the node; the screens come back when it ends") \
    X(WINDOWS, WINDOWS,   "windows",     "w",          "windows", "windows, maintenance and reservations: list, make for these nodes, change, delete") \
    X(PLAN,   PLAN_OPEN,  "plan-open",   "Enter",      "open",    "the page of the job under the cursor")    \
    X(PLAN,   PLAN_MODE,  "plan-mode",   "t",          "by job",  "by node, or by job")                      \
    X(PLAN,   PLAN_LEFT,  "plan-left",   "Left h",     NULL,      "earlier: the lines below tell what is there, and what a gap is kept for") \
    X(PLAN,   PLAN_RIGHT, "plan-right",  "Right l",    NULL,      "later")                                   \
    X(PLAN,   PLAN_CLOSER, "plan-closer", "+ =",       "closer",  "less time, seen closer")                  \
    X(PLAN,   PLAN_WIDER, "plan-wider",  "-",          "wider",   "more time")                               \
    X(PARTS,  OPEN_PART,  "open-partition", "Enter",   "jobs",    "the jobs that ask for it or run in it")   \
    X(HISTORY, OPEN_PAST, "open-past",   "Enter",      "open",    "open the page of the job: steps, tasks, story, request") \
    X(HISTORY, PAST_OUTPUT, "past-output", "l",        "output",  "read its output")                         \
    X(HISTORY, PAST_MINE, "past-mine",   "m",          "mine",    "only my jobs, or everybody's")            \
    X(HISTORY, PAST_FLAT, "past-flat",   "t",          NULL,      "arrays as one row each, or all their elements as rows; kept") \
    X(USAGE,  OPEN_USER,  "open-user",   "Enter",      "jobs",    "the jobs of the user or the account")     \
    X(FORM,   FORM_SEND,  "form-send",   "F10 C-s",    "submit",  "submit it")                               \
    X(FORM,   FORM_TRY,   "form-try",    "F9",         "try",     "ask when it would start, queue nothing")  \
    X(FORM,   FORM_UNDO,  "form-undo",   "C-y",        "bring back", "bring back the step that was taken out last") \
    X(FORM,   FORM_PICK,  "form-pick",   "F4",         "choose",  "choose from what there is: partitions, jobs, GPUs, indices") \
    X(FORM,   FORM_FIX,   "form-fix",    "C-t F12",    NULL,      "take what the hint offers")               \
    X(FORM,   FORM_PANEL, "form-panel",  "Tab S-Tab",  "script",  "between the fields and the script")       \
    X(FORM,   FORM_OPEN,  "form-open",   "F3",         "open",    "open a template or a script")             \
    X(FORM,   FORM_MORE,  "form-more",   "C-o F11",    "more",    "all fields, or the simple page: what is set is on it in any case") \
    X(FORM,   FORM_KIND,  "form-kind",   "F6",         "steps",   "a batch script, or a job in steps")       \
    X(FORM,   FORM_SAVE,  "form-save",   "F2",         "save",    "save it as a template")                   \
    X(FORM,   FORM_ADD,   "form-add",    "F7",         "add step", "one more step")                           \
    X(FORM,   FORM_DROP,  "form-drop",   "F8",         NULL,      "take the step under the cursor out")      \
    X(AGAIN,  RESUBMIT,   "resubmit",    "S",          NULL,      "submit it again: the form, filled with what it was") \
    X(AGAIN,  BIGGER,     "bigger",      "B",          NULL,      "run it again, bigger: twice the time after a time-out, twice the memory after out of memory") \
    X(AGAIN,  FAILED_ONLY, "failed-only", "F",         NULL,      "run only the failed elements of the array again") \
    X(TEXT,   FOLLOW,     "follow",      "f",          "follow",  "follow what is being written")            \
    X(TEXT,   FIND,       "find",        "/",          "search",  "search; Enter goes to the match")         \
    X(TEXT,   FIND_NEXT,  "find-next",   "n",          NULL,      "next match")                              \
    X(TEXT,   FIND_PREV,  "find-prev",   "N",          NULL,      "previous match")                          \
    X(TEXT,   STREAM,     "stream",      "e",          "stderr",  "standard output or standard error")       \
    X(TEXT,   PREV_TASK,  "prev-task",   "[",          NULL,      "previous task")                           \
    X(TEXT,   NEXT_TASK,  "next-task",   "]",          "next task", "next task")                               \
    X(TEXT,   ALL_TASKS,  "all-tasks",   "a",          "all",     "all tasks in one, each line behind its rank, or one task") \
    X(TEXT,   LAST_ERROR, "last-error",  "E",          "error",   "last line that looks like an error, then the ones before") \
    X(TEXT,   WRAP,       "wrap",        "w",          "wrap",    "long lines wrapped, or cut")              \
    X(TEXT,   LEFT,       "left",        "h Left",     NULL,      "sideways, where lines are cut")           \
    X(TEXT,   RIGHT,      "right",       "l Right",    NULL,      "sideways, where lines are cut")           \
    X(TEXT,   PAGE_SPACE, "page-space",  "Space",      NULL,      "a page down")                             \
    X(LIST,   FILTER,     "filter",      "/",          "filter",  "filter: words, state:wait user:ann gpus:>1; Enter keeps it, Esc drops it") \
    X(LIST,   SORT,       "sort",        "o F6",       NULL,      "choose the column to sort by")            \
    X(LIST,   COLUMNS,    "columns",     "O",          NULL,      "choose the columns; they are kept")       \
    X(LIST,   MARK,       "mark",        "Space",      NULL,      "mark or unmark; acting keys take the marked ones, else the one under the cursor") \
    X(LIST,   RANGE,      "range",       "v",          NULL,      "mark a range: here, move, v again")       \
    X(LIST,   MARK_ALL,   "mark-all",    "*",          NULL,      "mark all that are shown")                 \
    X(LIST,   UNMARK,     "unmark",      "u",          NULL,      "unmark all")                              \
    X(LIST,   FOLD,       "fold",        "Right Left", NULL,      "fold the array under the cursor open or shut") \
    X(LIST,   COPY,       "copy",        "y",          NULL,      "copy the id to the terminal's clipboard") \
    X(LIST,   COPY_ALL,   "copy-table",  "Y",          NULL,      "copy the table as it is shown")           \
    X(MOVE,   UP,         "up",          "k Up",       NULL,      "up")                                      \
    X(MOVE,   DOWN,       "down",        "j Down",     NULL,      "down")                                    \
    X(MOVE,   TOP,        "top",         "g Home",     NULL,      "to the beginning")                        \
    X(MOVE,   BOTTOM,     "bottom",      "G End",      NULL,      "to the end")                              \
    X(MOVE,   PAGE_UP,    "page-up",     "PgUp C-b",   NULL,      "a page up")                               \
    X(MOVE,   PAGE_DOWN,  "page-down",   "PgDn C-f",   NULL,      "a page down")                             \
    X(MOVE,   HALF_UP,    "half-up",     "C-u",        NULL,      "half a page up")                          \
    X(MOVE,   HALF_DOWN,  "half-down",   "C-d",        NULL,      "half a page down")                        \
    X(GLOBAL, SCREEN_JOBS, "jobs",       "1",          NULL,      "the jobs")                                \
    X(GLOBAL, SCREEN_NODES, "nodes",     "2",          NULL,      "the nodes")                               \
    X(GLOBAL, SCREEN_GPUS, "gpus",       "3",          NULL,      "the GPUs")                                \
    X(GLOBAL, SCREEN_PLAN, "timeline",   "4",          NULL,      "the plan on a line of time")              \
    X(GLOBAL, SCREEN_PARTS, "partitions", "5",         NULL,      "the partitions")                          \
    X(GLOBAL, SCREEN_HISTORY, "history", "6",          NULL,      "what has ended, and how")                 \
    X(GLOBAL, SCREEN_USAGE, "usage",     "7",          NULL,      "who holds and has used what")             \
    X(GLOBAL, SUBMIT,     "submit",      "s",          "submit",  "write a job: the form")                   \
    X(GLOBAL, COMMAND,    "command",     ":",          NULL,      "type a command: Slurm's words, completed by Tab") \
    X(GLOBAL, MENU,       "menu",        "x",          NULL,      "all that can be done here")               \
    X(GLOBAL, HELP,       "help",        "? F1",       "help",    "this help")                               \
    X(GLOBAL, BACK,       "back",        "q",          "back",    "back; quits at the top")                  \
    X(GLOBAL, CLOSE,      "close",       "Esc",        NULL,      "close the topmost thing, drop the filter; never quits") \
    X(GLOBAL, RESYNC,     "resync",      "r F5",       NULL,      "ask the controller for everything again") \
    X(GLOBAL, REDRAW,     "redraw",      "C-l",        NULL,      "draw the screen again")                   \
    X(GLOBAL, FREEZE,     "freeze",      "Z",          NULL,      "freeze the picture, or go on")            \
    X(GLOBAL, MOUSE,      "mouse",       "M",          NULL,      "mouse on or off; off, the terminal selects text") \
    X(GLOBAL, SUSPEND,    "suspend",     "C-z",        NULL,      "to the shell; fg comes back")             \
    X(GLOBAL, QUIT,       "quit",        "C-c",        NULL,      "leave what is asked or typed; undo what can be undone; else quit") \
    X(WAIT,   UNDO,       "undo",        "u",          NULL,      "undo what goes out in a few seconds")
/* clang-format on */

enum action {
    ACTION_NONE,
#define X(scope, name, text, keys, label, help) ACTION_##name,
    ACTIONS(X)
#undef X
        ACTION_N
};

#endif
