/* whylab.h - a small cluster, some jobs, and what is said of why they wait. */
#ifndef STOKER_TESTS_UNIT_SCHED_WHYLAB_H
#define STOKER_TESTS_UNIT_SCHED_WHYLAB_H

#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/sched_fixture.h"
#include "tests/unit/sched/said.h"

static inline int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    lab_node(&l, "n1", 4, 8000, 2, "a100");
    lab_node(&l, "n2", 8, 4000, 0, NULL);
    lab_part(&l, "main", "n[1-2]");
    lab_part(&l, "short", "n1")->max_time_s = 3600;
    lab_part(&l, "narrow", "n[1-2]")->max_nodes = 1;
    lab_part(&l, "down", "n1")->state = PART_DOWN;
    lab_part(&l, "drain", "n1")->state = PART_DRAIN;
    lab_part(&l, "off", "n1")->state = PART_INACTIVE;
    strv_push(&lab_part(&l, "staff", "n1")->allow_groups, "staff");
    lab_configure(&l);
    return 0;
}

static inline uint32_t submit(const char *part, uint32_t cpus)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup(part);
    j->req.cpus_per_task = cpus;
    j->req.time_limit_s = 600;
    return lab_submit(&l, j);
}

static inline uint32_t submit_req(const char *part, uint32_t cpus, const char *nodelist, uint32_t minutes)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup(part);
    j->req.cpus_per_task = cpus;
    req_rare_mut(&j->req)->nodelist = xstrdup(nodelist);
    j->req.time_limit_s = minutes * 60;
    return lab_submit(&l, j);
}

/* What the list says of it is how the whole answer begins. */
static inline void lists_must_agree(uint32_t id, const struct msg_why *w)
{
    struct sched_view v = lab_view(&l);
    struct cause c;
    sched_waits_begin(planner, &v, l.now);
    sched_wait(planner, &v, lab_get(&l, id), l.now, &c);
    sched_waits_end(planner);
    check_int("a sentence", c.code != CAUSE_NONE, true);
    check_str("in the list", said_brief(&c), said_brief(&w->causes.v[0]));
    check_str("class", why_class_name(c.cls), why_class_name(w->causes.v[0].cls));
    cause_clear(&c);
}

static inline void must_say(uint32_t id, enum reason reason, enum why_class cls, const char *text)
{
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    check_str(text, reason_slurm(w.reason), reason_slurm(reason));
    check_int(text, w.causes.n > 0, true);
    lists_must_agree(id, &w);
    bool found = false;
    for (size_t i = 0; i < w.causes.n; i++) {
        check_int(text, w.causes.v[i].code != CAUSE_NONE, true);
        found = found || (w.causes.v[i].cls == cls && strstr(said(&w.causes.v[i]), text));
    }
    if (!found)
        fail_msg("job %u: none of its %zu causes (\"%s\") is %s \"%s\"", id, w.causes.n,
                 said(&w.causes.v[0]), why_class_name(cls), text);
    rec_fini(&msg_why_rec, &w);
}

static inline void add_limit(enum limit_scope scope, uint64_t cpus, bool soft)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = scope, .name = xstrdup("*")};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    *(soft ? &s->soft.cpus : &s->hard.cpus) = cpus;
    lab_configure(&l);
}

/* Of ten, n at once; those that may, run. */
static inline uint32_t submit_array(uint32_t cpus, uint32_t throttle)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 9, 1};
    j->req.array_throttle = throttle;
    j->req.cpus_per_task = cpus;
    j->req.time_limit_s = 600;
    uint32_t id = lab_submit(&l, j);
    cycle_full();
    return id;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, sched_fixture_end)

#endif
