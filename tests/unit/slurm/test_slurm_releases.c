/* The same queue as several releases of Slurm have answered (tests/slurm/record, SLURM_SUITE): the same
 * table. Between them stand releases that no package could be had of: they are constructed, below. */
#include <string.h>

#include "backend/slurm/live/slurm_detail.h"
#include "backend/slurm/live/slurm_lists.h"
#include "backend/slurm/live/slurm_use.h"
#include "backend/slurm/past/slurm_sacct.h"
#include "backend/slurm/slurm_mirror.h"
#include "backend/slurm/slurm_poll.h"
#include "backend/slurm/usage/slurm_usage.h"
#include "backend/slurm/why/slurm_limits.h"
#include "src/model/model.h"
#include "src/text/cause_text.h"
#include "tests/unit/slurm/fixture.h"

static const struct wall NOW = {INT64_C(1795500000000)};

/* CONSTRUCTED, not recorded: an answer of another release with what Slurm's own lists of changes name
 * (NEWS and CHANGELOG/slurm-RELEASE.md of its sources, the release stands in front of each quotation).
 * Where in the line a field stands is not told there, but where a later recorded release has it. */
struct release_edit {
    const char *file, *was, *is;
};
#define NO_EDIT          \
    {                    \
        NULL, NULL, NULL \
    }
#define NODE_SENSORS "ExtSensorsJoules=n/a ExtSensorsWatts=0 ExtSensorsTemp=n/a"

/* 21.08: "Add LastBusyTime to scontrol show nodes"; "Don't display node's comment ... unless set";
 * "scontrol show node now shows State as base_state+flags"; "Add new 'PLANNED' state to a node ... instead
 * of showing as 'IDLE'"; "Make NtasksPerTRES optional"; "Removed AccountingStoreJobComment option ... use
 * AccountingStoreFlags". INFERRED: 21.08 has all else as 20.11.4 does. 22.05.8 also has CPUEfctv of nodes,
 * TRES of partitions, Scheduler of jobs, and the memory of nodes in tres-alloc: the lists do not name
 * these, so they came at an unknown time between the two. */
static const struct release_edit edits_21_08[] = {
    {"config", "20.11.4", "21.08.8"},
    {"config", "AccountingStoreJobComment = Yes", "AccountingStoreFlags    = job_comment"},
    {"node", " CfgTRES=", " LastBusyTime=Unknown CfgTRES="},
    {"node", " Comment=(null)", ""},
    {"node", "State=IDLE ", "State=IDLE+PLANNED "},
    {"job_details", " NtasksPerTRES:0", " "},
    NO_EDIT};

/* Read, 23.11: "Add cloud instance id and instance type to node records"; 23.02: "If a node is in a
 * reservation add the reservation name to it"; undone, 24.05: "Add ExclusiveTopo to a partition
 * definition". INFERRED from the recorded answers, not read: CapWatts and the sensors of nodes, Watts of
 * reservations and Power of jobs are in 22.05.8 and not in 24.11.5, and 23.11 is taken to have them still.
 * Kept as 24.11.5 has them: both ReqTRES and AllocTRES in `show job`, exit codes of squeue with their
 * signal. */
static const struct release_edit edits_23_11[] = {
    {"config", "24.11.5", "23.11.4"},
    {"node", "AllocTRES= CurrentWatts=0 AveWatts=0  Reason=",
     "AllocTRES= CapWatts=n/a CurrentWatts=0 AveWatts=0 " NODE_SENSORS
     " InstanceId=i-0ab InstanceType=m5.large ReservationName=maint Reason="},
    {"partition", "ExclusiveTopo=NO ", ""},
    {"reservation", "BurstBuffer=(null) ", "BurstBuffer=(null) Watts=n/a "},
    {"job_details", "StdOut=/home/ann/work/slurm-1.out ", "StdOut=/home/ann/work/slurm-1.out Power= "},
    NO_EDIT};

/* 25.05: "scontrol - Add SegmentSize to show jobs (if set)"; "Add (JobId=%u StepId=%u) suffix to node drain
 * reason when setting it to Kill task failed". */
