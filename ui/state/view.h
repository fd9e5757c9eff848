/* view.h - what a screen is, and what the frame around it offers.
 *
 * A view takes rows from the model, gives them to widgets and draws these on a canvas. It never waits,
 * never draws outside draw and changes no state but its own: what it wants done it asks of the frame
 * (ui_*), and it answers inputs with DID_* bits.
 *
 *      terminal --> input --> dialog on top? --> view.input --> key table --> view.act
 *                                                                              --> the frame's own actions
 *      controller --> message --> mirror --> view.sync --> (once a turn) draw
 *
 * To add a screen: one file with its struct view_ops, its line in ui/app/screens.c, its keys in
 * ui/keys/action.h. docs/UI.md tells it step by step.
 */
#ifndef UI_STATE_VIEW_H
#define UI_STATE_VIEW_H

#include "src/client/client.h"
#include "src/model/model.h"
#include "src/model/nodestate.h"
#include "ui/keys/input.h"
#include "ui/keys/keymap.h"
#include "ui/layout/layout.h"
#include "ui/table/table.h"
#include "ui/widget/dialog.h"
#include "ui/widget/did.h"
#include "ui/widget/pane.h"
#include "ui/widget/recent.h"
#include "ui/widget/rich.h"

struct ui; /* the frame */
struct view;

/* What a command of the user may be about; NULL: there is none of that. */
struct row_subject {
    const struct job *job;
    const struct node *node;
};

struct view_ops {
    const char *name;         /* for tests and the configuration */
    const enum scope *scopes; /* of the key table, most special first; the frame adds GLOBAL */
    size_t n_scopes;
    bool wants_side;   /* has a detail pane where there is room */
    bool types;        /* takes letters as text: only function keys and the like are keys */
    bool watches_util; /* shows live utilisation: measured only while it is on the screen */
    /* The job whose use it shows (ui/frame/job_load.h): then only its nodes are measured. 0: none now.
     * NULL: it shows that of no single job. */
    uint32_t (*watches_job)(struct view *v);

    /* arg: what the opener hands over, see the view's header. NULL where there is nothing to show. A screen
     * of a number key sees the model first in sync, which follows at once. */
    struct view *(*open)(struct ui *ui, const void *arg);
    void (*close)(struct view *v);
    /* The model has changed: pointers into it are void. Must come back from any state of the model, an
     * empty one too. */
    void (*sync)(struct view *v);
    /* What is shown: "Jobs 12 of 340". */
    void (*title)(struct view *v, struct rich *out);
    void (*draw)(struct view *v, struct canvas *c, const struct screen_layout *l);
    /* Inputs before the key table: lines that are being typed, pastes, the mouse. NULL: none. */
    unsigned (*input)(struct view *v, const struct input *in);
    unsigned (*act)(struct view *v, enum action a, const struct input *in);

    /* A line is being typed, beside the filter of its table. NULL: never. */
    bool (*typing)(struct view *v);

    /* Work in slices while nothing is typed; returns true where there is more. NULL: none. */
    bool (*work)(struct view *v);
    /* A descriptor that becomes readable when the view should look again, or -1; wake is called then. NULL:
     * none. */
    int (*fd)(struct view *v);
    unsigned (*wake)(struct view *v);

    /* due has come. NULL: none. */
    void (*timer)(struct view *v);

    /* A word for the footer in place of the action table's, where what the key does next depends; NULL: the
     * table's, "": none. NULL: it is always the table's. */
    const char *(*label)(struct view *v, enum action a);

    /* To a line of its text by its number, from 1. NULL: its text has no numbers. */
    void (*go_line)(struct view *v, int64_t line);

    /* The job and the node of the row under the cursor. NULL: its rows are neither. */
    void (*subject)(struct view *v, struct row_subject *ret);

