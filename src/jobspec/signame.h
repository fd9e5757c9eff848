/* signame.h - signals by name: TERM, SIGTERM, 15. */
#ifndef STOKER_JOBSPEC_SIGNAME_H
#define STOKER_JOBSPEC_SIGNAME_H

#include <stdbool.h>
#include <stdint.h>

/* Any case, with or without SIG, or a number (0 is one). -1 where it is none. */
int signal_by_name(const char *name);

struct signal_spec {
    int32_t number;
    uint32_t at_s; /* before the end of the job */
    bool batch;    /* to the script alone */
};
/* The value of --signal, "[{R|B}:]SIG[@seconds]". Errors: -EINVAL. */
int signal_spec_parse(const char *text, struct signal_spec *ret) __attribute__((warn_unused_result));

#endif