static const struct release_edit edits_25_05[] = {
    {"config", "24.11.5", "25.05.3"},
    {"node", "Reason=not built yet", "Reason=Kill task failed (JobId=7 StepId=0)"},
    {"job_details", " Network=(null)", " SegmentSize=2 Network=(null)"},
    NO_EDIT};

/* The same, and 25.11: "scontrol - Add SubmitLine field to show job"; "Job stderr string will be blank in
 * ... scontrol ... unless it has been explicitly set"; "Add the ability to gate access to a reservation by
 * QOS",
 * "... by Partition"; "Remove the trailing space after ... fields in scontrol show jobs output". */
static const struct release_edit edits_25_11[] = {
    {"config", "24.11.5", "25.11.1"},
    {"node", "Reason=not built yet", "Reason=Kill task failed (JobId=7 StepId=0)"},
    {"job_details", " Network=(null)", " SegmentSize=2 Network=(null)"},
    {"job_details", " WorkDir=", " SubmitLine=sbatch -n 2 Nodes=n1 CPU_IDs=3-5 steps WorkDir="},
    {"job_details", "StdErr=/home/ann/work/slurm-1.out", "StdErr="},
    {"job_details", "slurm-1.out \n", "slurm-1.out\n"},
    {"reservation", " Users=", " AllowedPartitions=(null) QOS=(null) Users="},
    NO_EDIT};

static const struct release {
    const char *name, *files;         /* files: whose answers they are */
    const struct release_edit *edits; /* NULL: recorded */
} releases[] = {{"20.11.4", "20.11.4", NULL},        {"21.08.8", "20.11.4", edits_21_08},
                {"22.05.8", "22.05.8", NULL},        {"23.11.4", "24.11.5", edits_23_11},
                {"24.11.5", "24.11.5", NULL},        {"25.05.3", "24.11.5", edits_25_05},
                {"25.11.1", "24.11.5", edits_25_11}, {"26.05.5", "26.05.5", NULL}};

/* An edit that changes nothing is one of an answer that has none such. */
static void release_edit(struct slurm_span *s, const struct release_edit *e)
{
    struct str out = STR_INIT;
    size_t n = strlen(e->was), found = 0;
    const char *at = s->p, *end = s->p + s->n, *hit;
    for (; (hit = memmem(at, (size_t)(end - at), e->was, n)); at = hit + n, found++) {
        str_append_n(&out, at, (size_t)(hit - at));
        str_append(&out, e->is);
    }
    str_append_n(&out, at, (size_t)(end - at));
    check_int(e->was, found > 0, 1);
    free((void *)(uintptr_t)s->p);
    s->n = out.len;
    s->p = str_take(&out);
}

static struct slurm_span release_read(const struct release *release, const char *name)
{
    char *path = xasprintf("../%s/%s", release->files, name);
    struct slurm_span s = fixture_read(path);
    free(path);
    for (const struct release_edit *e = release->edits; e && e->file; e++)
        if (str_eq(e->file, name))
            release_edit(&s, e);
    return s;
}

static struct slurm_mirror *release_mirror(const struct release *release)
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
    struct slurm_mirror *first = release_mirror(&releases[0]);
    char *want = release_table(slurm_mirror_model(first));
    assert_non_null(strstr(want, "sweep"));
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        struct slurm_mirror *s = release_mirror(&releases[i]);
        char *got = release_table(slurm_mirror_model(s));
        assert_string_equal(slurm_mirror_release(s), releases[i].name);
        release_compare(releases[i].name, got, want);
        free(got);
        slurm_mirror_free(s);
    }
    free(want);
    slurm_mirror_free(first);
}

/* --- answers with accounts: tests/slurm/record_accounts --- */

#define WORD "\037recordedword"

static void say_history(struct str *s, const struct slurm_span *answer)
{
    struct slurm_span rest = *answer;
    struct job *j;
    int r;
    while ((r = slurm_sacct_next(&rest, WORD, &j, NULL)) > 0) {
        if (!j)
            continue;
        str_appendf(s, "sacct %s|%s|%d:%d|%s|%s|%s|element %d|cpus %u|%s|%u s\n", j->req.name,
                    job_state_long((enum job_state)j->state), j->exit_code, j->exit_signal, j->user,
                    job_origin(j)->group, j->req.account,
                    j->array_index == ARRAY_NONE ? -1 : (int)j->array_index, job_cpus(j), j->partition,
                    j->time_limit_s);
        job_free(j);
    }
    assert_int_equal(r, 0);
}

