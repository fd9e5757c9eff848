/* ssh_msg.h - what the controller and stoker-link say to one another.
 *
 * Over a pair of SOCK_SEQPACKET sockets, one frame a packet. OPEN brings a descriptor with it: one end of a
 * stream pair that link joins to the node's agent. Closing the other end takes the node back; what becomes
 * of it is told by STATE, the last one of an id being OVER. Both are programs of one release, so these
 * kinds are numbers of their own and no part of the protocol's table.
 */
#ifndef STOKER_SRC_PROTO_SSH_MSG_H
#define STOKER_SRC_PROTO_SSH_MSG_H

#include "src/base/rec.h"

/* PING has no body; link sends it back. */
enum link_msg { LINK_MSG_OPEN = 1, LINK_MSG_STATE, LINK_MSG_PING };

#define LINK_PACKET_MAX 65536

struct link_open { /* S->L: reach that node */
    uint32_t id;   /* of this attempt, never used again by this pair */
    char *node;    /* its name in the cluster */
    char *address; /* host name or IP address */
    uint32_t port;
    char *user;
    struct strv identities; /* private key files, tried in order */
    char *known_hosts;      /* file of host keys: any other is refused */
    char *cluster;          /* uuid: the agent's directory is named after it */
};
#define LINK_OPEN_FIELDS(F, G, S)                                                                            \
    F(S, U32, id) F(S, STR, node) F(S, STR, address) F(S, U32, port) F(S, STR, user) F(S, STRV, identities)  \
    F(S, STR, known_hosts) F(S, STR, cluster)

enum link_phase {
    LINK_CALLING,    /* its turn has come */
    LINK_INSTALLING, /* the agent is being put there */
    LINK_UP,         /* from here on the stream carries the agent's frames */
    LINK_OVER,       /* link has closed its end */
};

/* X(enum member, short word for states and logs): why a line is over. */
#define LINK_FAULTS(X)                                                                                       \
    X(NONE, "closed")                                                                                        \
    X(NAME, "name")                                                                                          \
    X(CONNECT, "unreachable")                                                                                \
    X(HANDSHAKE, "handshake")                                                                                \
    X(HOSTKEY_UNKNOWN, "hostkey_unknown")                                                                    \
    X(HOSTKEY_CHANGED, "hostkey_changed")                                                                    \
    X(LOGIN, "login_refused")                                                                                \
    X(INSTALL, "install")                                                                                    \
    X(LOST, "lost")

enum link_fault {
#define X(name, word) LINK_FAULT_##name,
    LINK_FAULTS(X)
#undef X
        LINK_N_FAULTS
};

struct link_state { /* L->S */
    uint32_t id;
    uint32_t phase; /* enum link_phase */
    uint32_t fault; /* enum link_fault, when it is OVER */
    char *text;     /* for people, with the cure where there is one */
};
#define LINK_STATE_FIELDS(F, G, S) F(S, U32, id) F(S, U32, phase) F(S, U32, fault) F(S, STR, text)

extern const struct rec_desc link_open_rec, link_state_rec;

const char *link_fault_word(enum link_fault f);

#endif
