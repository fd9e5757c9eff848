/* squeue's columns: values seen on Slurm, unset ones, hostile ones. */
#include "tests/lib/check.h"

#include "src/model/members.h"
#include "src/proto/codec.h"
#include "tests/unit/cli/clicase.h"

struct fixture {
    struct model m;
    struct job *waiting, *running, *array, *element, *failed;
};

static void setup_jobs(struct fixture *f)
{
    setenv("TZ", "UTC", 1);
    make_cluster(&f->m);
    f->waiting = make_job(10, JOB_PENDING, "sleep");
    f->waiting->reason = REASON_RESOURCES;
    f->running = make_job(11, JOB_RUNNING, "train");
    give_node(f->running, "n1", 0, 4, 4096);
    give_node(f->running, "n2", 0, 4, 4096);
    f->running->time_limit_s = 86400;
    f->running->req.account = xstrdup("vision");
    job_origin_mut(f->running)->command = xstrdup("/home/alice/train.sh");
    f->array = make_job(6, JOB_PENDING, "sweep");
    f->array->array_job = 6;
    f->array->req.array_throttle = 4;
    *rec_list_push(&job_rare_mut(f->array)->array_pending) =
        (struct index_range){.first = 1, .last = 9, .step = 2};
    f->element = make_job(12, JOB_RUNNING, "sweep");
    f->element->array_job = 6;
    f->element->array_index = 0;
    f->element->time_limit_s = DURATION_UNLIMITED;
    give_node(f->element, "n2", 4, 1, 0);
    f->failed = make_job(13, JOB_FAILED, "bad");
    f->failed->reason = REASON_NON_ZERO_EXIT;
    f->failed->exit_code = 3;
    f->failed->t_end = wall_add_s(f->failed->t_start, 5);
    struct job *all[] = {f->waiting, f->running, f->array, f->element, f->failed};
    for (size_t i = 0; i < N_OF(all); i++)
        model_take_job(&f->m, all[i]);
}

static void check_cell(const char *row, const struct columns *cs, const char *spec, const struct job_row *r,
                       const struct job_cx *cx, const char *want)
{
    struct format f = {.items = VEC_INIT};
    struct str s = STR_INIT;
    format_parse_letters(&f, cs, spec, NULL);
    format_row(&s, &f, r, cx);
    check_str(row, s.s, want);
    str_fini(&s);
    format_fini(&f);
}