static void say_cause(struct str *s, bool found, struct cause *c)
{
    struct cause_reader reader = {0};
    assert_true(found);
    cause_full(s, c, &reader);
    str_append_char(s, '\n');
    cause_clear(c);
}

/* A job as the row of squeue has it, as far as limits go. */
static struct job *asking_job(uint8_t reason)
{
    struct job *j = job_new();
    j->uid = 0;
    j->user = xstrdup("root");
    j->state = JOB_PENDING;
    j->reason = reason;
    j->req.account = xstrdup("vision");
    req_detail_mut(&j->req)->qos = xstrdup("long");
    req_detail_mut(&j->req)->licenses = xstrdup("matlab:2");
    j->req.ntasks = 2;
    j->req.cpus_per_task = 1;
    return j;
}

static void say_causes(struct str *s, const struct release *release)
{
    struct slurm_span limits = release_read(release, "limits"), licenses = release_read(release, "license");
    struct cause c = {0};
    struct job *j = asking_job(REASON_NONE);
    say_cause(s, slurm_limit_cause(&limits, j, "QOSMaxCpuPerUserLimit", &c), &c);
    j->reason = REASON_LICENSES;
    say_cause(s, slurm_licence_cause(&licenses, j, &c), &c);
    job_free(j);
    free((void *)(uintptr_t)limits.p);
    free((void *)(uintptr_t)licenses.p);
}

static void say_windows(struct str *s, const struct slurm_span *answer)
{
    struct slurm_mirror *m = slurm_mirror_new(NULL, NULL);
    assert_int_equal(slurm_mirror_take_windows(m, answer, NULL), 1);
    const struct model *model = slurm_mirror_model(m);
    for (size_t i = 0; i < model->windows.n; i++) {
        const struct window *w = &model->windows.v[i];
        char *users = strv_join(&w->users, ","), *accounts = strv_join(&w->accounts, ","),
             *nodes = strv_join(&w->nodes, ",");
        str_appendf(s, "window %s|%s|%s|users %s|accounts %s|%lld s\n", w->name,
                    w->kind == WINDOW_MAINTENANCE ? "maintenance" : "reservation", nodes, users, accounts,
                    (long long)(w->end.ms - w->start.ms) / 1000);
        free(users);
        free(accounts);
        free(nodes);
    }
    slurm_mirror_free(m);
}

static void say_usage(struct str *s, const struct slurm_span *sshare, const struct slurm_span *sprio)
{
    struct msg_shares_rows shares = {0};
    struct msg_prio_rows prio = {0};
    struct model m;
    model_init(&m);
    assert_int_equal(slurm_usage_read_shares(sshare, &shares, NULL), 0);
    for (size_t i = 0; i < shares.rows.n; i++)
        str_appendf(s, "sshare %s|%s|shares %g\n", shares.rows.v[i].account,
                    shares.rows.v[i].user ? shares.rows.v[i].user : "-",
                    (double)shares.rows.v[i].raw_shares);
    slurm_usage_read_prio(sprio, &m, &prio);
    for (size_t i = 0; i < prio.rows.n; i++) {
        const struct prio_row *r = &prio.rows.v[i];
        str_appendf(s, "sprio %s|%s|fair share %lld|nice %d|%s\n", r->user, r->partition,
                    (long long)r->parts.fairshare_points, r->parts.nice,
                    r->parts.total > r->parts.fairshare_points ? "more than that" : "?");
    }
    rec_fini(&msg_shares_rows_rec, &shares);
    rec_fini(&msg_prio_rows_rec, &prio);
    model_fini(&m);
}

static void say_job(struct str *s, const struct slurm_span *devices, const struct slurm_span *steps)
{
    struct job *j = asking_job(REASON_NONE);
    *rec_list_push(&j->alloc) = (struct alloc){.node = xstrdup("n1")};
    slurm_detail_read_devices(j, devices);
    str_appendf(s, "%u CPUs of %s\n", cpuset_count(&j->alloc.v[0].cpus), j->alloc.v[0].node);
    assert_int_equal(slurm_detail_read_steps(j, steps, WORD, NULL), 0);
    for (size_t i = 0; i < j->steps.n; i++)
        str_appendf(s, "step %d %s, %u tasks\n", (int)j->steps.v[i].id, j->steps.v[i].name,
                    j->steps.v[i].n_ranks);
    job_free(j);
}

