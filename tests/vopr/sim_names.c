/* sim_names.c - backend/control/users/name_service.h on the controller's own timers, linked in its place: a
 * thread would answer after a time that no seed repeats. Root is the one user there is. */
#include <stdlib.h>

#include "backend/control/users/name_service.h"
#include "backend/loop/loop.h"
#include "src/base/list.h"
#include "src/base/xalloc.h"
#include "tests/vopr/sim.h"

#define ANSWER_MS_MAX 50

struct name_service {
    struct loop *loop;
    void (*fn)(void *ctx, const struct name_answer *a);
    void *ctx;
    struct list todo;
    unsigned open;
    struct loop_timer timer;
};

void name_answer_free(struct name_answer *a)
{
    free(a->asked);
    free(a->name);
    free(a->gid_name);
    strv_fini(&a->groups);
    free(a);
}

static void sim_names_fill(struct name_answer *a)
{
    a->user = a->uid == 0 ? NAME_FOUND : NAME_NONE;
    if (a->asked || a->uid != 0)
        return;
    a->name = xstrdup("root");
    a->gid_name = a->gid == 0 ? xstrdup("root") : NULL;
    strv_push(&a->groups, "root");
}

struct name_answer *name_service_ask_now(uint32_t uid, uint32_t gid)
{
    struct name_answer *a = xcalloc(1, sizeof *a);
    list_init(&a->link);
    a->uid = uid;
    a->gid = gid;
    sim_names_fill(a);
    return a;
}

static void sim_names_answer(void *ctx)
{
    struct name_service *s = ctx;
    while (!list_empty(&s->todo)) {
        struct name_answer *a = list_first(&s->todo, struct name_answer, link);
        list_unlink(&a->link);
        s->open--;
        sim_names_fill(a);
        s->fn(s->ctx, a);
        name_answer_free(a);
    }
}

struct name_service *name_service_new(struct loop *l, void (*fn)(void *ctx, const struct name_answer *a),
                                      void *ctx)
{
    struct name_service *s = xcalloc(1, sizeof *s);
    *s = (struct name_service){.loop = l, .fn = fn, .ctx = ctx};
    s->timer = (struct loop_timer){.fn = sim_names_answer, .ctx = s};
    list_init(&s->todo);
    return s;
}

void name_service_free(struct name_service *s)
{
    if (!s)
        return;
    loop_timer_cancel(s->loop, &s->timer);
    while (!list_empty(&s->todo)) {
        struct name_answer *a = list_first(&s->todo, struct name_answer, link);
        list_unlink(&a->link);
        name_answer_free(a);
    }
    free(s);
}

static void sim_names_ask(struct name_service *s, struct name_answer *a)
{
    list_init(&a->link);
    list_append(&s->todo, &a->link);
    s->open++;
    loop_timer_set(s->loop, &s->timer, sim_between(1, ANSWER_MS_MAX));
}

void name_service_ask_user(struct name_service *s, uint32_t uid, uint32_t gid)
{
    struct name_answer *a = xcalloc(1, sizeof *a);
    a->uid = uid;
    a->gid = gid;
    sim_names_ask(s, a);
}

void name_service_ask_name(struct name_service *s, const char *name)
{
    struct name_answer *a = xcalloc(1, sizeof *a);
    a->asked = xstrdup(name);
    sim_names_ask(s, a);
}

unsigned name_service_open(const struct name_service *s)
{
    return s->open;
}
