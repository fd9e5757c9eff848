#include "backend/slurm/slurm_nodes.h"

#include <stdlib.h>

#include "backend/slurm/slurm_act.h"
#include "backend/slurm/slurm_window.h"
#include "src/base/xalloc.h"

/* --- words --- */

static void nodes_push(struct strv *ret, const char *key, const struct strv *names)
{
    char *list = strv_join(names, ",");
    strv_push_take(ret, xasprintf("%s=%s", key, list));
    free(list);
}

void slurm_nodes_drain_words(const struct msg_drain *m, struct strv *ret)
{
    strv_push(ret, "scontrol");
    strv_push(ret, "update");
    nodes_push(ret, "NodeName", &m->nodes);
    strv_push(ret, m->drain ? "State=DRAIN" : "State=RESUME");
    if (m->drain)
        strv_push_take(ret, xasprintf("Reason=%s", str_is_empty(m->reason) ? "drained" : m->reason));
}

void slurm_nodes_note_words(const struct msg_node_note *m, struct strv *ret)
{
    strv_push(ret, "scontrol");
    strv_push(ret, "update");
    nodes_push(ret, "NodeName", &m->nodes);
    strv_push_take(ret, xasprintf("Comment=%s", m->text ? m->text : ""));
}

/* --- answers --- */

static void nodes_on_answer(struct slurm_session *s, uint64_t tag, const struct slurm_output *o, void *arg)
{
    uint32_t *n = arg;
    const char *says = o->says.len ? o->says.s : o->out.s;
    if (s && o->exit_code == 0) {
        struct msg_result r = {.count = *n};
        slurm_session_send(s, MSG_RESULT, tag, &r);
        slurm_poll_hurry(s->poll);
    } else if (s) {
        slurm_session_refuse(s, tag, slurm_refusal_of(says),
                             *says ? says : "Slurm has refused it without a reason");
    }
    free(n);
}

static void slurm_nodes_run(struct slurm_session *s, uint64_t tag, struct strv *words, size_t n)
{
    uint32_t *count = xcalloc(1, sizeof *count);
    *count = (uint32_t)n;
    slurm_session_run(s, tag, words, nodes_on_answer, count);
    strv_fini(words);
}

void slurm_nodes_drain(struct slurm_session *s, uint64_t tag, const struct msg_drain *m)
{
    struct strv words = {0};
    slurm_nodes_drain_words(m, &words);
    slurm_nodes_run(s, tag, &words, m->nodes.n);
}

void slurm_nodes_note(struct slurm_session *s, uint64_t tag, const struct msg_node_note *m)
{
    struct strv words = {0};
    slurm_nodes_note_words(m, &words);
    slurm_nodes_run(s, tag, &words, m->nodes.n);
}

/* --- windows --- */

static void window_on_answer(struct slurm_session *s, uint64_t tag, const struct slurm_output *o, void *arg)
{
    char *name = arg, *made = slurm_window_created(o->out.s);
    const char *says = o->says.len ? o->says.s : o->out.s;
    if (s && o->exit_code == 0) {
        struct msg_result r = {.count = 1, .text = made ? made : name};
        slurm_session_send(s, MSG_RESULT, tag, &r);
        slurm_poll_look_at_windows(s->poll);
    } else if (s) {
        slurm_session_refuse(s, tag, slurm_refusal_of(says),
                             *says ? says : "Slurm has refused it without a reason");
    }
    free(name);
    free(made);
}

void slurm_window_set(struct slurm_session *s, uint64_t tag, const struct msg_window_set *m)
{
    struct strv words = {0};
    slurm_window_words(m, &words);
    slurm_session_run(s, tag, &words, window_on_answer, xstrdup(m->window.name ? m->window.name : ""));
    strv_fini(&words);
}