    /* The table whose filter, sort and columns are kept for the next time, and that the command line means.
     * NULL: none. */
    struct table *(*table)(struct view *v);
    /* The pane beside its list, which the view fills where struct screen_layout has a side; the user places
     * it, scrolls it and makes it larger. NULL: it has none. */
    struct pane *(*pane)(struct view *v);
    /* Cells that its body needs before a pane stands beside it; with .table: where it needs more than the
     * columns. NULL: none. */
    int (*body_cols)(struct view *v);
    /* Lines that the pane takes of a body of h x w, if it stands below by itself, its rule among them; 0:
     * it does not. NULL: never. */
    int (*pane_lines)(struct view *v, int h, int w);
    const char *const *tabs; /* of the pane: see ui_pane_tab; the first one is shown at first */
    size_t n_tabs;
    /* It is not on the screen any more and stops what it fetches. NULL: nothing. */
    void (*rest)(struct view *v);
    /* The switch between all and mine, kept as well. NULL: none. */
    bool *(*mine)(struct view *v);

    /* As it is now it shows the user's own jobs alone, and no nodes: the mirror need have no others. NULL:
     * never. */
    bool (*shows_own)(struct view *v);

    /* The cursor goes to that job at the first sync that knows it. NULL: it has no jobs. */
    void (*point_at)(struct view *v, uint32_t job);
    /* May the program end with this view on top? false: it has something to lose and asks. NULL: yes. */
    bool (*may_quit)(struct view *v);
};

struct view {
    const struct view_ops *ops;
    struct ui *ui;
    bool ticks;      /* set by draw: something drawn changes with the time alone */
    struct mono due; /* when timer is to be called, while it is on top; 0: not at all */
};

/* --- what the frame knows --- */

const struct model *ui_model(const struct ui *ui); /* never NULL; empty before the first snapshot */
bool ui_has_data(const struct ui *ui);             /* a snapshot has come */
bool ui_has_all(const struct ui *ui); /* the model has all jobs and nodes; else the user's own jobs alone */
/* Has the mirror get everything, and keep it for a minute at least: for what is not on a screen. */
void ui_want_all(struct ui *ui);
size_t ui_n_jobs(const struct ui *ui);   /* in the state, of all users, whatever the model has of them */
struct wall ui_now(const struct ui *ui); /* the controller's clock */
struct mono ui_mono(const struct ui *ui);
bool ui_online(const struct ui *ui);  /* there is a connection to the controller */
uint32_t ui_uid(const struct ui *ui); /* of the user of these screens */
bool ui_is_admin(const struct ui *ui);
/* The engine behind the screens, for people: "Slurm"; NULL: Stoker's own. */
const char *ui_engine(const struct ui *ui);
/* Whether that engine does not have it. */
bool ui_lacks(const struct ui *ui, enum lack what);
/* Where the user's own settings, themes and templates lie; NULL: nowhere. */
const char *ui_config_dir(const struct ui *ui);
/* Where the screens were started; NULL: not known. */
const char *ui_cwd(const struct ui *ui);
/* client_far_env of the first connection, for as long as the program runs; NULL: the cluster is this
 * machine's. */
const struct strv *ui_far_env(const struct ui *ui);
bool ui_ascii(const struct ui *ui);
const struct keymap *ui_keymap(const struct ui *ui);
bool ui_threads(const struct ui *ui); /* what may wait goes into a thread; tests: is done at once */
/* The last measurement of a node, or NULL where it is older than a few seconds. */
const struct msg_util *ui_util(const struct ui *ui, const char *node);
/* Has another engine measure the job once, by a step in it. */
void ui_measure(struct ui *ui, uint32_t job);
/* What was measured of it in the last hour, or NULL: nothing. */
struct util_past {
    struct recent cpu, mem; /* percent; of time in which no view showed them nothing is known */
    struct recent *gpus;    /* by index: how busy */
    size_t n_gpus;
    struct recent gpu_mean; /* of all of them */
};
const struct util_past *ui_util_past(const struct ui *ui, const char *node);
/* The GPUs of all nodes, as measured just now: of how many, how busy on average, and how many of those that
 * jobs have allocated do nothing. */
