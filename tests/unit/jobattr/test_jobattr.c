/* test_jobattr.c - the table of the attributes of a job: complete, and true to the record. */
#include "tests/lib/check.h"

#include <string.h>

#include "src/base/xalloc.h"
#include "src/jobattr/jobattr.h"

static const struct rec_field *find_member(const char *name)
{
    for (size_t i = 0; i < job_req_rec.n_fields; i++)
        if (strcmp(job_req_rec.fields[i].name, name) == 0)
            return &job_req_rec.fields[i];
    return NULL;
}

/* What the record says of the member that a row names. */
static void rows_are_true_to_the_record(void **unused)
{
    (void)unused;
#define X(kind, ctype) \
    _Generic((ctype){0}, char *: REC_STR, uint32_t: REC_U32, int32_t: REC_I32, uint64_t: REC_U64, bool: REC_BOOL, struct wall: REC_WALL),
    static const enum rec_type types[] = {JOB_ATTR_KINDS(X)};
#undef X
    job_attr_for_each (a) {
        const struct rec_field *f = find_member(a->member);
        check_int(a->member, f != NULL, true);
        check_int(a->member, f->type, types[a->kind]);
        check_int(a->member, (int64_t)f->offset, (int64_t)a->offset);
        static const size_t boxes[] = {
            [IN_DETAIL] = sizeof(struct job_req_detail), [IN_RARE] = sizeof(struct job_req_rare)};
        check_int(a->member, (int64_t)f->box_size, (int64_t)boxes[a->place]);
    }
}

/* Members of the request that no row stands for; each is set together with one that has a row. */
static void every_member_has_a_row(void **unused)
{
    (void)unused;
    static const char *const others[] = {"nodes_max",    "gpu_type", "signal_at_s",    "signal_batch",
                                         "has_priority", "truncate", "exclusive_user", "switch_wait_s"};
    for (size_t i = 0; i < job_req_rec.n_fields; i++) {
        const char *name = job_req_rec.fields[i].name;
        bool found = false;
        job_attr_for_each (a)
            found = found || strcmp(a->member, name) == 0;
        for (size_t k = 0; k < N_OF(others); k++)
            found = found || strcmp(others[k], name) == 0;
        check_int(name, found, true);
    }
}

/* A value of `scontrol update` that each row with a key takes, and what its option would be given. */
static const char *value_of(const struct job_attr *a)
{
    static char number[24];
    if (job_attr_is_text(a))
        return "x";
    if (a->kind == JOB_ATTR_MEMORY)
        return "2G";
    if (a->kind == JOB_ATTR_LIMIT)
        return "1:00:00";
    if (a->kind == JOB_ATTR_TIME_POINT)
        return "2030-01-02T03:04:05";
    if (a->kind == JOB_ATTR_LOST_NODE)
        return "requeue";
    if (a->kind == JOB_ATTR_SWITCHES)
        return "2@10:00";
    snprintf(number, sizeof number, "%lld", (long long)a->max);
    return number;
}

static void every_key_sets_its_member(void **unused)
{
    (void)unused;
    job_attr_for_each (a) {
        struct job_req r;
        struct str before = STR_INIT, after = STR_INIT;
        struct errtext err = {""};
        if (!a->update)
            continue;
        job_req_init(&r);
        job_attr_append(&before, a, &r);
        check_int(a->update, job_attr_set(a, &r, value_of(a), (struct wall){.ms = 1}, &err), 0);
        job_attr_append(&after, a, &r);
        check_int(a->update, strcmp(before.s, after.s) != 0, true);
        rec_fini(&job_req_rec, &r);
        str_fini(&before);
        str_fini(&after);
    }
}

/* The type of the GPUs can be changed with their number. */
static void gpus_have_a_type(void **unused)
{
    static const struct {
        const char *value, *shown; /* NULL: refused, and nothing is changed */
    } rows[] = {{"2", "a100:2"}, {"h100:4", "h100:4"}, {"h100:", NULL}, {":2", NULL}, {"h100:x", NULL}};
    const struct job_attr *a = &job_attrs[ATTR_GPUS];
    (void)unused;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job_req r;
        struct str text = STR_INIT;
        struct errtext err = {""};
        job_req_init(&r);
        r.gpus = 1;
        req_detail_mut(&r)->gpu_type = xstrdup("a100");
        int rc = job_attr_set(a, &r, rows[i].value, (struct wall){.ms = 1}, &err);
        check_int(rows[i].value, rc == 0, rows[i].shown != NULL);
        job_attr_append(&text, a, &r);
        check_str(rows[i].value, text.s, rows[i].shown ? rows[i].shown : "a100:1");
        rec_fini(&job_req_rec, &r);
        str_fini(&text);
    }
}

static void limits_hold(void **unused)
{
    (void)unused;
    job_attr_for_each (a) {
        struct job_req r;
        struct errtext err = {""};
        if (!a->update || !a->max)
            continue;
        char *above = xasprintf("%lld", (long long)a->max + 1),
             *below = xasprintf("%lld", (long long)a->min - 1);
        job_req_init(&r);
        check_int(a->update, job_attr_set(a, &r, above, (struct wall){.ms = 1}, &err) < 0, true);
        check_int(a->update, job_attr_set(a, &r, below, (struct wall){.ms = 1}, &err) < 0, true);
        rec_fini(&job_req_rec, &r);
        free(above);
        free(below);
    }
}

static void keys_are_found_in_any_case(void **unused)
{
    (void)unused;
    static const struct {
        const char *key;
        int id;
    } rows[] = {{"nosuchkey", ATTR_NONE},   {"", ATTR_NONE},         {"Job", ATTR_NONE},
                {"jobname", ATTR_JOB_NAME}, {"NAME", ATTR_JOB_NAME}, {"NodeList", ATTR_NODELIST},
                {"Licenses", ATTR_LICENSES}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct job_attr *a = job_attr_by_key(rows[i].key);
        check_int(rows[i].key, a ? (int)a->id : ATTR_NONE, rows[i].id);
    }
    struct str always = STR_INIT;
    job_attr_list_keys(&always, true);
    check_str("always", always.s,
              "ArrayTaskThrottle, Comment, JobName, LostNode, RestartAtLimit, TimeLimit");
    str_fini(&always);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_true_to_the_record),
        cmocka_unit_test(every_member_has_a_row),
        cmocka_unit_test(every_key_sets_its_member),
        cmocka_unit_test(gpus_have_a_type),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(keys_are_found_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
