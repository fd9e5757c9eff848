/* ssh_msg.c - the records between controller and link. */
#include "src/proto/ssh_msg.h"

REC_DEFINE(ssh_order, SSH_ORDER_FIELDS)
REC_DEFINE(ssh_report, SSH_REPORT_FIELDS)

const char *ssh_fault_word(enum ssh_fault f)
{
    static const char *const words[SSH_N_FAULTS] = {
#define X(name, word) [SSH_FAULT_##name] = word,
        SSH_FAULTS(X)
#undef X
    };
    return (unsigned)f < SSH_N_FAULTS ? words[f] : "?";
}