struct util_gpus {
    uint32_t measured, idle;
    unsigned busy_pct;
};
void ui_util_gpus(const struct ui *ui, struct util_gpus *ret);
const struct recent *ui_util_gpus_past(const struct ui *ui); /* their mean */
/* The span of curves beside which it is named: it grows with the time since the first measurement. */
enum recent_span ui_util_span(const struct ui *ui);
/* A GPU that is allocated and has been idle for this many seconds is shown as idle. */
int64_t ui_gpu_idle_flag_s(const struct ui *ui);

#define WINDOW_SOON_S 86400 /* a window is shown from this long before it begins */
/* The window that keeps jobs off the node now, or will within WINDOW_SOON_S; NULL. */
const struct window *ui_window_of_node(const struct ui *ui, const struct node *n);
bool ui_window_has_begun(const struct ui *ui, const struct window *w);
/* It is out by itself (node_is_out), or a window keeps it. */
bool ui_node_is_out(const struct ui *ui, const struct node *n);

/* The job, be it in the queue or among those that have left it; NULL. */
const struct job *ui_job(const struct ui *ui, uint32_t id);
bool ui_is_foreign(const struct ui *ui, uint32_t job); /* known, and of another user */
/* What is wanted of those that have left the queue: texts that must be in them, any case (NULL: any),
 * states by bit (0: any). */
struct past_want {
    const char *user, *name, *partition, *account;
    uint32_t states;
};
/* Asks for the first page of them, newest end first, unless they are being asked for already; the model
 * counts as changed when they come. */
void ui_want_past(struct ui *ui, const struct past_want *w);
/* The next page, unless one is coming or there is none. */
void ui_want_more_past(struct ui *ui);
enum past_state {
    PAST_COMING,
    PAST_MORE,  /* the controller has more */
    PAST_FULL,  /* ... and no more is kept here */
    PAST_WHOLE, /* this is all */
};
enum past_state ui_past_state(const struct ui *ui);
/* Fetches all that has left the queue of an array, whatever is wanted else; done is called once, when
 * ui_past has them: ok is false where they cannot be had. Of several such wishes the last one counts. */
typedef void ui_fetched_fn(struct ui *ui, uint64_t arg, bool ok);
void ui_fetch_array(struct ui *ui, uint32_t array_job, ui_fetched_fn *done, uint64_t arg);
/* So far back is known what is wanted; unset: nothing yet. */
struct wall ui_past_until(const struct ui *ui);
/* Those that are known, in no order. Jobs that are in the model too are not left out. */
size_t ui_past(const struct ui *ui, struct job *const **ret);

/* Why a job waits, in the sentence that `w` begins with, and asks for it once the picture is drawn; NULL:
 * it is not known yet, or the job does not wait. */
const struct cause *ui_wait(struct ui *ui, const struct job *j);
/* The same of what is known by now; asks nothing. */
const struct cause *ui_wait_known(const struct ui *ui, const struct job *j);

/* --- what the frame does --- */

/* Something that is shown has changed outside of a handler: draw. */
void ui_changed(struct ui *ui);
/* While a view is brought up to the model (sync): may that job, that array as a whole, say something else
 * than the last time, but for what changes with the time alone? */
