/* ssh_msg.c - the records between controller and link. */
#include "src/proto/ssh_msg.h"

REC_DEFINE(link_open, LINK_OPEN_FIELDS)
REC_DEFINE(link_state, LINK_STATE_FIELDS)

const char *link_fault_word(enum link_fault f)
{
    static const char *const words[LINK_N_FAULTS] = {
#define X(name, word) [LINK_FAULT_##name] = word,
        LINK_FAULTS(X)
#undef X
    };
    return (unsigned)f < LINK_N_FAULTS ? words[f] : "?";
}
