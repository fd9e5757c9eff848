/* members.h - the members of a job by their places in its tables, for callers that want only some of them.
 */
#ifndef STOKER_MODEL_MEMBERS_H
#define STOKER_MODEL_MEMBERS_H

#include "src/model/job.h"

#define MEMBER_NAME(S, type, member)             S##member,
#define MEMBER_NESTED(S, type, ...)              MEMBER_##type(S, __VA_ARGS__)
#define MEMBER_SUB(S, member, rec)               S##member,
#define MEMBER_LISTOF(S, member, rec)            S##member,
#define MEMBER_BOXED(S, box, type, member)       S##member,
#define MEMBER_BOXED_LISTOF(S, box, member, rec) S##member,

enum job_member { JOB_FIELDS(MEMBER_NAME, MEMBER_NESTED, JOB_MEMBER_) JOB_N_MEMBERS };
enum req_member { JOB_REQ_FIELDS(MEMBER_NAME, MEMBER_NESTED, REQ_MEMBER_) REQ_N_MEMBERS };

#undef MEMBER_NAME
#undef MEMBER_NESTED
#undef MEMBER_SUB
#undef MEMBER_LISTOF
#undef MEMBER_BOXED
#undef MEMBER_BOXED_LISTOF

_Static_assert(JOB_N_MEMBERS <= 64 && REQ_N_MEMBERS <= 64, "a set of members has 64 bits");

/* Sets: bit k is member k. */
struct job_members {
    uint64_t job, req; /* without the bit of job.req: some of req asks for it */
    bool all_tasks;    /* job.steps: the tasks that have ended or wait too, while the job has not ended */
};

#define JOB_HAS(member) (UINT64_C(1) << JOB_MEMBER_##member)
#define REQ_HAS(member) (UINT64_C(1) << REQ_MEMBER_##member)

#define MEMBERS_ALL ((struct job_members){.job = UINT64_MAX, .req = UINT64_MAX, .all_tasks = true})

static inline struct job_members members_add(struct job_members a, struct job_members b)
{
    return (struct job_members){
        .job = a.job | b.job, .req = a.req | b.req, .all_tasks = a.all_tasks || b.all_tasks};
}

#endif
