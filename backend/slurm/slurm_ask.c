#include "backend/slurm/slurm_ask.h"

#include <stdlib.h>

#include "src/base/xalloc.h"

#define ANSWERS_MAX  32         /* kept; beyond, the oldest goes */
#define ANSWER_LARGE (4u << 20) /* is not kept */

struct slurm_answer {
    char *question; /* the words of the command */
    struct str text;
    struct mono at; /* when it came */
};

struct slurm_asks {
    struct slurm_answer kept[ANSWERS_MAX];
    struct wall last_at;
    uint64_t calls, failures, bytes, ms, last_ms;
};

struct slurm_asks *slurm_asks_new(void)
{
    return xcalloc(1, sizeof(struct slurm_asks));
}

static void slurm_answer_fini(struct slurm_answer *a)
{
    free(a->question);
    str_fini(&a->text);
    *a = (struct slurm_answer){0};
}

void slurm_asks_free(struct slurm_asks *a)
{
    for (size_t i = 0; a && i < ANSWERS_MAX; i++)
        slurm_answer_fini(&a->kept[i]);
    free(a);
}

void slurm_asks_report(const struct slurm_asks *a, struct msg_engine *ret)
{
    if (a->calls)
        *rec_list_push(&ret->calls) = (struct engine_calls){.what = xstrdup("on demand"),
                                                            .calls = a->calls,
                                                            .failures = a->failures,
                                                            .bytes = a->bytes,
                                                            .ms = a->ms,
                                                            .last_ms = a->last_ms,
                                                            .read_at = a->last_at};
}

static struct slurm_answer *slurm_asks_find(struct slurm_asks *a, const char *question)
{
    for (size_t i = 0; i < ANSWERS_MAX; i++)
        if (str_eq(a->kept[i].question, question))
            return &a->kept[i];
    return NULL;
}

/* Where it was, else the oldest's; one that is not in use is the oldest of all. */
static struct slurm_answer *slurm_asks_place(struct slurm_asks *a, const char *question)
{
    struct slurm_answer *at = slurm_asks_find(a, question);
    if (at)
        return at;
    at = &a->kept[0];
    for (size_t i = 1; i < ANSWERS_MAX; i++)
        if (a->kept[i].at.ns < at->at.ns)
            at = &a->kept[i];
    return at;
}

static void slurm_asks_keep(struct slurm_asks *a, const char *question, const struct str *text)
{
    struct slurm_answer *at = slurm_asks_place(a, question);
    slurm_answer_fini(at);
    at->question = xstrdup(question);
    at->at = mono_read();
    str_append_n(&at->text, text->s, text->len);
}

/* --- asking --- */

struct slurm_asking {
    struct slurm_asks *asks;
    char *question;
    slurm_ask_fn *fn;
    void *arg;
};

static void slurm_ask_on_answer(struct slurm_session *s, uint64_t tag, const struct slurm_output *o,
                                void *arg)
{
    struct slurm_asking *q = arg;
    struct slurm_span answer = {o->out.s, o->exit_code == 0 ? o->out.len : 0};
    struct slurm_asks *a = q->asks;
    a->calls++;
    a->failures += o->exit_code != 0;
    a->bytes += o->out.len;
    a->ms += (uint64_t)o->ms;
    a->last_ms = (uint64_t)o->ms;
    a->last_at = wall_read();
    if (o->exit_code == 0 && o->out.len < ANSWER_LARGE)
        slurm_asks_keep(a, q->question, &o->out);
    q->fn(s, tag, &answer, q->arg);
    free(q->question);
    free(q);
}

void slurm_ask(struct slurm_session *s, uint64_t tag, const struct strv *argv, int64_t young_ms,
               slurm_ask_fn *fn, void *arg)
{
    char *question = strv_join(argv, " ");
    const struct slurm_answer *kept = slurm_asks_find(s->asks, question);
    if (kept && mono_read().ns - kept->at.ns < young_ms * NS_PER_MS) {
        struct slurm_span answer = {kept->text.s, kept->text.len};
        free(question);
        fn(s, tag, &answer, arg);
        return;
    }
    struct slurm_asking *q = xcalloc(1, sizeof *q);
    *q = (struct slurm_asking){.asks = s->asks, .question = question, .fn = fn, .arg = arg};
    slurm_session_run(s, tag, argv, slurm_ask_on_answer, q);
}
