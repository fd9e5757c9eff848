/* ui_state.h - the program around the views: its state, for ui/frame, ui/command and ui/app. Views know
 * view.h alone.
 *
 * Each module owns its part behind a pointer; NULL until something is put there, unless its _new is called
 * in app_new.
 */
#ifndef UI_STATE_UI_STATE_H
#define UI_STATE_UI_STATE_H

#include "ui/state/prefs.h"
#include "ui/state/user_commands.h"
#include "ui/state/view.h"

struct settings;

/* A screen of a number key. */
struct screen {
    const struct view_ops *ops;
    const char *title, *brief; /* brief: where there is little room */
    enum action action;        /* shows it */
    const char *answers;       /* the questions that it is there for */
};

#define SCREENS_MAX 8

/* By whom a controller that is away is started. */
enum start_by { START_BY_ITSELF, START_BY_USER, START_BY_ADMIN };

struct ui_options {
    bool read_only, ascii;
    bool threads; /* files are read in a thread; without: at once, for tests */
    enum start_by start_by;
    uint32_t gpu_idle_flag_s; /* ui_gpu_idle_flag_s; 0: the default */
    struct keymap keys;
    const struct user_commands *commands; /* or NULL */
    const struct settings *settings;      /* ui/app/settings.h; NULL: of tests */
    const char *preview_theme;            /* in use while it is looked at; NULL: none */
    const char *notify_command;           /* run when a watched job changes; or NULL */
    struct prefs *prefs;                  /* what is remembered; the caller's, never NULL */
    const char *config_dir, *cwd;         /* or NULL */
    const char *host;                     /* the machine that ssh reaches; NULL: this one */
    const struct strv *far_env;           /* client_far_env, or NULL */
    const char *samples;                  /* ids of sample jobs, "3,4"; or NULL */
    struct strv themes;                   /* names that :theme offers; the caller's */
    /* Sends a message; 0 or a negative error. */
    int (*send)(void *ctx, enum msg_kind kind, const void *body, uint64_t *ret_tag);
    void *ctx;
};

/* What ui/app puts into the frame. */
struct ui_program {
    const struct screen *screens;
    size_t n_screens;
    void (*act)(struct ui *ui, enum action action); /* does an action of the frame's own */
};

struct ui_session {
    bool online;   /* there is a connection to the controller, which said welcome */
    bool has_data; /* a snapshot has come */
    struct msg_welcome welcome;
    struct msg_engine engine; /* of another engine: of which time the rows are */
};

struct ui {
    struct ui_options o;
    struct ui_program program;
    struct ui_session session;

    struct model *m; /* what is shown; never NULL */
    struct wall now;
    struct mono mono;
    bool dirty;  /* a picture is due */
    bool frozen; /* by the user: messages are dropped */

    struct mirror_follow *follow;
    struct requests *requests;
    struct node_samples *utilization;
    struct changes *changes;
    struct stack *stack;
    struct dialogs *dialogs;
    struct past_jobs *past;
    struct wait_causes *waits;
    struct watches *watches;
    struct delayed_action *later;
    struct asides *asides;
    struct toast_state *toast;
    struct outbox *outbox;
    struct cmdline *cmd;
    struct inputs *inputs;
    struct { /* what stands around the view, and what was done */
        struct totals_state *totals;
        struct hotspots *hotspots;
        struct action_log *log;
        struct side_panes *panes;
        struct reversal *reversal;
    } around;
};

/* Does an action of the frame's own: a screen, help, the command line. */
static inline void frame_act(struct ui *ui, enum action action)
{
    ui->program.act(ui, action);
}

#endif
