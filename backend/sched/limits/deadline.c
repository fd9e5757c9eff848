/* deadline.c - --deadline and --time-min. */
#include "backend/sched/limits/deadline.h"

#include "src/values/units.h"

uint32_t deadline_limit_s(const struct job *j, const struct part_spec *part)
{
    uint32_t asked = j->req.time_limit_s, least = req_detail(&j->req)->time_min_s;
    if (asked == DURATION_NOT_SET)
        return part->default_time_s != DURATION_NOT_SET ? part->default_time_s : part->max_time_s;
    bool less_will_do = least < DURATION_NOT_SET && least <= part->max_time_s;
    return asked > part->max_time_s && less_will_do ? part->max_time_s : asked;
}

uint32_t deadline_least_s(const struct job *j, const struct part_spec *part)
{
    uint32_t limit = deadline_limit_s(j, part), least = req_detail(&j->req)->time_min_s;
    return least >= DURATION_NOT_SET || least > limit ? limit : least;
}

struct wall deadline_latest_start(const struct job *j, const struct part_spec *part)
{
    uint32_t least = deadline_least_s(j, part);
    if (!wall_is_set(req_rare(&j->req)->deadline))
        return (struct wall){0};
    /* Without a limit it may end at once: as long as the deadline is ahead it can start. */
    return least >= DURATION_NOT_SET ? req_rare(&j->req)->deadline
                                     : wall_add_s(req_rare(&j->req)->deadline, -(int64_t)least);
}

bool deadline_missed(const struct model *m, const struct job *j, struct wall now)
{
    if (!wall_is_set(req_rare(&j->req)->deadline) || j->state != JOB_PENDING)
        return false;
    struct strv names = job_partitions(j);
    const struct part_spec *fallback = model_default_part(m);
    struct wall deadline = req_rare(&j->req)->deadline;
    if (!names.n && fallback)
        strv_push(&names, fallback->name);
    bool any = !names.n && now.ms <= deadline.ms;
    for (size_t i = 0; i < names.n && !any; i++) {
        const struct part_spec *part = model_get_part(m, names.v[i]);
        /* One that is not configured now may be again, and says nothing about time limits until then. */
        any = now.ms <= (part ? deadline_latest_start(j, part) : deadline).ms;
    }
    strv_fini(&names);
    return !any;
}
