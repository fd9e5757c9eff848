#include "backend/slurm/live/slurm_attach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

#define ATTACH_MAX      8u
#define ATTACH_KEPT     (1u << 20) /* bytes of each stream */
#define ATTACH_UNREAD_S 30         /* Stoker detaches if no client has read for that long */
#define ATTACH_FIRST_S  3          /* a step that has printed nothing for that long counts as silent */
#define ATTACH_AGAIN_S  5          /* after a refusal */
#define ATTACH_READ_MAX (256u << 10)

struct attach_stream {
    struct str text;
    uint64_t begins; /* the offset of its first byte */
};

struct attached {
    struct list link;
    struct slurm_attaches *all;
    char *step;                    /* "12.0" */
    struct slurm_command *command; /* NULL: it has ended */
    struct attach_stream streams[2];
    char *says;                    /* why attaching failed; NULL: it did not */
    struct mono began, read, over; /* over.ns 0: it still runs */
};

struct slurm_attaches {
    struct slurm_hub *hub;
    struct list list;
    struct loop_timer timer;
    void (*on_more)(void *ctx);
    void *ctx;
};

static void attach_free(struct attached *t)
{
    list_unlink(&t->link);
    slurm_command_free(t->command);
    for (size_t i = 0; i < 2; i++)
        str_fini(&t->streams[i].text);
    free(t->step);
    free(t->says);
    free(t);
}

/* --- steps that no client reads --- */

static void attaches_on_timer(void *ctx)
{
    struct slurm_attaches *a = ctx;
    struct mono now = loop_now(a->hub->loop);
    list_for_each (t, &a->list, struct attached, link)
        if (now.ns - t->read.ns >= ATTACH_UNREAD_S * NS_PER_S)
            attach_free(t);
    if (!list_empty(&a->list))
        loop_timer_set(a->hub->loop, &a->timer, ATTACH_UNREAD_S * MS_PER_S);
}

struct slurm_attaches *slurm_attaches_new(struct slurm_hub *hub, void (*on_more)(void *ctx), void *ctx)
{
    struct slurm_attaches *a = xcalloc(1, sizeof *a);
    *a = (struct slurm_attaches){.hub = hub, .on_more = on_more, .ctx = ctx};
    a->timer = (struct loop_timer){.fn = attaches_on_timer, .ctx = a};
    list_init(&a->list);
    return a;
}

void slurm_attaches_free(struct slurm_attaches *a)
{
    if (!a)
        return;
    list_for_each (t, &a->list, struct attached, link)
        attach_free(t);
    loop_timer_cancel(a->hub->loop, &a->timer);
    free(a);
}

/* --- what it prints --- */

static void attach_keep(struct attach_stream *s, const char *p, size_t n)
{
    str_append_n(&s->text, p, n);
    if (s->text.len <= 2 * ATTACH_KEPT)
        return;
    size_t drop = s->text.len - ATTACH_KEPT;
    memmove(s->text.s, s->text.s + drop, ATTACH_KEPT);
    str_truncate(&s->text, ATTACH_KEPT);
    s->begins += drop;
}

static void attach_on_bytes(void *ctx, unsigned stream, const char *p, size_t n)
{
    struct attached *t = ctx;
    attach_keep(&t->streams[stream - 1], p, n);
    t->all->on_more(t->all->ctx);
}

static void attach_on_over(void *ctx, const struct slurm_output *o)
{
    struct attached *t = ctx;
    struct slurm_command *done = t->command;
    bool silent = !t->streams[0].begins && !t->streams[0].text.len;
    if (o->exit_code != 0 && silent &&
        t->streams[1].text.len) { /* then the text is an error of sattach itself */
        t->says = xstrndup(t->streams[1].text.s, strcspn(t->streams[1].text.s, "\n"));
        str_clear(&t->streams[1].text);
    } else if (o->says.len)
        t->says = xstrdup(o->says.s);
    t->over = loop_now(t->all->hub->loop);
    t->command = NULL;
    slurm_command_free(done);
    t->all->on_more(t->all->ctx);
}

static struct attached *attach_new(struct slurm_attaches *a, const char *step)
{
    struct attached *t = xcalloc(1, sizeof *t);
    struct strv argv = {0};
    *t = (struct attached){.all = a, .step = xstrdup(step), .began = loop_now(a->hub->loop)};
    for (size_t i = 0; i < 2; i++)
        str_init(&t->streams[i].text);
    list_init(&t->link);
    list_append(&a->list, &t->link);
    strv_push(&argv, "sattach");
    strv_push(&argv, "--quiet");
    strv_push(&argv, step);
    t->command = slurm_command_new(
        a->hub->loop,
        &(struct slurm_command_spec){
            .dir = a->hub->dir, .argv = &argv, .env = &a->hub->env, .on_bytes = attach_on_bytes},
        attach_on_over, t);
    strv_fini(&argv);
    loop_timer_set(a->hub->loop, &a->timer, ATTACH_UNREAD_S * MS_PER_S);
    return t;
}

/* --- reading --- */

static struct attached *attach_find(struct slurm_attaches *a, const char *step, size_t *ret_n)
{
    struct attached *found = NULL;
    *ret_n = 0;
    list_for_each (t, &a->list, struct attached, link) {
        ++*ret_n;
        found = str_eq(t->step, step) ? t : found;
    }
    return found;
}

int slurm_attach_read(struct slurm_attaches *a, const char *step_name, const struct msg_output_read *m,
                      struct msg_output_data *ret, struct errtext *err)
{
    size_t n;
    struct attached *t = attach_find(a, step_name, &n);
    if (!t && n >= ATTACH_MAX)
        return err_set(err, -EMFILE, "attached to %u steps already, which is the limit", ATTACH_MAX);
    if (t && t->says && loop_now(a->hub->loop).ns - t->over.ns > ATTACH_AGAIN_S * NS_PER_S) {
        attach_free(t); /* the step may have started since */
        t = NULL;
    }
    t = t ? t : attach_new(a, step_name);
    t->read = loop_now(a->hub->loop);
    const struct attach_stream *s = &t->streams[m->stream == 2];
    if (t->says && !s->begins && !s->text.len)
        return err_set(err, -EPROTO, "%s", t->says);
    uint64_t end = s->begins + s->text.len, from = m->offset > end ? end : m->offset;
    from = from < s->begins ? s->begins : from;
    if (from == end && t->command)
        return end || t->read.ns - t->began.ns > ATTACH_FIRST_S * NS_PER_S ? -EAGAIN : -EINPROGRESS;
    size_t max = m->max && m->max < ATTACH_READ_MAX ? m->max : ATTACH_READ_MAX;
    size_t some = end - from < max ? (size_t)(end - from) : max;
    *ret = (struct msg_output_data){
        .offset = from, .size = end, .data = {.p = (uint8_t *)s->text.s + (from - s->begins), .n = some}};
    ret->eof = !t->command && from + some == end;
    return 0;
}
