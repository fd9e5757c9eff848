/* test_cause_text.c - every code has a sentence, with and without its arguments. */
#include "src/base/xalloc.h"
#include "src/model/dep.h"
#include "src/model/spec.h"
#include "src/text/cause_text.h"
#include "tests/lib/check.h"

static void say_clock(struct str *out, struct wall t, struct wall now)
{
    (void)now;
    str_appendf(out, "T%lld", (long long)t.ms);
}

static const struct cause_reader reader = {.clock = say_clock, .now = {.ms = 1000}};

/* With every member set, so that each of them is named at least once. */
static void fill(struct cause *c)
{
    for (size_t i = 0; i < cause_rec.n_fields; i++) {
        const struct rec_field *f = &cause_rec.fields[i];
        void *at = (char *)c + f->offset;
        if (f->type == REC_U64)
            *(uint64_t *)at = 7;
        else if (f->type == REC_STR)
            *(char **)at = xstrdup("word");
        else if (f->type == REC_WALL)
            ((struct wall *)at)->ms = 3601000;
        else if (f->type == REC_STRV)
            strv_push(at, "12");
    }
    c->window_s = 86400;
}

static void test_every_code_has_a_sentence(void **state)
{
    (void)state;
    for (uint32_t code = CAUSE_NONE; code < CAUSE_N_CODES; code++) {
        const char *name = cause_code_name(code), *fault = cause_template_fault(code);
        struct str full = STR_INIT, brief = STR_INIT, bare = STR_INIT;
        struct cause c = {0};
        check_str(name, fault ? fault : "", "");
        c.code = code;
        cause_full(&bare, &c, NULL); /* nothing set, no reader: it does not crash */
        cause_brief(&bare, &c, NULL);
        fill(&c);
        c.code = code;
        cause_add(&c, CAUSE_STARTS_NOW);
        cause_full(&full, &c, &reader);
        cause_brief(&brief, &c, &reader);
        check_int(name, full.len > 0, code != CAUSE_NONE);
        check_int(name, brief.len > 0, code != CAUSE_NONE);
        check_int(name, strpbrk(full.s, "{}[]") != NULL, false);
        check_int(name, strpbrk(brief.s, "{}[]") != NULL, false);
        str_fini(&full);
        str_fini(&brief);
        str_fini(&bare);
        cause_clear(&c);
    }
}

static void must_read(const struct cause *c, const char *user, const char *brief)
{
    struct cause_reader r = reader;
    struct str s = STR_INIT;
    r.user = user;
    r.release = "U releases it";
    cause_brief(&s, c, &r);
    check_str(brief, s.s, brief);
    str_fini(&s);
}

static void test_sentences_of_lists(void **state)
{
    (void)state;
    char ann[] = "ann", urgent[] = "urgent", lab[] = "lab", a100[] = "a100", job[] = "28";
    struct cause held = {.code = CAUSE_HELD_BY_OWNER, .user = ann, .at = {.ms = 5}};
    must_read(&held, "ann", "held by you; U releases it");
    must_read(&held, "bob", "held by ann since T5");
    struct cause limit = {.code = CAUSE_LIMIT,
                          .scope = LIMIT_USER,
                          .what = LIMIT_OF_GPUS,
                          .used = 4,
                          .most = 4,
                          .asked = 2,
                          .name = ann,
                          .part = urgent};
    must_read(&limit, "ann", "all 4 of your GPUs in urgent are in use");
    must_read(&limit, "bob", "all 4 of ann's GPUs in urgent are in use");
    struct cause account = {.code = CAUSE_LIMIT,
                            .scope = LIMIT_ACCOUNT,
                            .what = LIMIT_OF_GPUS,
                            .used = 8,
                            .most = 8,
                            .asked = 1,
                            .name = lab};
    must_read(&account, NULL, "account limit reached: 8 of 8 GPUs");
    struct cause ahead = {.code = CAUSE_AHEAD, .n = 3, .start = {.ms = 9}};
    must_read(&ahead, NULL, "3 jobs ahead, starts ~T9");
    struct cause_reader beside = reader;
    struct str words = STR_INIT;
    beside.start_apart = true;
    cause_brief(&words, &ahead, &beside);
    check_str("its start stands beside", words.s, "3 jobs ahead");
    str_fini(&words);
    ahead.n = 1;
    ahead.start.ms = 0;
    ahead.window_s = 86400;
    must_read(&ahead, NULL, "1 job ahead, not within 1 d");
    struct cause place = {.code = CAUSE_NO_PLACE, .next = true};
    *cause_add(&place, CAUSE_NEEDS_GPUS) =
        (struct cause){.code = CAUSE_NEEDS_GPUS, .asked = 4, .free = 2, .type = xstrdup(a100)};
    must_read(&place, NULL, "next in line, needs 4 a100 GPUs (2 free)");
    cause_clear(&place);
    struct cause never = {.code = CAUSE_DEPENDENCY_NEVER};
    struct cause *on = cause_add(&never, CAUSE_DEPENDS_ON);
    on->id = xstrdup(job);
    on->state = JOB_FAILED;
    on->dead = true;
    cause_add(on, CAUSE_STATE_FAILED);
    must_read(&never, NULL, "job 28 failed: will never start");
    cause_clear(&never);
    struct cause after = {.code = CAUSE_DEPENDENCY};
    on = cause_add(&after, CAUSE_DEPENDS_ON);
    on->id = xstrdup(job);
    on->what = DEP_TYPE_OK;
    struct cause *now = cause_add(on, CAUSE_STATE_OTHER);
    now->state = JOB_RUNNING;
    must_read(&after, NULL, "waits for 28 to succeed");
    char *whole = cause_string(&after, &reader);
    check_str("in full", whole, "waits for job 28 (running) to succeed");
    free(whole);
    cause_clear(&after);
    struct cause licences = {.code = CAUSE_LICENCES};
    *cause_add(&licences, CAUSE_LICENCE_SHORT) = (struct cause){
        .code = CAUSE_LICENCE_SHORT, .asked = 2, .used = 2, .of = 3, .name = xstrdup("matlab")};
    must_read(&licences, NULL, "needs 2 matlab licences (1 free)");
    licences.parts.v[0].used = 3;
    must_read(&licences, NULL, "no matlab licence is free");
    cause_clear(&licences);
    struct cause fits = {.code = CAUSE_NEVER_FITS, .part = xstrdup("main")};
    *cause_add(&fits, CAUSE_WANTS) = (struct cause){.code = CAUSE_WANTS, .cpus = 1, .gpus = 2};
    struct cause *few = cause_add(cause_add(&fits, CAUSE_NODES), CAUSE_NODES_LITTLE_MEMORY);
    few->most = 65536;
    must_read(&fits, NULL, "no node of main has 1 CPU, 2 GPUs (largest: 64G)");
    cause_clear(&fits);
    struct cause newer = {.code = 100000};
    must_read(&newer, NULL, "cause 100000 (of a newer release)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_has_a_sentence),
        cmocka_unit_test(test_sentences_of_lists),
    };
    return cmocka_run_group_tests_name("cause_text", tests, NULL, NULL);
}
