/* doctor_report.h - what the checks of stoker doctor have found. */
#ifndef STOKER_CLI_DOCTOR_REPORT_H
#define STOKER_CLI_DOCTOR_REPORT_H

#include "src/cli/ask.h"

enum check_status { CHECK_OK, CHECK_WARN, CHECK_FAIL };

struct doctor_check {
    const char *name;
    enum check_status status;
    char *text; /* what was found, with figures */
    char *cure; /* what to do; NULL: nothing */
};

struct doctor {
    struct paths paths;
    struct client *client; /* NULL: no controller answers */
    struct errtext away;   /* why */
    struct doctor_check *checks;
    size_t n;
};

/* Adds what one check found; cure may be NULL. */
void doctor_add(struct doctor *d, const char *name, enum check_status status, const char *cure,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Whether a check of that name has been added. */
bool doctor_has_check(const struct doctor *d, const char *name);

#define DOCTOR_DISK_SPACE N_("disk space")

#define DOCTOR_NAMED 5 /* names in one line */
/* The n-th name of a list, with what stands before it; nothing beyond DOCTOR_NAMED but " ...". */
void doctor_append_name(struct str *list, const char *name, size_t n);

#endif