bool ui_job_changed(const struct ui *ui, uint32_t job);
bool ui_array_changed(const struct ui *ui, uint32_t array);
/* Puts a view on top; no-op where its open gives NULL. */
void ui_push(struct ui *ui, const struct view_ops *ops, const void *arg);
/* Shows the screen of that name with a filter, as if both had been typed. */
void ui_go(struct ui *ui, const char *screen, const char *filter);
/* Takes a view away if it is on top: for what was asked in it and is done. */
void ui_close(struct ui *ui, struct view *v);
/* The tab of its pane that the user has chosen. */
size_t ui_pane_tab(const struct ui *ui, const struct view *v);
/* In the list of jobs the cursor goes to that job, or to its array, as soon as it is there. */
void ui_point_at(struct ui *ui, uint32_t job);
/* Ends the program. */
void ui_quit(struct ui *ui);
void ui_toast(struct ui *ui, enum role role, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define UI_COPY_MAX (74 * 1024) /* bytes that terminals take at least; of more they get the beginning */
void ui_copy(struct ui *ui, const char *text, const char *what);

/* Sends a request. reply is called with the answer (NULL: the connection was lost), unless owner has been
 * closed meanwhile; owner NULL: always. Returns false, with a toast, where there is no connection. arg is
 * handed through. */
typedef void ui_reply_fn(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in);
bool ui_send(struct ui *ui, enum msg_kind kind, const void *body, struct view *owner, ui_reply_fn *reply,
             uint64_t arg);
/* The same where the answer needs more than a number: told gets arg, which is freed afterwards, and also
 * where no answer comes any more. */
typedef void ui_told_fn(struct ui *ui, const struct incoming *in, void *arg);
bool ui_ask(struct ui *ui, enum msg_kind kind, const void *body, ui_told_fn *told, void *take_arg,
            void (*free_arg)(void *));
/* Why nothing may be changed now (--read-only, a controller that cannot write), or NULL. ui_read_only says
 * it in a toast where say is set. */
const char *ui_why_read_only(const struct ui *ui);
const char *ui_read_only(struct ui *ui, bool say);

/* Does fn with arg beside the screens' thread: for all that opens, reads or asks about files, which may
 * hang as long as a file system likes. fn may use nothing but arg. Then done is called, unless owner has
 * been closed meanwhile (owner NULL: always), and arg is freed. Both may happen before this returns. */
typedef void ui_aside_fn(void *arg);
typedef void ui_aside_done_fn(struct ui *ui, struct view *owner, void *arg);
void ui_aside(struct ui *ui, struct view *owner, ui_aside_fn *fn, ui_aside_done_fn *done, void *take_arg,
              void (*free_arg)(void *));

/* Gives the terminal to a program until it ends, below a line that says where one is. Takes its words. */
void ui_run(struct ui *ui, const char *where, struct strv *take_argv);

/* Does something after so long, unless the user undoes it meanwhile: the footer tells what. What is waiting
 * already goes first. */
typedef void ui_later_fn(struct ui *ui, void *arg);
void ui_later(struct ui *ui, const char *what, int ms, ui_later_fn *fn, void *arg,
              void (*free_arg)(void *));
/* The same in the place of what waits with the same fn, which is not done: the last of many keys counts. */
void ui_later_instead(struct ui *ui, const char *what, int ms, ui_later_fn *fn, void *arg,
                      void (*free_arg)(void *));
/* The arg of what waits with that fn; NULL: nothing does. */
const void *ui_later_arg(const struct ui *ui, ui_later_fn *fn);

/* Bell and title when the job, array or element changes; ends by itself with its end. */
void ui_watch(struct ui *ui, const struct job_target *what, bool on);
bool ui_is_watched(const struct ui *ui, const struct job_target *what);

/* Puts a dialog, which the frame takes, over the screen. done is called once with the outcome, before the
 * dialog is freed; arg is freed with free_arg (NULL: not at all) afterwards. Returns its number, by which
 * ui_find_dialog finds it while it is open. */
typedef void ui_done_fn(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg);
uint64_t ui_take_dialog(struct ui *ui, struct dialog *d, ui_done_fn *done, void *arg,
                        void (*free_arg)(void *));
struct dialog *ui_find_dialog(struct ui *ui, uint64_t number);
void *ui_dialog_arg(struct ui *ui, uint64_t number); /* what was given with it; it must be open */
/* For what is typed and may be refused. From within done: the dialog stays open, however it was answered.
 * Returns its number. */
uint64_t ui_keep_dialog(struct ui *ui);
/* The answer was sent off and may be refused: until the reply comes, the dialog takes Esc alone, and keys
 * typed ahead are for whatever follows an acceptance. */
void ui_dialog_waits(struct ui *ui, uint64_t number);
/* The answer was no: it is told in the dialog, which can be mended. False where it is not open any more. */
bool ui_refuse_dialog(struct ui *ui, uint64_t number, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The answer was yes: it goes. No-op where it has gone. */
void ui_drop_dialog(struct ui *ui, uint64_t number);

#endif
