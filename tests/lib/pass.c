/* pass.c - the policy at work in a lab. */
#include "tests/lib/pass.h"

struct sched_view pass_view(const struct lab *l)
{
    return (struct sched_view){.model = &l->m};
}

static void no_node_is_overloaded(const struct lab *l)
{
    for (size_t i = 0; i < l->m.n_nodes; i++) {
        const struct node *n = l->m.nodes[i];
        struct cpuset cpus = n->cpus_used, gpus = n->gpus_used, all_cpus = {0}, all_gpus = {0};
        cpuset_add_range(&all_cpus, 0, n->cpus);
        cpuset_add_range(&all_gpus, 0, n->gpus);
        if (!cpuset_contains(&all_cpus, &cpus) || !cpuset_contains(&all_gpus, &gpus) ||
            n->mem_used_mib > n->mem_mib)
            fail_msg("node %s carries more than it has: %u CPUs, %u GPUs, %llu MiB", n->spec.name,
                     cpuset_count(&cpus), cpuset_count(&gpus), (unsigned long long)n->mem_used_mib);
    }
}

size_t pass_run(struct lab *l, struct planner *p, struct sched_result *ret)
{
    struct sched_view v = pass_view(l);
    sched_result_init(ret);
    planner_note_all(p);
    planner_decide(p, &v, l->now, ret);
    size_t n = ret->starts.n + ret->places.n;
    vec_for_each (&ret->starts, i) {
        struct sched_start *s = &ret->starts.v[i];
        const struct job *j = lab_get(l, s->job);
        assert_int_equal(s->array_index, s->start.array_index);
        assert_int_equal(job_is_array_record(j), s->array_index != ARRAY_NONE);
        if (job_is_array_record(j) && job_pending_elements(j) > 1)
            s->start.new_id = l->m.next_job;
        lab_must(l, EV_START, s->job, &s->start);
        no_node_is_overloaded(l);
    }
    vec_for_each (&ret->places, i) {
        lab_must(l, EV_PLACE, ret->places.v[i].job, &ret->places.v[i].place);
        no_node_is_overloaded(l);
    }
    vec_clear(&ret->starts);
    vec_clear(&ret->places);
    return n;
}
