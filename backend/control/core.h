/* core.h - what the modules of the controller share: the loop, the disk, the state, the policy, and the
 * ordered table of the modules themselves.
 *
 * A module keeps its own state in control.state[], where no other module looks. What it needs to hear of
 * comes through its row of the table (struct module_ops): so a module depends on those that it calls, never
 * on those that listen to it.
 */
#ifndef STOKER_BACKEND_CONTROL_CORE_H
#define STOKER_BACKEND_CONTROL_CORE_H

#include "backend/control/test_hooks.h"
#include "backend/loop/loop.h"
#include "backend/sched/explain/explain.h"
#include "backend/store/store.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/model/event.h"
#include "src/model/model.h"

struct control;
struct emission;
struct name_answer;
struct node_handlers;
struct node_peer;
struct payload_cache;
struct request_kind;
struct session;
struct user_cache;

enum module_id {
    MODULE_AUDIT,
    MODULE_ELIGIBILITY,
    MODULE_EVENT_LOG,
    MODULE_FORECAST,
    MODULE_FORECAST_KEEP,
    MODULE_HISTORY_DEPS,
    MODULE_ATTEMPTS,
    MODULE_BUDGET,
    MODULE_LARGE,
    MODULE_LINEAGE,
    MODULE_MAIL,
    MODULE_NODE_AVOID,
    MODULE_PEERS,
    MODULE_PMI,
    MODULE_POLICY_VIEW,
    MODULE_PRIO,
    MODULE_QUERIES,
    MODULE_QUOTAS,
    MODULE_READ_ONLY,
    MODULE_RELAYS,
    MODULE_REQ_AUDIT,
    MODULE_REQ_ACT,
    MODULE_REQ_HISTORY,
    MODULE_REQ_STEP,
    MODULE_REQ_SUBMIT,
    MODULE_REQ_WINDOW,
    MODULE_RETIRE,
    MODULE_ROW_FEED,
    MODULE_SCHEDULE,
    MODULE_SCRIPTS,
    MODULE_SESSIONS,
    MODULE_SHORTAGE,
    MODULE_SHUTDOWN,
    MODULE_TERMINALS,
    MODULE_TIME_LIMIT,
    MODULE_UTIL_WATCH,
    MODULE_N
};

/* What a module is told, each by a function or NULL. All are called in the order of the table, stop in the
 * opposite order. */
struct module_ops {
    void (*start)(struct control *c); /* before the state is loaded */
    void (*stop)(struct control *c);
    /* An event is about to be folded; then, where the fold took it, it has been. No event may be emitted
     * from within. */
    void (*before)(struct control *c, struct emission *e);
    void (*after)(struct control *c, const struct emission *e);
    /* The state was read from the disk: at the start, and after reset. */
    void (*loaded)(struct control *c);
    /* The controller serves from now on. */
    void (*serving)(struct control *c);
    /* What waited for the ticket may leave; then, it has left. */
    void (*committed)(struct control *c, uint64_t ticket);
    void (*released)(struct control *c);
    /* A commit has failed: what was derived from events since the last one is void. The state is about to
     * be read again. */
    void (*reset)(struct control *c);
    /* The name service has said something; groups_changed: what the policy has found out about groups may
     * be void. */
    void (*names_told)(struct control *c, const struct name_answer *a, bool groups_changed);
    void (*session_closed)(struct control *c, struct session *s);
    void (*session_drained)(struct control *c, struct session *s); /* it has read most of what was queued */
    /* Its snapshot is complete: what changes is pushed from now on. */
    void (*session_follows)(struct control *c, struct session *s);
    void (*answering)(struct control *c, struct session *s); /* a request of it, in a moment */
    void (*peer_added)(struct control *c, struct node_peer *n);
    void (*peer_down)(struct control *c, struct node_peer *n);
    void (*peer_removed)(struct control *c, struct node_peer *n);
};

enum stopping {
    STOP_NONE,
    STOP_SOON,       /* as soon as what must be said has been said */
    STOP_AFTER_JOBS, /* jobs are being ended first; nodes are looked after as ever */
};

/* What the program was started with. */
struct control_settings {
    char *state_dir, *log_dir, *socket_path, *host, *home;
    bool everyone; /* all users of the machine may connect */
    int (*reload)(void *ctx, struct cluster_spec *ret, struct errtext *err);
    void *reload_ctx;
    const char *(*user_name)(uint32_t uid); /* NULL: the name service is asked */
    uint64_t incarnation;                   /* of this process */
    struct test_hooks hooks;
};

/* Calls from below to above: control.c says which, so that no module depends on those above it. */
struct wiring {
    const struct module_ops *const *modules; /* NULL behind the last */
    const struct request_kind *requests;     /* of clients, by kind of message */
    const struct node_handlers *nodes;       /* what nodes say */
};

struct control {
    struct loop *loop;
    struct store *store;
    struct model model;
    struct planner *planner;
    struct control_settings settings;
    struct wiring wiring;
    void *state[MODULE_N]; /* of each module, its own */
    struct user_cache *users;
    struct payload_cache *payloads;
    VEC(uint32_t) touched; /* jobs whose actions must be derived again: ctl_touch */
    bool sched_dirty;      /* the policy has something to decide */
    char *read_only;       /* why nothing is accepted; NULL: all is well */
    enum stopping stopping;
    struct msg_stats stats;
};

/* Calls the hook of each module that has it. */
#define modules_call(c, hook, ...)                                                      \
    do {                                                                                \
        for (const struct module_ops *const *m_ = (c)->wiring.modules; m_ && *m_; m_++) \
            if ((*m_)->hook)                                                            \
                (*m_)->hook(__VA_ARGS__);                                               \
    } while (0)

#endif
