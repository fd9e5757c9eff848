/* stepends.c - how the tasks of a step ended. */
#include "src/cli/step/stepends.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/text/steptext.h"

#define EXIT_NOT_STARTED 2 /* what srun gives for a missing program */

void stepends_append_ranks(struct str *out, const uint32_t *ranks, size_t n)
{
    str_append(out, n == 1 ? "task " : "tasks ");
    for (size_t i = 0; i < n;) {
        size_t last = i;
        while (last + 1 < n && ranks[last + 1] == ranks[last] + 1)
            last++;
        str_appendf(out, i ? ",%u" : "%u", ranks[i]);
        if (last > i)
            str_appendf(out, "-%u", ranks[last]);
        i = last + 1;
    }
}

static bool is_good(const struct rank_end *e)
{
    return e->code == 0 && e->signal == 0;
}

static void append_end(struct str *out, const struct rank_end *e)
{
    if (!e->signal)
        str_appendf(out, "Exited with exit code %d", e->code);
    else
        str_append(out, strsignal(e->signal));
}

static bool stepends_ends_alike(const struct rank_end *a, const struct rank_end *b)
{
    return a->code == b->code && a->signal == b->signal;
}

/* One line for those of t's ranks that ended like entry `first`. */
static void describe_group(const struct step *s, const struct task *t, size_t first, struct str *out)
{
    VEC(uint32_t) same = VEC_INIT;
    const struct rank_end *e = &t->ranks.v[first];
    for (uint32_t i = 0; i < t->n_ranks; i++) {
        const struct rank_end *own = task_rank_end(t, i);
        if (own && stepends_ends_alike(own, e))
            vec_push(&same, step_rank(s, t, i));
    }
    str_appendf(out, "%s: ", t->alloc.node ? t->alloc.node : "?");
    if (t->ends_by_code)
        str_appendf(out, "%u tasks", rank_end_count(e));
    else
        stepends_append_ranks(out, same.v, same.n);
    str_append(out, ": ");
    append_end(out, e);
    str_append_char(out, '\n');
    vec_fini(&same);
}

static void describe_ranks(const struct step *s, const struct task *t, struct str *out)
{
    for (size_t i = 0; i < t->ranks.n; i++) {
        const struct rank_end *e = &t->ranks.v[i];
        bool seen = is_good(e);
        for (size_t k = 0; k < i && !seen; k++)
            seen = stepends_ends_alike(&t->ranks.v[k], e);
        if (!seen)
            describe_group(s, t, i, out);
    }
}

static void describe_whole(const struct step *s, const struct task *t, const char *what, struct str *out)
{
    VEC(uint32_t) all = VEC_INIT;
    for (uint32_t i = 0; i < t->n_ranks; i++)
        vec_push(&all, step_rank(s, t, i));
    str_appendf(out, "%s: ", t->alloc.node ? t->alloc.node : "?");
    stepends_append_ranks(out, all.v, all.n);
    struct str message = STR_INIT;
    tasktext_message(&message, t);
    str_appendf(out, ": %s%s%s\n", what, message.len ? ": " : "", message.len ? message.s : "");
    str_fini(&message);
    vec_fini(&all);
}

void stepends_describe(const struct step *s, const struct task *t, struct str *out)
{
    switch ((enum end_kind)t->end_kind) {
    case END_OOM: describe_whole(s, t, "Out Of Memory", out); return;
    case END_LAUNCH_FAILED: describe_whole(s, t, "could not be started", out); return;
    case END_NODE_REBOOT: describe_whole(s, t, "its node was rebooted", out); return;
    case END_LEASE: describe_whole(s, t, "its node had lost the controller", out); return;
    case END_UNKNOWN: describe_whole(s, t, "its end was not observed", out); return;
    case END_NONE:
    case END_NOT_RUN: return;
    case END_EXITED:
    case END_SIGNALED:
    case END_TIMEOUT:
    case END_KILLED:
    case END_N_KINDS: break;
    }
    describe_ranks(s, t, out);
}

static int code_of(int32_t code, int32_t sig)
{
    return sig ? 128 + sig : code;
}

static int task_exit_code(const struct task *t)
{
    int worst = t->end_kind == END_OOM ? 128 + SIGKILL : code_of(t->code, t->signal);
    for (size_t i = 0; i < t->ranks.n; i++) {
        int own = code_of(t->ranks.v[i].code, t->ranks.v[i].signal);
        worst = own > worst ? own : worst;
    }
    if (worst)
        return worst;
    switch ((enum end_kind)t->end_kind) {
    case END_LAUNCH_FAILED: return EXIT_NOT_STARTED;
    case END_OOM: return 128 + SIGKILL;
    case END_UNKNOWN:
    case END_NODE_REBOOT:
    case END_LEASE:
    case END_NOT_RUN: return 1;
    case END_NONE:
    case END_EXITED:
    case END_SIGNALED:
    case END_TIMEOUT:
    case END_KILLED:
    case END_N_KINDS: break;
    }
    return 0;
}

int stepends_exit_code(const struct step *s)
{
    int worst = s->tasks.n ? 0 : 1;
    for (size_t i = 0; i < s->tasks.n; i++) {
        int own = task_exit_code(&s->tasks.v[i]);
        worst = own > worst ? own : worst;
    }
    return worst;
}
