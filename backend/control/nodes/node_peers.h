/* node_peers.h - the controller's connections to its nodes: which there are, how each is reached.
 *
 * node_reports.c handles what nodes report, lost_nodes.c their silence. */
#ifndef STOKER_BACKEND_CONTROL_NODES_NODE_PEERS_H
#define STOKER_BACKEND_CONTROL_NODES_NODE_PEERS_H

#include "backend/control/core.h"
#include "backend/control/nodes/node_budget.h"
#include "backend/net/nodeconn.h"
#include "backend/net/stream_mux.h"

struct lost_watch;

struct node_peer { /* the controller's side of one node */
    struct list link;
    struct control *ctl;
    struct nodeconn *conn;
    struct loop_timer again; /* a second report before an absence counts */
    struct lost_watch *lost; /* lost_nodes.c */
    VEC(uint32_t) jobs_wait; /* jobs with something to say there, once it has taken what is queued */
    bool reconciled;         /* it has reported over this connection */
    bool facts_due;          /* its settings have changed: what it finds counts again */
    struct wall t_policy;    /* of its last report */
    bool warned;             /* that it speaks of what is not its own */
    bool asks_again;         /* a report was left: `again` asks for another */
    struct node_budget budget;
    bool measures;                 /* it was told to report what it uses: util_watch.c */
    struct stream_mux clients;     /* node_clients.c */
    char *client_socket, *bin_dir; /* as its agent says; NULL: none */
    bool leaving;                  /* not configured any more: goes with what it carries */
    uint64_t left_ticket; /* one more than what must be on disk before it goes; 0: it carries something */
};

/* What is called with the messages of nodes. */
struct node_handlers {
    void (*report)(struct node_peer *peer, struct msg_agent *m);
    int (*message)(struct node_peer *peer, enum msg_kind kind, uint64_t tag, void *body);
};

extern const struct module_ops node_peers_module;

/* As the configuration in the state says: new ones are connected, others leave. */
void node_peers_connect(struct control *c);
struct list *node_peers(struct control *c);                            /* of struct node_peer */
struct node_peer *node_peer_find(struct control *c, const char *name); /* or NULL */
/* False for a node that is carried on for its jobs alone: administrators cannot change it any more. */
bool node_is_configured(const struct control *c, const char *name);
void node_set_state(struct control *c, const char *node, enum node_state state);
/* More than max bytes wait for the node: then the job is touched once it has taken them. */
bool node_peer_must_wait(struct node_peer *peer, uint32_t job, size_t max);
/* At the end of a loop iteration: nodes that have left the configuration and carry nothing any more. */
void node_peers_drop_left(struct control *c);
void node_peers_stop_agents(struct control *c);
void node_peers_drop_all(struct control *c);
/* The controller ends as soon as it can: what happens to nodes is for the next one. */
bool node_peers_only_stop(const struct control *c);

#endif