static void values(void **unused)
{
    (void)unused;
    struct fixture f;
    setup_jobs(&f);
    struct job_cx cx = job_cx_from_env(&f.m);
    const struct {
        const char *spec;
        const struct job *job;
        const char *want;
    } rows[] = {
        {"%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R", f.waiting,
         "                10      main    sleep    alice PD       0:00      1 (Resources)"},
        {"%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R", f.running,
         "                11      main    train    alice  R    1:02:03      2 n[1-2]"},
        {"%i|%A|%F|%K", f.waiting, "10|10|10|N/A"},
        {"%i|%A|%F|%K", f.array, "6_[1,3,5,7,9%4]|6|6|1,3,5,7,9%4"},
        {"%i|%A|%F|%K", f.element, "6_0|12|6|0"},
        {"%B|%N|%S|%e|%V", f.waiting, "n/a||N/A|N/A|2023-11-14T22:13:20"},
        {"%B|%N|%S|%e", f.running, "n1|n[1-2]|2023-11-14T22:11:17|2023-11-15T22:11:17"},
        {"%e|%l|%L", f.element, "N/A|UNLIMITED|UNLIMITED"},
        {"%l|%L|%M", f.waiting, "1:00:00|1:00:00|0:00"},
        {"%l|%L|%M", f.running, "1-00:00:00|22:57:57|1:02:03"},
        {"%S|%e|%M", f.failed, "2023-11-14T22:11:17|2023-11-14T22:11:22|0:05"},
        {"%a|%k|%q|%v|%w|%W|%f|%o|%E", f.waiting,
         "(null)|(null)|normal|(null)|(null)|(null)|(null)|(null)|(null)"},
        {"%a|%o|%Z", f.running, "vision|/home/alice/train.sh|/home/alice"},
        {"%b|%c|%d|%h|%H|%I|%J|%z|%X|%O|%n|%x", f.waiting, "N/A|1|0|OK|*|*|*|*:*:*|N/A|0||"},
        {"%C|%D|%m", f.running, "8|2|0"},
        {"%Q|%p|%y", f.waiting, "1010|0.00000023515895|0"},
        {"%t|%T|%r|%R", f.failed, "F|FAILED|NonZeroExitCode|(NonZeroExitCode)"},
        {"%u|%U|%g|%G", f.waiting, "alice|1000|staff|100"},
        {"%P|%j", f.waiting, "main|sleep"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job_row r = {.job = rows[i].job, .element = ARRAY_NONE};
        check_cell(rows[i].spec, &job_columns, rows[i].spec, &r, &cx, rows[i].want);
    }
    struct job_row third = {.job = f.array, .element = 3};
    check_cell("element of a record", &job_columns, "%i|%A|%K|%t", &third, &cx, "6_3|6|3|PD");
    model_fini(&f.m);
}

/* The header that clients split at '|'. Seen with squeue -o %all of 23.02. */
static void all_columns(void **unused)
{
    (void)unused;
    struct format f = {.items = VEC_INIT};
    struct str s = STR_INIT;
    format_parse_letters(&f, &job_columns, "%all", NULL);
    format_header(&s, &f);
    check_str(
        "all", s.s,
        "ACCOUNT|TRES_PER_NODE|MIN_CPUS|MIN_TMP_DISK|END_TIME|FEATURES|GROUP|OVER_SUBSCRIBE|JOBID|NAME|"
        "COMMENT|"
        "TIME_LIMIT|MIN_MEMORY|REQ_NODES|COMMAND|PRIORITY|QOS|REASON|ST|USER|RESERVATION|WCKEY|EXC_NODES|"
        "NICE|"
        "S:C:T|JOBID|EXEC_HOST|CPUS|NODES|DEPENDENCY|ARRAY_JOB_ID|GROUP|SOCKETS_PER_NODE|CORES_PER_SOCKET|"
        "THREADS_PER_CORE|ARRAY_TASK_ID|TIME_LEFT|TIME|NODELIST|CONTIGUOUS|PARTITION|PRIORITY|NODELIST("
        "REASON)|"
        "START_TIME|STATE|UID|SUBMIT_TIME|LICENSES|CORE_SPEC|SCHEDNODES|WORK_DIR");
    str_fini(&s);
    format_fini(&f);
}

/* What Open OnDemand, AiiDA and the others ask -O for. */
static void named_columns(void **unused)
{
    (void)unused;
    static const char *const names[] = {
        "jobid",      "name",          "state",        "statecompact", "partition",  "nodelist",
        "reason",     "command",       "timelimit",    "timeused",     "arrayjobid", "arraytaskid",
        "jobarrayid", "username",      "starttime",    "tres-alloc",   "workdir",    "qos",
        "account",    "batchhost",     "comment",      "dependency",   "endtime",    "minmemory",
        "numcpus",    "numnodes",      "prioritylong", "submittime",   "timeleft",   "stdout",
        "stderr",     "tres-per-node", "MinCpus",      "MinTmpDisk",   "Feature",    "GroupName",
        "GroupID",    "OverSubscribe", "Sockets",      "Cores",        "Threads",    "ReqNodes",
        "Contiguous", "UserID",        "Reservation",  "WCKey",        "Licenses",   "ExcNodes",
        "CoreSpec",   "Nice",          "SchedNodes",   "SCT"};
    for (size_t i = 0; i < N_OF(names); i++)
        if (!column_by_name(&job_columns, names[i], strlen(names[i])))
            fail_msg("no column %s", names[i]);
    static const char letters[] = "aABbcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRStTuUvVwWxXyYzZ";
    for (const char *l = letters; *l; l++)
        if (!column_by_letter(&job_columns, *l))
            fail_msg("no column %%%c", *l);
}

static void hostile_names(void **unused)
{
    (void)unused;
    struct fixture f;
    setup_jobs(&f);
    struct job_cx cx = job_cx_from_env(&f.m);
    struct job_row r = {.job = f.waiting, .element = ARRAY_NONE};
    free(f.waiting->req.name);
    f.waiting->req.name = xstrdup("a\n99 R root\033[2J\xff\u202e");
    check_cell("escaped", &job_columns, "%j|", &r, &cx, "a\\n99 R root\\x1B[2J\\xFF\\u{202E}|");
    free(f.waiting->req.name);
    f.waiting->req.name = xstrdup("日本語ジョブ");
    check_cell("wide", &job_columns, "%.9j|%5j|", &r, &cx, " 日本語ジ|日本 |");
    model_fini(&f.m);
}

static void times_by_environment(void **unused)
{
    (void)unused;
    struct fixture f;
    setup_jobs(&f);
    static const struct {
        const char *env, *want;
    } rows[] = {
        {"standard", "2023-11-14T22:13:20"},
        {"%s", "1700000000"},
        {"%H:%M", "22:13"},
        {"relative", "22:13:20"},
        {"", "2023-11-14T22:13:20"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        setenv("SLURM_TIME_FORMAT", rows[i].env, 1);
        struct job_cx cx = job_cx_from_env(&f.m);
        struct job_row r = {.job = f.waiting, .element = ARRAY_NONE};
        check_cell(rows[i].env, &job_columns, "%V", &r, &cx, rows[i].want);
    }
    unsetenv("SLURM_TIME_FORMAT");
    setenv("SLURM_BITSTR_LEN", "4", 1);
    struct job_cx cx = job_cx_from_env(&f.m);
    struct job_row r = {.job = f.array, .element = ARRAY_NONE};
    check_cell("short bracket", &job_columns, "%i", &r, &cx, "6_[1,3,...%4]");
    unsetenv("SLURM_BITSTR_LEN");
    model_fini(&f.m);
}

static void json_of_columns(void **unused)
{
    (void)unused;
    struct fixture f;
    setup_jobs(&f);
    struct job_cx cx = job_cx_from_env(&f.m);
    struct job_row r = {.job = f.running, .element = ARRAY_NONE};
    struct str s = STR_INIT;
    columns_to_json(&s, &job_columns, &r, &cx);
    static const char *const parts[] = {
        "{\"id\":\"11\",",      "\"job_id\":11,",     "\"name\":\"train\"", "\"state\":\"RUNNING\"",
        "\"cpus\":8",           "\"node_count\":2",   "\"elapsed_s\":3723", "\"start\":1699999877",
        "\"nodes\":\"n[1-2]\"", "\"qos\":\"normal\"", "\"mem_mib\":8192"};
    for (size_t i = 0; i < N_OF(parts); i++)
        check_has(parts[i], s.s, parts[i]);
    str_fini(&s);
    model_fini(&f.m);
}

static void steps(void **unused)
{
    (void)unused;
    struct fixture f;
    setup_jobs(&f);
    struct job_cx cx = job_cx_from_env(&f.m);
    struct step *s = rec_list_push(&f.running->steps);
    *s =
        (struct step){.id = 0, .name = xstrdup("hello"), .n_ranks = 4, .t_start = wall_add_s(f.m.now, -62)};
    struct task *t = rec_list_push(&s->tasks);
    t->alloc.node = xstrdup("n1");
    cpuset_add_range(&t->alloc.cpus, 0, 4);
    struct job_row r = {.job = f.running, .step = s, .element = ARRAY_NONE};
    check_cell("default line", &step_columns, "%.15i %.8j %.9P %.8u %.9M %N", &r, &cx,
               "           11.0    hello      main    alice      1:02 n1");
    check_cell("figures", &step_columns, "%C %D %A %T", &r, &cx, "4 1 4 RUNNING");
    model_fini(&f.m);
}

/* Every member set, no two numbers alike. */
static void fill(const struct rec_desc *d, void *rec, uint32_t *next)
{
    for (size_t i = 0; i < d->n_fields; i++) {
        const struct rec_field *f = &d->fields[i];
        void *p = rec_at_mut(f, rec);
        uint32_t n = (*next)++;
        switch (f->type) {
        case REC_BOOL: *(bool *)p = true; break;
        case REC_U8: *(uint8_t *)p = (uint8_t)n; break;
        case REC_U32: *(uint32_t *)p = n; break;
        case REC_I32: *(int32_t *)p = (int32_t)n; break;
        case REC_U64: *(uint64_t *)p = n; break;
        case REC_I64: *(int64_t *)p = n; break;
        case REC_F64: *(double *)p = n; break;
        case REC_STR: *(char **)p = xasprintf("%s%u", f->name, n); break;
        case REC_BLOB: *(struct blob *)p = (struct blob){.p = xmemdup("x", 1), .n = 1}; break;
        case REC_STRV: strv_push(p, f->name); break;
        case REC_WALL: ((struct wall *)p)->ms = NOW_MS - 1000 * (int64_t)n; break;
        case REC_CPUSET: cpuset_add_range(p, n % 64, 3); break;
        case REC_SUB: fill(f->sub, p, next); break;
        case REC_LISTOF:
            for (int k = 0; k < 2 && f->sub != d; k++) /* a cause has causes */
                fill(f->sub, rec_list_push_any(p, f->sub->size), next);
            break;
        }
    }
}

static struct job *full_job(enum job_state state, enum job_kind kind)
{
    struct job *j = job_new();
    uint32_t next = 1;
    fill(&job_rec, j, &next);
    free(j->partition);
    j->partition = xstrdup("gpu");
    j->state = (uint8_t)state;
    j->kind = (uint8_t)kind;
    j->reason = REASON_RAISED_SIGNAL;
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++)
        job_rare(j)->array_pending.v[i] =
            (struct index_range){.first = 5 * (uint32_t)i, .last = 5 * (uint32_t)i + 3, .step = 1};
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            j->steps.v[i].tasks.v[k].state = k ? TASK_DONE : TASK_RUNNING;
    return j;
}

static void check_reads(const struct columns *cs, const struct job *j, const struct step *s,
                        const struct job_cx *cx)
{
    for (size_t i = 0; i < cs->n; i++) {
        const struct column *col = &cs->v[i];
        struct str bytes = STR_INIT, whole = STR_INIT, some = STR_INIT;
        struct job row;
        uint64_t always = JOB_HAS(id) | JOB_HAS(kind) | JOB_HAS(state);
        const struct codec_part part = {.members =
                                            col->reads->job | always | (col->reads->req ? JOB_HAS(req) : 0),
                                        .inner = &job_req_rec,
                                        .inner_members = col->reads->req};
        codec_encode_part(&job_rec, j, &part, &bytes);
        assert_int_equal(codec_decode(&job_rec, bytes.s, bytes.len, &row, NULL), 0);
        struct job_row a = {.job = j, .step = s, .element = ARRAY_NONE},
                       b = {.job = &row, .element = ARRAY_NONE};
        b.step = s && row.steps.n ? &row.steps.v[0] : s;
        col->get(&whole, &a, cx);
        col->get(&some, &b, cx);
        check_str(col->title, some.s, whole.s);
        if (col->number && col->number(&a, cx) != col->number(&b, cx))
            fail_msg("%s sorts by what it does not say it reads", col->title);
        rec_fini(&job_rec, &row);
        str_fini(&bytes);
        str_fini(&whole);
        str_fini(&some);
    }
}

/* Rows come with the members alone that their columns say they read. */
static void columns_say_what_they_read(void **unused)
{
    (void)unused;
    struct fixture f;
    setup_jobs(&f);
    struct job_cx cx = job_cx_from_env(&f.m);
    for (enum job_state state = 0; state < JOB_N_STATES; state++)
        for (int kind = 0; kind <= JOB_KIND_INTERACTIVE; kind++)
            for (int shape = 0; shape < 4; shape++) {
                struct job *j = full_job(state, (enum job_kind)kind);
                check_reads(&step_columns, j, &j->steps.v[0], &cx);
                if (shape & 1) { /* its time limit and sizes are those of its partition, or defaults */
                    rec_fini(&job_req_rec, &j->req);
                    job_req_init(&j->req);
                    j->req.array_throttle = 7;
                    j->time_limit_s = DURATION_NOT_SET;
                    j->array_index = ARRAY_NONE;
                    j->t_end = (struct wall){0};
                }
                if (shape & 2) { /* holds nothing yet */
                    for (size_t i = 0; i < j->alloc.n; i++)
                        rec_fini(&alloc_rec, &j->alloc.v[i]);
                    j->alloc.n = 0;
                    j->array_job = 0;
                    j->t_start = (struct wall){0};
                }
                check_reads(&job_columns, j, NULL, &cx);
                job_free(j);
            }
    model_fini(&f.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(all_columns),
        cmocka_unit_test(named_columns),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(times_by_environment),
        cmocka_unit_test(json_of_columns),
        cmocka_unit_test(steps),
        cmocka_unit_test(columns_say_what_they_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
