/* timetext.h - instants as SLURM_TIME_FORMAT wants them. */
#ifndef STOKER_CLI_TIMETEXT_H
#define STOKER_CLI_TIMETEXT_H

#include "src/base/str.h"
#include "src/base/time.h"

enum timetext_kind { TIMETEXT_ISO, TIMETEXT_RELATIVE, TIMETEXT_STRFTIME };

struct timetext {
    enum timetext_kind kind;
    const char *format; /* of strftime; belongs to the environment */
    struct wall now;    /* what "relative" is relative to */
};

/* env: the value of SLURM_TIME_FORMAT: NULL, "standard", "relative" or a strftime string.
 * Source: squeue(1), SLURM_TIME_FORMAT. */
struct timetext timetext_from(const char *env, struct wall now);
/* unset: what is printed for a time that is not set. */
void timetext_append(struct str *out, const struct timetext *f, struct wall t, const char *unset);
/* "Sat Nov 21 04:56:28 2026": the line that -l and -i print first. */
void timetext_append_date_line(struct str *out, struct wall now);

#endif
