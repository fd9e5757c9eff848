/* lab_cycle.c - the policy at work in a lab. */
#include "tests/lib/lab_cycle.h"

#include "src/base/xalloc.h"
#include "src/text/cause_text.h"

struct sched_view lab_view(const struct lab *l)
{
    return (struct sched_view){.model = &l->m};
}

static void no_node_is_overloaded(const struct lab *l)
{
    for (size_t i = 0; i < l->m.n_nodes; i++) {
        const struct node *n = l->m.nodes[i];
        struct cpuset cpus = n->cpus_used, gpus = n->gpus_used, all_cpus = {0}, all_gpus = {0};
        cpuset_add_range(&all_cpus, 0, n->cpus < CPUSET_MAX ? n->cpus : CPUSET_MAX);
        cpuset_add_range(&all_gpus, 0, n->gpus < CPUSET_MAX ? n->gpus : CPUSET_MAX);
        if (!cpuset_contains(&all_cpus, &cpus) || !cpuset_contains(&all_gpus, &gpus) ||
            n->mem_used_mib > n->mem_mib)
            fail_msg("node %s carries more than it has: %u CPUs, %u GPUs, %llu MiB", n->spec.name,
                     cpuset_count(&cpus), cpuset_count(&gpus), (unsigned long long)n->mem_used_mib);
    }
}

/* All of a cycle happens at its time. */
static void must_now(struct lab *l, enum event_kind kind, uint32_t job, void *body)
{
    l->now.ms -= MS_PER_S;
    lab_must(l, kind, job, body);
}

static void start_all(struct lab *l, struct planner *p, struct sched_result *r)
{
    vec_for_each (&r->starts, i) {
        struct sched_start *s = &r->starts.v[i];
        const struct job *j = lab_get(l, s->job);
        assert_int_equal(s->array_index, s->start.array_index);
        assert_int_equal(job_is_array_record(j), s->array_index != ARRAY_NONE);
        if (job_is_array_record(j) && job_pending_elements(j) > 1)
            s->start.new_id = l->m.next_job;
        planner_note_job(p, s->job);
        planner_note_job(p, s->start.new_id);
        must_now(l, EV_START, s->job, &s->start);
        no_node_is_overloaded(l);
    }
    vec_for_each (&r->places, i) {
        must_now(l, EV_PLACE, r->places.v[i].job, &r->places.v[i].place);
        no_node_is_overloaded(l);
    }
    vec_clear(&r->starts);
    vec_clear(&r->places);
}

void lab_note_dependents(const struct lab *l, struct planner *p)
{
    list_for_each (j, &l->m.pending, struct job, in_queue)
        if (j->req.dependency)
            planner_note_job(p, j->id);
}

static void ask_to_go(struct lab *l, const struct sched_result *r)
{
    vec_for_each (&r->preempts, i) {
        const struct sched_preempt *s = &r->preempts.v[i];
        struct ev_kill kill = {.step = STEP_ALL,
                               .cause = KILL_PREEMPT,
                               .fate = s->fate,
                               .grace_s = s->grace_s,
                               .by_job = s->by_job,
                               .text = cause_string(&s->why, NULL)};
        must_now(l, EV_KILL, s->job, &kill);
    }
}

size_t lab_fold_cycle(struct lab *l, struct planner *p, struct sched_result *r)
{
    size_t n = r->starts.n + r->places.n;
    start_all(l, p, r);
    ask_to_go(l, r);
    lab_note_dependents(l, p);
    return n;
}

size_t lab_cycle_resume(struct lab *l, struct planner *p, struct sched_result *ret)
{
    struct sched_view v = lab_view(l);
    sched_result_init(ret);
    planner_cycle(p, &v, l->now, ret);
    return lab_fold_cycle(l, p, ret);
}

size_t lab_cycle(struct lab *l, struct planner *p, struct sched_result *ret)
{
    planner_note_all(p);
    return lab_cycle_resume(l, p, ret);
}
