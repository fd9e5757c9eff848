/* ssh_msg.h - what the controller and stoker-link say to one another.
 *
 * Over a pair of SOCK_SEQPACKET sockets, one frame a packet. OPEN brings a descriptor with it: one end of a
 * stream pair that link joins to the node's agent. Closing the other end takes the node back; what becomes
 * of it is told by STATE, the last one of an id being OVER. Both are programs of one release, so these
 * kinds are numbers of their own and no part of the protocol's table.
 */
#ifndef STOKER_SRC_PROTO_SSH_MSG_H
#define STOKER_SRC_PROTO_SSH_MSG_H

#include "src/record/rec.h"

/* PING has no body; link sends it back. */
enum ssh_msg { SSH_MSG_OPEN = 1, SSH_MSG_STATE, SSH_MSG_PING };

#define SSH_MSG_MAX 65536

struct ssh_order { /* S->L: reach that node */
    uint32_t id;   /* of this attempt, never used again by this pair */
    char *node;    /* its name in the cluster */
    char *address; /* host name or IP address */
    uint32_t port;
    char *user;
    struct strv identities; /* private key files, tried in order */
    char *known_hosts;      /* file of host keys: any other is refused */
    char *cluster;          /* uuid: the agent's directory is named after it */
};
#define SSH_ORDER_FIELDS(F, G, S)                                                                            \
    F(S, U32, id) F(S, STR, node) F(S, STR, address) F(S, U32, port) F(S, STR, user) F(S, STRV, identities)  \
    F(S, STR, known_hosts) F(S, STR, cluster)

enum ssh_phase {
    SSH_PHASE_CALLING,    /* its turn has come */
    SSH_PHASE_INSTALLING, /* the agent is being put there */
    SSH_PHASE_UP,         /* from here on the stream carries the agent's frames */
    SSH_PHASE_OVER,       /* link has closed its end */
};

/* X(enum member, short word for states and logs): why a line is over. */
#define SSH_FAULTS(X)                                                                                       \
    X(NONE, "closed")                                                                                        \
    X(NAME, "name")                                                                                          \
    X(CONNECT, "unreachable")                                                                                \
    X(HANDSHAKE, "handshake")                                                                                \
    X(HOSTKEY_UNKNOWN, "hostkey_unknown")                                                                    \
    X(HOSTKEY_CHANGED, "hostkey_changed")                                                                    \
    X(LOGIN, "login_refused")                                                                                \
    X(INSTALL, "install")                                                                                    \
    X(LOST, "lost")

enum ssh_fault {
#define X(name, word) SSH_FAULT_##name,
    SSH_FAULTS(X)
#undef X
        SSH_N_FAULTS
};

struct ssh_report { /* L->S */
    uint32_t id;
    uint32_t phase; /* enum ssh_phase */
    uint32_t fault; /* enum ssh_fault, when it is OVER */
    char *text;     /* for people, with the cure where there is one */
};
#define SSH_REPORT_FIELDS(F, G, S) F(S, U32, id) F(S, U32, phase) F(S, U32, fault) F(S, STR, text)

extern const struct rec_desc ssh_order_rec, ssh_report_rec;

const char *ssh_fault_word(enum ssh_fault f);

#endif
