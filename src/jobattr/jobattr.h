/* jobattr.h - the attributes of a job's request: reading, writing and naming them by the table job_attrs.h.
 *
 * Options are parsed by src/jobspec, which has more to check than a value alone; `scontrol update`, checks
 * and all that is printed use these functions. Nothing here does I/O or reads a clock.
 */
#ifndef STOKER_JOBATTR_JOBATTR_H
#define STOKER_JOBATTR_JOBATTR_H

#include "src/base/err.h"
#include "src/base/str.h"
#include "src/jobattr/job_attrs.h"
#include "src/model/job.h"

#define JOB_NICE_MAX 2147483645LL

/* X(kind, C type of the member) */
/* clang-format off */
#define JOB_ATTR_KINDS(X) \
    X(NAME, char *)          /* at most 128 bytes */ \
    X(TEXT, char *)          /* at most 4096 bytes */ \
    X(HOSTS, char *)         /* a host list, or a file of one */ \
    X(MAIL_TYPES, char *) \
    X(DIR, char *)           /* any bytes */ \
    X(ARRAY, char *)         /* set by src/jobspec/batchopts.c */ \
    X(GRES, char *)          /* of an option that sets other members too; kept to be shown */ \
    X(COUNT, uint32_t)       /* NOT_GIVEN: not said */ \
    X(GPUS, uint32_t)        /* a count, with a type that all of a job's share */ \
    X(NODES, uint32_t)       /* nodes_min and, behind it, nodes_max */ \
    X(NUMBER, uint32_t)      /* 0: none */ \
    X(PRIORITY, uint32_t)    /* for administrators; with has_priority */ \
    X(DISK, uint32_t)        /* MiB */ \
    X(MEMORY, uint64_t)      /* MiB; MEM_NOT_GIVEN */ \
    X(LIMIT, uint32_t)       /* seconds; DURATION_NOT_SET, DURATION_UNLIMITED */ \
    X(TIME_POINT, struct wall) \
    X(NICE, int32_t) \
    X(SIGNAL, int32_t)       /* with signal_at_s and signal_batch */ \
    X(SWITCH, bool)          /* an option without an argument sets it */ \
    X(EXCLUSIVE, bool) \
    X(YES_NO, bool) \
    X(OPEN_MODE, bool)       /* append; with truncate */ \
    X(REQUEUE, uint32_t)     /* 1 */ \
    X(NO_REQUEUE, uint32_t)  /* 2, of the same member */ \
    X(RESTARTS, uint32_t)    /* 0: not said; with a signal as of SIGNAL */ \
    X(SWITCHES, uint32_t)    /* 0: any; with switch_wait_s */ \
    X(LOST_NODE, uint32_t)   /* enum lost_node */
/* clang-format on */

enum job_attr_kind {
#define X(kind, ctype) JOB_ATTR_##kind,
    JOB_ATTR_KINDS(X)
#undef X
};

/* Attributes and the other options of commands that submit: both have numbers of one row, because an
 * attribute's number is also that of its option. */
enum job_attr_id {
    ATTR_NONE,
#define X(ID, ...) ATTR_##ID,
#define O(ID, ...) ATTR_##ID,
#define ALIAS(ID, ...)
    JOB_ATTRS(X, O, ALIAS)
#undef X
#undef O
#undef ALIAS
        ATTR_N
};

enum job_attr_place { IN_REQ, IN_DETAIL, IN_RARE }; /* in struct job_req, or in one of its boxes */

struct job_attr {
    enum job_attr_id id;
    enum job_attr_kind kind;
    enum job_attr_place place;
    size_t offset;    /* of the member there */
    bool always;      /* `scontrol update` may change it while the job runs, too */
    bool keeps_empty; /* an empty value of `scontrol update` is kept, and refused; else it clears */
    bool once;        /* not repeated when a job is submitted again: it was about that one time */
    const char *member;
    const char *label;  /* in refusals; NULL: not checked by itself */
    const char *update; /* keys of `scontrol update`, separated by blanks; NULL: cannot be changed */
    const char *shown;  /* key of `scontrol show job`; NULL: not shown, or as part of something else */
    bool shown_last;    /* there at the end, where it is set; else the record has a place for it */
    const char *json;   /* member of a job in the --json of Slurm's names; NULL: none */
    int64_t min, max;   /* of numbers, for `scontrol update` */
};

/* By id; those of other options have no member. */
extern const struct job_attr job_attrs[ATTR_N];
#define job_attr_for_each(a) \
    for (const struct job_attr *a = job_attrs; a < job_attrs + ATTR_N; a++) \
        if (a->member)

/* NULL: the number of another option, or of none. */
const struct job_attr *job_attr_get(int id);
/* By a key of `scontrol update`, in any case; NULL. */
const struct job_attr *job_attr_by_key(const char *key);
/* "TimeLimit, JobName ...": the keys that may be used always, or while the job waits alone. */
void job_attr_list_keys(struct str *out, bool always);

/* The member, to be read, and to be written. */
void *job_attr_at_mut(const struct job_attr *a, struct job_req *r);
/* The member of an attribute that is a text; NULL: not set. */
const char *job_attr_text(const struct job_attr *a, const struct job_req *r);
bool job_attr_is_text(const struct job_attr *a);
/* The member of an attribute that is a number or a switch, as it is stored. */
int64_t job_attr_number(const struct job_attr *a, const struct job_req *r);

/* Sets it to what value says, within the row's limits. now: for times like now+1hour. Errors: -EINVAL with
 * a text; r is unchanged then. Attributes that other rules apply to (TIME, LOST_NODE, the priority) are set
 * by their text alone. */
int job_attr_set(const struct job_attr *a, struct job_req *r, const char *value, struct wall now,
                 struct errtext *err) __attribute__((warn_unused_result));
/* Its value as its option takes it; nothing where it is not set. */
void job_attr_append(struct str *out, const struct job_attr *a, const struct job_req *r);

#endif