static void say_use(struct str *s, const struct slurm_span *sstat)
{
    struct slurm_use_sample sample = {0};
    slurm_use_read(sstat, &sample);
    for (size_t i = 0; i < sample.n; i++)
        str_appendf(s, "sstat step %d%s\n", sample.v[i].step, sample.v[i].mem_kib ? ", with memory" : "");
    free(sample.v);
}

static void say_lists(struct str *s, const struct slurm_span *sacctmgr)
{
    struct cluster_spec spec = {0};
    assert_true(slurm_lists_read(sacctmgr, "root", &spec));
    for (size_t i = 0; i < spec.accounts.n; i++)
        str_appendf(s, "account %s\n", spec.accounts.v[i].name);
    for (size_t i = 0; i < spec.qos.n; i++) { /* the order differs */
        assert_true(str_eq(spec.qos.v[i].name, "long") || str_eq(spec.qos.v[i].name, "normal"));
        str_appendf(s, "qos %s\n", i ? "normal" : "long");
    }
    rec_fini(&cluster_spec_rec, &spec);
}

static char *accounts_table(const struct release *release)
{
    static const char *const names[] = {"sacct", "reservation", "sshare",   "sprio", "job_details",
                                        "steps", "sstat",       "sacctmgr", "sdiag"};
    struct slurm_span text[9];
    struct str s = STR_INIT;
    for (size_t i = 0; i < 9; i++)
        text[i] = release_read(release, names[i]);
    say_history(&s, &text[0]);
    say_windows(&s, &text[1]);
    say_usage(&s, &text[2], &text[3]);
    say_job(&s, &text[4], &text[5]);
    say_use(&s, &text[6]);
    say_lists(&s, &text[7]);
    say_causes(&s, release);
    str_appendf(&s, "sdiag: %s\n", slurm_poll_reads_busy(&text[8]) ? "busy" : "not busy");
    for (size_t i = 0; i < 9; i++)
        free((void *)(uintptr_t)text[i].p);
    return str_take(&s);
}

static void test_answers_with_accounts(void **state)
{
    (void)state;
    static const char want[] = "sacct fails|FAILED|3:0|root|root|vision|element -1|cpus 2|fast|86400 s\n"
                               "sacct a|b\n"
                               "999 RUNNING|COMPLETED|0:0|root|root|vision|element -1|cpus 1|fast|86400 s\n"
                               "sacct sweep|FAILED|0:9|root|root|vision|element 3|cpus 1|fast|86400 s\n"
                               "sacct sweep|FAILED|0:9|root|root|vision|element 5|cpus 1|fast|86400 s\n"
                               "window course|reservation|n2|users |accounts vision|1800 s\n"
                               "window maint|maintenance|n4|users root|accounts |3600 s\n"
                               "sshare root|-|shares 1\n"
                               "sshare root|root|shares 1\n"
                               "sshare vision|-|shares 1\n"
                               "sshare vision|root|shares 3\n"
                               "sprio root|main|fair share 10000|nice 0|more than that\n"
                               "sprio root|fast|fair share 10000|nice 0|more than that\n"
                               "2 CPUs of n1\n"
                               "step -1 batch, 1 tasks\n"
                               "step 0 sleep, 1 tasks\n"
                               "sstat step -1, with memory\n"
                               "sstat step 0, with memory\n"
                               "account vision\n"
                               "account root\n"
                               "qos long\n"
                               "qos normal\n"
                               "user root holds 2 of 2 CPUs and asks for 2 more (hard limit for users)\n"
                               "needs 2 of licence matlab, 3 of 4 in use\n"
                               "sdiag: not busy\n";
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        char *got = accounts_table(&releases[i]);
        release_compare(releases[i].name, got, want);
        free(got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_table),
                                       cmocka_unit_test(test_answers_with_accounts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
