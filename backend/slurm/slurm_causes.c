#include "backend/slurm/slurm_causes.h"

#include <stdlib.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"

/* --- the queue, as Slurm orders it: by priority, then by id --- */

struct slurm_queue_place {
    uint32_t rank, of; /* rank 0: not known */
    uint32_t n_ahead, gpus_ahead;
    const struct job *first; /* of those ahead */
};

static bool slurm_causes_goes_before(const struct job *a, const struct job *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->id < b->id;
}

/* Jobs that could start but for room: the ones a job in the queue is behind. */
static bool slurm_causes_queues(const struct job *j)
{
    return j->hold == HOLD_NONE && (j->reason == REASON_PRIORITY || j->reason == REASON_RESOURCES);
}

static struct slurm_queue_place slurm_causes_place(const struct model *m, const struct job *j)
{
    struct slurm_queue_place p = {0};
    list_for_each (other, &m->pending, struct job, in_queue) {
        if (!slurm_causes_queues(other) || !str_eq(other->partition, j->partition))
            continue;
        p.of++;
        if (other == j || !slurm_causes_goes_before(other, j))
            continue;
        p.n_ahead++;
        p.gpus_ahead += other->req.gpus != NOT_GIVEN ? other->req.gpus : 0;
        if (!p.first || slurm_causes_goes_before(other, p.first))
            p.first = other;
    }
    p.rank = p.of ? p.n_ahead + 1 : 0;
    return p;
}

/* --- causes --- */

static enum why_class slurm_causes_class(enum reason r)
{
    switch ((int)r) {
    case REASON_PRIORITY: return WHY_BEHIND;
    case REASON_DEPENDENCY: return WHY_DEP_WAIT;
    case REASON_DEPENDENCY_NEVER: return WHY_DEP_DEAD;
    case REASON_BEGIN_TIME: return WHY_NOT_YET;
    case REASON_HELD_USER:
    case REASON_HELD_ADMIN: return WHY_HELD;
    case REASON_ARRAY_LIMIT: return WHY_ARRAY_THROTTLE;
    case REASON_PART_DOWN:
    case REASON_PART_INACTIVE: return WHY_PARTITION_DOWN;
    case REASON_BAD_CONSTRAINTS: return WHY_NO_FIT;
    case REASON_NODE_NOT_AVAIL: return WHY_NODE_OUT;
    default: return WHY_BUSY;
    }
}

static void slurm_causes_ahead(const struct model *m, const struct job *j, struct cause *ret)
{
    struct slurm_queue_place p = slurm_causes_place(m, j);
    if (!p.n_ahead)
        return;
    *ret = (struct cause){.code = CAUSE_AHEAD,
                          .n = p.n_ahead,
                          .gpus = p.gpus_ahead,
                          .part = xstrdup(j->partition ? j->partition : "?"),
                          .id = job_format_id(p.first, 0)};
}

void slurm_cause_first(const struct model *m, const struct job *j, bool has_all, struct cause *ret)
{
    const char *detail = job_rare(j)->reason_detail;
    *ret = (struct cause){0};
    if (j->state != JOB_PENDING)
        return;
    if (j->hold == HOLD_USER)
        *ret = (struct cause){.code = CAUSE_HELD_BY_OWNER, .user = xstrdup(j->user ? j->user : "?")};
    else if (j->hold == HOLD_ADMIN)
        *ret = (struct cause){.code = CAUSE_HELD_BY_ADMIN};
    else if (j->reason == REASON_BEGIN_TIME && wall_is_set(j->req.begin))
        *ret = (struct cause){.code = CAUSE_BEGIN_TIME, .at = j->req.begin};
    else if (j->reason == REASON_DEPENDENCY && j->req.dependency)
        *ret = (struct cause){.code = CAUSE_WORDS, .text = xasprintf("waits for %s", j->req.dependency)};
    else if (detail)
        *ret = (struct cause){.code = CAUSE_WORDS, .text = xstrdup(detail)};
    else if (j->reason == REASON_PRIORITY && has_all)
        slurm_causes_ahead(m, j, ret);
    if (ret->code == CAUSE_NONE)
        *ret = (struct cause){.code = CAUSE_WAITS_REASON, .state = j->reason};
    ret->cls = slurm_causes_class((enum reason)j->reason);
    ret->start = job_rare(j)->t_expected;
}

void slurm_cause_why(const struct model *m, const struct job *j, bool has_all, struct msg_why *ret)
{
    *ret = (struct msg_why){.job = j->id,
                            .id = job_format_id(j, 0),
                            .uid = j->uid,
                            .user = j->user ? xstrdup(j->user) : NULL,
                            .state = j->state,
                            .reason = j->reason};
    if (j->state != JOB_PENDING)
        return;
    slurm_cause_first(m, j, has_all, rec_list_push(&ret->causes));
    ret->start = job_rare(j)->t_expected;
    if (!has_all || !slurm_causes_queues(j))
        return;
    struct slurm_queue_place p = slurm_causes_place(m, j);
    ret->rank = p.rank;
    ret->rank_of = p.of;
}
