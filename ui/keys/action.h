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
    X(PANE, "The pane")         \
    X(JOBS, "Jobs")             \
    X(JOB, "The page of a job") \
    X(ARRAY, "The page of an array") \
    X(ACTS, "Actions on jobs")  \
    X(DEPENDS, "Dependencies")  \
    X(NODES, "Nodes")           \
    X(NODE, "The page of a node") \
    X(WINDOWS, "Windows")       \
    X(WINDOW_FORM, "The form of a window") \
    X(GPUS, "GPUs")             \
    X(PLAN, "Timeline")         \
    X(PARTS, "Partitions")      \
    X(HISTORY, "History")       \
    X(USAGE, "Usage")           \
    X(TEXT, "Output")           \
    X(FORM, "The form")         \
    X(WHY, "Why a job waits")   \
    X(HELP, "The help")         \
    X(SETTINGS, "The settings") \
    X(LOG, "Command lines")     \
    X(AGAIN, "Resubmit")        \
    X(WAIT, "While something can be undone")

enum scope {
#define X(name, title) SCOPE_##name,
    SCOPES(X)
#undef X
        SCOPE_N
};

/* clang-format off */
#define ACTIONS(X)                                                                                           \
    X(JOBS,   OPEN_JOB,   "open",        "Enter",      "open",    "open the job: steps, tasks, events, request") \
    X(JOBS,   OUTPUT,     "output",      "l",          "output",  "read the output")                         \
    X(JOBS,   MINE,       "mine",        "m",          "mine",    "my jobs, or all jobs")            \
    X(JOBS,   FLAT,       "flat",        "t",          NULL,      "arrays as one row, or one row per element; remembered") \
    X(JOBS,   TRY_SAMPLES, "samples",    "i",          "samples", "submit the sample jobs, where no job is queued") \
    X(JOBS,   TRY_DEMO,   "demo",        "D",          "demo",    "open the demo, a made-up cluster, where no job is queued") \
    X(ACTS,   WHY,        "why",         "w",          "why",     "why the job waits: all causes, with numbers") \
    X(ACTS,   CANCEL,     "cancel",      "c",          "cancel",  "cancel (asks first)")                     \
    X(ACTS,   SIGNAL,     "signal",      "C F9",       NULL,      "send a signal")             \
    X(ACTS,   HOLD,       "hold",        "H",          NULL,      "hold a waiting job")      \
    X(ACTS,   RELEASE,    "release",     "U",          "release", "release a held job")                      \
    X(ACTS,   REQUEUE,    "requeue",     "R",          NULL,      "requeue: end the job and queue it again")    \
    X(ACTS,   EDIT,       "edit",        "e",          NULL,      "change the request: time, memory, partition ...") \
    X(ACTS,   WATCH,      "watch",       "W",          NULL,      "watch the job: bell and title on changes; again: stop") \
    X(ACTS,   SHELL,      "shell",       "a",          NULL,      "open a shell in the job's allocation") \
    X(ACTS,   DEPENDS,    "depends",     "d",          NULL,      "dependencies of the job, and jobs that depend on it") \
    X(DEPENDS, OPEN_DEP,  "open-dependency", "Enter",  "open",    "open the job: steps, tasks, events, request") \
    X(DEPENDS, DEP_OUTPUT, "dependency-output", "l",   "output",  "read the output") \
    X(JOB,    TASK_OUTPUT, "task-output", "l Enter",   "output",  "read the output of the task") \
    X(JOB,    PANEL,      "panel",       "Tab S-Tab",  "panel",   "switch between tasks and text") \
    X(JOB,    FOLD_TASKS, "fold-tasks",  "t Right Left", NULL,    "expand or collapse the step or task") \
    X(JOB,    MEASURE,    "measure",     "m",          "measure", "over a Slurm: measure CPUs, memory and GPUs once, by a step in the job") \
    X(JOB,    FAILED,     "failed",      "E",          NULL,      "next failed task")            \
    X(ARRAY,  ELEMENT,    "element",     "Enter",      "element", "open the job of the element; of a cell with several elements: show these") \
    X(ARRAY,  ELEMENT_OUTPUT, "element-output", "l",   "output",  "read the output of the element")           \
    X(ARRAY,  ELEMENT_OUTPUTS, "element-outputs", "a", "all",       "the outputs of all elements in one, each line with its index") \
    X(ARRAY,  ELEMENT_FAILED, "element-failed", "E",   "next failure", "next failed element")                 \
    X(ARRAY,  ELEMENT_SLOW, "element-slow", "L",       NULL,      "the element that runs or ran longest; again: the next one") \
    X(ARRAY,  ELEMENTS_PAST, "elements-past", "h",     "earlier", "read the history for elements that have left the queue") \
    X(ARRAY,  THROTTLE_MORE, "throttle-more", "+ =",   "at a time", "one more element at a time")            \
    X(ARRAY,  THROTTLE_LESS, "throttle-less", "-",     NULL,      "one element less at a time")              \
    X(ARRAY,  ELEMENT_LEFT, "element-left", "Left",    NULL,      "previous element")                        \
    X(ARRAY,  ELEMENT_RIGHT, "element-right", "Right", NULL,      "next element")                            \
    X(ARRAY,  ARRAY_PANEL, "array-panel", "Tab S-Tab", NULL,      "switch between elements and text")        \
    X(WHY,    WHY_APPLY,  "why-apply",   "Enter",      "apply",   "make the change that would help (asks first)") \
    X(WHY,    WHY_TRY,    "why-try",     "F9",         "try",     "over a Slurm: have sbatch --test-only check the suggestion, once") \
    X(WHY,    WHY_JOB,    "why-job",     "o",          "job",     "open the page of the job")               \
    X(NODES,  OPEN_NODE,  "open-node",   "Enter",      "open",    "open the node: use, GPUs, jobs, events")      \
    X(NODES,  DRAIN,      "drain",       "d",          "drain",   "drain: running jobs finish, no new ones start (asks for a reason)") \
    X(NODES,  RESUME,     "resume",      "R",          "resume",  "resume a drained node (shows the reason)")       \
    X(NODES,  NODE_NOTE,  "node-note",   "e",          "note",    "write a note about the node, shown to all users") \
    X(NODES,  NODE_SHELL, "node-shell",  "A",          NULL,      "open a shell on the node") \
    X(NODE,   NODE_JOB,   "node-job",    "Enter",      "open",    "open the job under the cursor") \
    X(NODE,   NODE_OUTPUT, "node-output", "l",         "output",  "read the output of the job") \
    X(NODE,   NODE_PANEL, "node-panel",  "Tab S-Tab",  "events",  "switch between jobs and text: events, windows, machine") \
    X(WINDOWS, WINDOWS,   "windows",     "w",          "windows", "maintenance windows and reservations: list, create, change, delete") \
    X(WINDOW_FORM, WINDOW_SEND, "window-send", "F10 C-s", "create", "create or change the window (a new one: asks first)") \
    X(GPUS,   GPU_TABLE,  "gpu-table",   "t",          "as table", "as a table with a letter for each GPU, or as a map") \
    X(PLAN,   PLAN_OPEN,  "plan-open",   "Enter",      "open",    "open the job")    \
    X(PLAN,   PLAN_MODE,  "plan-mode",   "t",          "by job",  "by node, by GPU, or by job")              \
    X(PLAN,   PLAN_LEFT,  "plan-left",   "Left h",     NULL,      "earlier; the lines below tell what runs there, and what a gap is planned for") \
    X(PLAN,   PLAN_RIGHT, "plan-right",  "Right l",    NULL,      "later")                                   \
    X(PLAN,   PLAN_CLOSER, "plan-closer", "+ =",       "closer",  "zoom in")                  \
    X(PLAN,   PLAN_WIDER, "plan-wider",  "-",          "wider",   "zoom out")                               \
    X(PARTS,  OPEN_PART,  "open-partition", "Enter",   "jobs",    "jobs of the partition")   \
    X(HISTORY, OPEN_PAST, "open-past",   "Enter",      "open",    "open the job: steps, tasks, events, request") \
    X(HISTORY, PAST_OUTPUT, "past-output", "l",        "output",  "read the output")                         \
    X(HISTORY, PAST_MINE, "past-mine",   "m",          "mine",    "my jobs, or all jobs")            \
    X(HISTORY, PAST_FLAT, "past-flat",   "t",          NULL,      "arrays as one row, or one row per element; remembered") \
    X(USAGE,  OPEN_USER,  "open-user",   "Enter",      "jobs",    "jobs of the user or account")     \
    X(LOG,    LOG_COPY,   "log-copy",    "y Enter",    "copy",    "copy the command line") \
    X(HELP,   HELP_FIND,  "help-find",   "/",          "search",  "show only the lines with a text; Esc shows all lines") \
    X(SETTINGS, SET_CHANGE, "set-change", "Enter Right", "change", "change the option, take the theme; ui.cfg is written") \
    X(SETTINGS, SET_DEFAULT, "set-default", "d ", "default", "what it is by default: the option goes out of ui.cfg") \
    X(FORM,   FORM_SEND,  "form-send",   "F10 C-s",    "submit",  "submit the job")                               \
    X(FORM,   FORM_TRY,   "form-try",    "F9",         "try",     "ask when the job would start, without submitting it")  \
    X(FORM,   FORM_UNDO,  "form-undo",   "C-y",        "restore", "restore the step that was removed last") \
    X(FORM,   FORM_PICK,  "form-pick",   "F4",         "choose",  "choose a value: partitions, jobs, GPUs, indices") \
    X(FORM,   FORM_FIX,   "form-fix",    "C-t F12",    NULL,      "apply the suggestion of the hint")               \
    X(FORM,   FORM_PANEL, "form-panel",  "Tab S-Tab",  "script",  "switch between fields and script")       \
    X(FORM,   FORM_OPEN,  "form-open",   "F3",         "open",    "open a template or a script")             \
    X(FORM,   FORM_MORE,  "form-more",   "C-o F11",    "more",    "all fields, or only the usual ones and those that are set") \
    X(FORM,   FORM_KIND,  "form-kind",   "F6",         "steps",   "switch between a batch script and a job in steps")       \
    X(FORM,   FORM_SAVE,  "form-save",   "F2",         "save",    "save as a template")                   \
    X(FORM,   FORM_ADD,   "form-add",    "F7",         "add step", "add a step")                           \
    X(FORM,   FORM_DROP,  "form-drop",   "F8",         NULL,      "remove the step under the cursor")      \
    X(AGAIN,  RESUBMIT,   "resubmit",    "S",          NULL,      "submit again: opens the form, filled in") \
    X(AGAIN,  BIGGER,     "bigger",      "B",          NULL,      "submit again, bigger: twice the time after a timeout, twice the memory after out of memory") \
    X(AGAIN,  FAILED_ONLY, "failed-only", "F",         NULL,      "submit only the failed elements of the array again") \
    X(TEXT,   FOLLOW,     "follow",      "f",          "follow",  "follow the output")            \
    X(TEXT,   FIND,       "find",        "/",          "search",  "search; Enter goes to the match; the command :120 goes to line 120") \
    X(TEXT,   FIND_NEXT,  "find-next",   "n",          NULL,      "next match; goes on at the beginning")        \
    X(TEXT,   FIND_PREV,  "find-prev",   "N",          NULL,      "previous match; goes on at the end")          \
    X(TEXT,   ONLY,       "only",        "&",          "only",    "show only lines with a text, !text: without it; empty: all lines") \
    X(TEXT,   SAVE,       "save",        "S",          NULL,      "save the output to a file, as it is shown: filtered, all tasks") \
    X(TEXT,   OUTPUT_COPY, "output-copy", "y",         NULL,      "menu of what can be copied: path, last line, matching line, all that is seen") \
    X(TEXT,   PAGER,      "pager",       "o",          NULL,      "open the file in $PAGER") \
    X(TEXT,   EDITOR,     "editor",      "v",          NULL,      "open the file in $EDITOR") \
    X(TEXT,   STREAM,     "stream",      "e",          "stderr",  "standard output or standard error")       \
    X(TEXT,   PREV_TASK,  "prev-task",   "[",          NULL,      "previous task")                           \
    X(TEXT,   NEXT_TASK,  "next-task",   "]",          "next task", "next task")                               \
    X(TEXT,   ALL_TASKS,  "all-tasks",   "a",          "all",     "all tasks in one, each line with its rank, or one task") \
    X(TEXT,   LAST_ERROR, "last-error",  "E",          "error",   "last line that looks like an error; again: the one before") \
    X(TEXT,   WRAP,       "wrap",        "w",          "wrap",    "wrap or cut long lines")              \
    X(TEXT,   LEFT,       "left",        "h Left",     NULL,      "scroll sideways")           \
    X(TEXT,   RIGHT,      "right",       "l Right",    NULL,      "scroll sideways")           \
    X(TEXT,   PAGE_SPACE, "page-space",  "Space",      NULL,      "a page down")                             \
    X(LIST,   FILTER,     "filter",      "/",          "filter",  "filter: words, state:wait user:ann gpus:>1; Enter keeps it, Esc clears it") \
    X(LIST,   SORT,       "sort",        "o F6",       NULL,      "choose the column to sort by")            \
    X(LIST,   SORT_NEXT,  "sort-next",   ">",          NULL,      "sort by the next column to the right") \
    X(LIST,   SORT_PREV,  "sort-previous", "<",        NULL,      "sort by the next column to the left") \
    X(LIST,   SORT_TURN,  "sort-reverse", "I",         NULL,      "reverse the order") \
    X(LIST,   COLUMNS,    "columns",     "O",          NULL,      "choose the columns; remembered")       \
    X(LIST,   MARK,       "mark",        "Space",      NULL,      "mark or unmark; actions apply to the marked rows, else to the row under the cursor") \
    X(LIST,   RANGE,      "range",       "v",          NULL,      "mark a range: v, move, v again")       \
    X(LIST,   MARK_ALL,   "mark-all",    "*",          NULL,      "mark all rows shown")                 \
    X(LIST,   UNMARK,     "unmark",      "u",          NULL,      "unmark all")                              \
    X(LIST,   FOLD,       "fold",        "Right Left", NULL,      "expand or collapse the array") \
    X(LIST,   COPY,       "copy",        "y",          NULL,      "menu of what can be copied: id, name, files, nodes, reason, command line, script ...") \
    X(LIST,   COPY_ALL,   "copy-table",  "Y",          NULL,      "copy the table as shown")           \
    X(LIST,   EXPORT,     "export",      "C-s",        NULL,      "write the list to a file: text, CSV or JSON") \
    X(PANE,   TAB_NEXT,   "tab-next",    "]",          NULL,      "next tab of the pane")                    \
    X(PANE,   TAB_PREV,   "tab-previous", "[",         NULL,      "previous tab of the pane")                \
    X(PANE,   PANE_HIDE,  "pane-hide",   "p",          NULL,      "hide or show the pane; remembered, as all of this") \
    X(PANE,   PANE_PLACE, "pane-place",  "P",          NULL,      "pane beside the list, or below it")       \
    X(PANE,   PANE_ZOOM,  "pane-zoom",   "f",          NULL,      "pane on the whole screen, and back")      \
    X(PANE,   PANE_LARGER, "pane-larger", "+ =",       NULL,      "larger pane; its edge can be dragged as well") \
    X(PANE,   PANE_SMALLER, "pane-smaller", "- _",     NULL,      "smaller pane")                            \
    X(PANE,   PANE_DOWN,  "pane-down",   "J",          NULL,      "scroll the pane down")                    \
    X(PANE,   PANE_UP,    "pane-up",     "K",          NULL,      "scroll the pane up")                      \
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
    X(GLOBAL, SCREEN_PLAN, "timeline",   "4",          NULL,      "the plan as a timeline")              \
    X(GLOBAL, SCREEN_PARTS, "partitions", "5",         NULL,      "the partitions")                          \
    X(GLOBAL, SCREEN_HISTORY, "history", "6",          NULL,      "ended jobs")                 \
    X(GLOBAL, SCREEN_USAGE, "usage",     "7",          NULL,      "usage by account and user")             \
    X(GLOBAL, SUBMIT,     "submit",      "s",          "submit",  "submit a job: opens the form")                   \
    X(GLOBAL, COMMAND,    "command",     ":",          NULL,      "command line: Slurm's commands, completed with Tab") \
    X(GLOBAL, LOG,        "log",         "@",          NULL,      "what was changed from here, as command lines to copy")  \
    X(GLOBAL, MENU,       "menu",        "x",          NULL,      "menu of all actions here")               \
    X(GLOBAL, HELP,       "help",        "? F1",       "help",    "this help")                               \
    X(GLOBAL, SETTINGS,   "settings",    "F2",         NULL,      "the settings: options, where they come from, themes") \
    X(GLOBAL, BACK,       "back",        "q",          "back",    "back the way you came; at its start: quit")                  \
    X(GLOBAL, CLOSE,      "close",       "Esc",        NULL,      "close the topmost box or page, clear the filter, go back; never quits") \
    X(GLOBAL, RESYNC,     "resync",      "r F5",       NULL,      "reload all data from the controller") \
    X(GLOBAL, START,      "start",       "b",          NULL,      "start a cluster on this machine, where no controller runs") \
    X(GLOBAL, SAMPLES,    "cancel-samples", "X",       NULL,      "cancel the sample jobs that make run has submitted") \
    X(GLOBAL, REDRAW,     "redraw",      "C-l",        NULL,      "redraw the screen")                   \
    X(GLOBAL, FREEZE,     "freeze",      "Z",          NULL,      "freeze or unfreeze the screen")            \
    X(GLOBAL, MOUSE,      "mouse",       "M",          NULL,      "mouse on or off; off: the terminal selects text") \
    X(GLOBAL, SUSPEND,    "suspend",     "C-z",        NULL,      "suspend; fg returns")             \
    X(GLOBAL, QUIT,       "quit",        "C-c",        NULL,      "close a question or an input line; undo; else quit") \
    X(WAIT,   UNDO,       "undo",        "z",          NULL,      "undo the delayed cancellation, or the last hold, release, drain, resume, note or edit")
/* clang-format on */

enum action {
    ACTION_NONE,
#define X(scope, name, text, keys, label, help) ACTION_##name,
    ACTIONS(X)
#undef X
        ACTION_N
};

#endif
