/* The same queue as several releases of Slurm have answered (tests/slurm/record, SLURM_SUITE): the same
 * table. */
#include <string.h>

#include "backend/slurm/slurm_mirror.h"
#include "tests/unit/slurm/fixture.h"

#include "src/model/model.h"

static const char *const releases[] = {"20.11.4", "22.05.8", "24.11.5", "26.05.5"};
static const struct wall NOW = {INT64_C(1795500000000)};

static struct slurm_span release_read(const char *release, const char *name)
{
    char *path = xasprintf("../%s/%s", release, name);
    struct slurm_span s = fixture_read(path);
    free(path);
    return s;
}

static struct slurm_mirror *release_mirror(const char *release)
{
    struct slurm_mirror *s = slurm_mirror_new(NULL, NULL);
    static const char *const names[] = {"config", "partition", "squeue", "node", "word"};
    struct slurm_span text[5];
    for (size_t i = 0; i < 5; i++)
        text[i] = release_read(release, names[i]);
    assert_int_equal(slurm_mirror_take_config(s, &text[0], NULL), 1);
    assert_int_equal(slurm_mirror_take_partitions(s, &text[1], NULL), 1);
    assert_int_equal(slurm_mirror_take_jobs(s, &text[2], text[4].p, SLURM_ALL, NOW, NULL), 1);
    assert_int_equal(slurm_mirror_take_nodes(s, &text[3], NOW, NULL), 1);
    for (size_t i = 0; i < 5; i++)
        free((void *)(uintptr_t)text[i].p);
    return s;
}

/* The scheduler may not have come to a job yet, and says so in one of these words. */
static const char *release_reason(const struct job *j)
{
    bool waits = j->reason == REASON_NONE || j->reason == REASON_RESOURCES ||
                 j->reason == REASON_PRIORITY || j->reason == REASON_ARRAY_LIMIT || j->state == JOB_FAILED;
    return waits ? "any" : reason_slurm(j->reason);
}

/* What does not depend on when and where it was recorded, sorted by name. */
static int row_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *release_table(const struct model *m)
{
    char *rows[256];
    size_t n = 0;
    struct str s = STR_INIT;
    list_for_each (j, &m->all, struct job, in_all) {
        const struct job_req *r = &j->req;
        if (j->array_index != ARRAY_NONE) /* how many of them run already differs */
            continue;
        assert_true(n < sizeof rows / sizeof *rows);
        rows[n++] =
            xasprintf("%s|%s|%s|%s|%s|cpus %u|nodes %u|limit %u|array of %u|exit %d:%d|dep %d|%s|%s",
                      r->name, job_state_long((enum job_state)j->state), release_reason(j), r->partition,
                      j->user ? j->user : "-", r->ntasks * r->cpus_per_task, r->nodes_min, r->time_limit_s,
                      job_origin(j)->array_count, j->exit_code, j->exit_signal, r->dependency != NULL,
                      req_detail(r)->features ? req_detail(r)->features : "-",
                      req_rare(r)->comment ? req_rare(r)->comment : "-");
    }
    qsort(rows, n, sizeof *rows, row_compare);
    for (size_t i = 0; i < n; i++) {
        str_appendf(&s, "%s\n", rows[i]);
        free(rows[i]);
    }
    str_appendf(&s, "%zu nodes, %zu partitions\n", m->n_nodes, m->spec.parts.n);
    for (size_t i = 0; i < m->n_nodes; i++)
        str_appendf(&s, "%s %u %u\n", m->nodes[i]->spec.name, m->nodes[i]->state, m->nodes[i]->drain);
    return str_take(&s);
}

static void release_compare(const char *release, const char *got, const char *want)
{
    while (*got && *want) {
        size_t n = strcspn(got, "\n"), m = strcspn(want, "\n");
        char *a = xstrndup(got, n), *b = xstrndup(want, m);
        check_str(release, a, b);
        free(a);
        free(b);
        got += n + (got[n] != '\0');
        want += m + (want[m] != '\0');
    }
    check_str(release, got, want);
}

static void test_same_table(void **state)
{
    (void)state;
    struct slurm_mirror *first = release_mirror(releases[0]);
    char *want = release_table(slurm_mirror_model(first));
    assert_non_null(strstr(want, "sweep"));
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        struct slurm_mirror *s = release_mirror(releases[i]);
        char *got = release_table(slurm_mirror_model(s));
        assert_string_equal(slurm_mirror_release(s), releases[i]);
        release_compare(releases[i], got, want);
        free(got);
        slurm_mirror_free(s);
    }
    free(want);
    slurm_mirror_free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
