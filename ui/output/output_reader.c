/* output_reader.c - reads outputs in a thread of its own.
 *
 * One lock protects what both threads share: orders, requests, the newest state. The thread holds it for
 * moments only, never while it reads. Each open begins a generation: an answer to a question of an older
 * generation is dropped.
 */
#include "ui/output/output_reader.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/client/client_remote.h"
#include "src/os/clock.h"
#include "src/os/thread.h"

#define LOOK_MS  1000 /* files on a network file system change without a notification */
#define PAUSE_MS 30   /* between two reads of a file that grows all the time */

enum order_kind {
    ORDER_OPEN,
    ORDER_RESIZE,
    ORDER_LIVE,
    ORDER_ACT,
    ORDER_SCROLL,
    ORDER_FIND,
    ORDER_FILTER,
    ORDER_GO,
    ORDER_SAVE,
    ORDER_TAKE
};

struct reader_order {
    enum order_kind kind;
    int a, b;
    int64_t line; /* GO */
    char *text;
    struct reading_open open;
    uint32_t generation, stream; /* TAKE */
    bool piece, answered;
    struct msg_output_data data;
};

struct output_reader {
    bool threads;
    int to_thread, to_ui; /* eventfds */

    pthread_mutex_t lock; /* for these: */
    VEC(struct reader_order) orders;
    VEC(struct stream_ask) asks;
    uint32_t asks_generation;
    struct reading_state *fresh; /* not yet taken by the screens */
    bool search_ended, closed;
    char *news; /* not yet told to the user */
    bool news_bad;

    /* The screens' side. */
    struct reading_state *state;
    uint32_t opened;

    /* The thread's. */
    struct reading reading;
    uint32_t generation;
    bool stop; /* stop reading: the awaited data does not come */
};

static void output_reader_tell(int fd)
{
    uint64_t one = 1;
    ssize_t n = fd >= 0 ? write(fd, &one, sizeof one) : 0;
    (void)n; /* only full where it is told already */
}

static void output_reader_clear(int fd)
{
    uint64_t n;
    ssize_t k = read(fd, &n, sizeof n);
    (void)k;
}

static void order_fini(struct reader_order *o)
{
    free(o->text);
    reading_open_fini(&o->open);
    rec_fini(&msg_output_data_rec, &o->data);
}

static void state_free(struct reading_state *s)
{
    if (s)
        reading_state_fini(s);
    free(s);
}

static void destroy(struct output_reader *r)
{
    reading_fini(&r->reading);
    vec_for_each (&r->orders, i)
        order_fini(&r->orders.v[i]);
    vec_fini(&r->orders);
    vec_fini(&r->asks);
    state_free(r->fresh);
    state_free(r->state);
    free(r->news);
    if (r->to_thread >= 0)
        close(r->to_thread);
    if (r->to_ui >= 0)
        close(r->to_ui);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* --- the thread's side --- */

static void publish(struct output_reader *r)
{
    struct reading_state *s = xcalloc(1, sizeof *s);
    reading_get_state(&r->reading, s);
    s->generation = r->generation;
    pthread_mutex_lock(&r->lock);
    struct reading_state *old = r->fresh;
    r->fresh = s;
    if (r->reading.news) {
        free(r->news);
        r->news = r->reading.news;
        r->news_bad = r->reading.news_bad;
        r->reading.news = NULL;
    }
    pthread_mutex_unlock(&r->lock);
    state_free(old);
    output_reader_tell(r->to_ui);
}

static void ask_node(void *ctx, const struct stream_ask *a)
{
    struct output_reader *r = ctx;
    pthread_mutex_lock(&r->lock);
    if (r->asks_generation != r->generation)
        vec_clear(&r->asks);
    r->asks_generation = r->generation;
    vec_push(&r->asks, *a);
    pthread_mutex_unlock(&r->lock);
    output_reader_tell(r->to_ui);
}

/* Does one order. Returns true if the picture may change. */
static bool obey(struct output_reader *r, struct reader_order *o)
{
    struct reading *g = &r->reading;
    switch (o->kind) {
    case ORDER_OPEN:
        r->generation++;
        reading_begin(g, &o->open);
        reading_look(g, false);
        return true;
    case ORDER_RESIZE: pager_resize(&g->pager, o->a, o->b); return true;
    case ORDER_LIVE: reading_live(g, o->a, o->b); return reading_look(g, false);
    case ORDER_ACT: reading_act(g, (enum action)o->a); return true;
    case ORDER_SCROLL:
        g->pager.follow &= o->a > 0;
        pager_scroll(&g->pager, o->a);
        return true;
    case ORDER_FIND: reading_find(g, o->text); return true;
    case ORDER_FILTER: reading_filter(g, o->text); return true;
    case ORDER_GO: reading_go(g, o->line); return true;
    case ORDER_SAVE: reading_save(g, o->text); return true;
    case ORDER_TAKE:
        return o->generation == r->generation &&
               reading_take(g, o->stream, o->piece, o->answered ? &o->data : NULL, o->text);
    }
    return false;
}

static bool next_order(struct output_reader *r, struct reader_order *ret)
{
    pthread_mutex_lock(&r->lock);
    bool there = r->orders.n > 0 && !r->closed;
    if (there) {
        *ret = r->orders.v[0];
        vec_remove(&r->orders, 0);
    }
    pthread_mutex_unlock(&r->lock);
    return there;
}

/* Takes a reply before other orders; checks whether the wait has become pointless. */
static bool next_answer(struct output_reader *r, struct reader_order *ret)
{
    bool found = false;
    pthread_mutex_lock(&r->lock);
    r->stop |= r->closed;
    for (size_t i = 0; i < r->orders.n && !found; i++) {
        const struct reader_order *o = &r->orders.v[i];
        r->stop |= o->kind == ORDER_OPEN || (o->kind == ORDER_ACT && o->a == ACTION_CLOSE);
        if (o->kind == ORDER_TAKE) {
            found = true;
            *ret = *o;
            vec_remove(&r->orders, i);
        }
    }
    pthread_mutex_unlock(&r->lock);
    return found;
}

/* In the middle of reading: other orders wait, answers do not. */
static bool await_node(void *ctx, struct stream *s)
{
    struct output_reader *r = ctx;
    for (;;) {
        struct reader_order o;
        bool mine = false;
        while (next_answer(r, &o)) {
            mine |= o.generation == r->generation && o.piece && o.stream == s->number;
            if (o.generation == r->generation && o.stream < r->reading.n)
                stream_take(&r->reading.streams[o.stream], o.piece, o.answered ? &o.data : NULL, o.text);
            order_fini(&o);
        }
        if (mine || r->stop)
            return mine;
        struct pollfd fd = {.fd = r->to_thread, .events = POLLIN};
        if (poll(&fd, 1, LOOK_MS) > 0)
            output_reader_clear(r->to_thread);
    }
}

static void obey_all(struct output_reader *r)
{
    struct reader_order o;
    bool seen = false;
    while (next_order(r, &o)) {
        r->stop = false;
        seen |= obey(r, &o);
        order_fini(&o);
    }
    if (seen)
        publish(r);
}

static void work(struct output_reader *r)
{
    bool was_searching = r->reading.pager.searching;
    if (!reading_work(&r->reading) || !r->reading.pager.searching) {
        if (was_searching) {
            pthread_mutex_lock(&r->lock);
            r->search_ended = true;
            pthread_mutex_unlock(&r->lock);
        }
        publish(r);
    }
}

/* Waits for an order or a change of a file; a file that has just changed is read again soon. */
static void pause_and_look(struct output_reader *r, int64_t *looked)
{
    bool busy = reading_has_work(&r->reading);
    int64_t since = mono_ms() - *looked;
    bool early = since < PAUSE_MS;
    struct pollfd fds[] = {{.fd = r->to_thread, .events = POLLIN},
                           {.fd = early ? -1 : r->reading.inotify, .events = POLLIN}};
    int wait = busy ? 0 : early ? (int)(PAUSE_MS - since) : r->reading.live ? LOOK_MS : -1;
    int n = poll(fds, 2, wait);
    if (n > 0 && fds[0].revents)
        output_reader_clear(r->to_thread);
    bool changed = n > 0 && fds[1].revents, quiet = n == 0 && !busy && !early;
    if (!changed && !quiet)
        return;
    if (reading_look(&r->reading, quiet))
        publish(r);
    *looked = mono_ms();
}

static bool output_reader_is_closed(struct output_reader *r)
{
    pthread_mutex_lock(&r->lock);
    bool closed = r->closed;
    pthread_mutex_unlock(&r->lock);
    return closed;
}

static void *output_reader_thread_main(void *arg)
{
    struct output_reader *r = arg;
    int64_t looked = 0;
    while (!output_reader_is_closed(r)) {
        obey_all(r);
        r->stop = false;
        if (reading_has_work(&r->reading))
            work(r);
        pause_and_look(r, &looked);
    }
    destroy(r);
    return NULL;
}

/* --- the screens' side --- */

struct output_reader *reader_new(bool threads)
{
    struct output_reader *r = xcalloc(1, sizeof *r);
    struct stream_hooks hooks = {.ask = ask_node,
                                 .await = threads ? await_node : NULL,
                                 .ctx = r,
                                 .far = client_remote_host() != NULL};
    pthread_mutex_init(&r->lock, NULL);
    r->to_thread = threads ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
    r->to_ui = threads ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
    reading_init(&r->reading, &hooks);
    r->threads = threads && thread_start(output_reader_thread_main, r, 0) == 0;
    return r;
}

void reader_close(struct output_reader *r)
{
    if (!r)
        return;
    if (!r->threads) {
        destroy(r);
        return;
    }
    pthread_mutex_lock(&r->lock);
    r->closed = true;
    output_reader_tell(r->to_thread);
    pthread_mutex_unlock(&r->lock); /* from here on the thread owns it */
}

static void output_reader_give(struct output_reader *r, struct reader_order *take_o)
{
    pthread_mutex_lock(&r->lock);
    vec_push(&r->orders, *take_o);
    pthread_mutex_unlock(&r->lock);
    if (r->threads)
        output_reader_tell(r->to_thread);
    else
        obey_all(r);
}

void reader_open(struct output_reader *r, struct reading_open *take_o)
{
    struct reader_order o = {.kind = ORDER_OPEN, .open = *take_o};
    *take_o = (struct reading_open){.merged = false};
    r->opened++;
    output_reader_give(r, &o);
}

void reader_resize(struct output_reader *r, int height, int width)
{
    output_reader_give(r, &(struct reader_order){.kind = ORDER_RESIZE, .a = height, .b = width});
}

void reader_live(struct output_reader *r, bool live, bool began)
{
    output_reader_give(r, &(struct reader_order){.kind = ORDER_LIVE, .a = live, .b = began});
}

void reader_act(struct output_reader *r, enum action a)
{
    output_reader_give(r, &(struct reader_order){.kind = ORDER_ACT, .a = (int)a});
}

void reader_scroll(struct output_reader *r, int rows)
{
    output_reader_give(r, &(struct reader_order){.kind = ORDER_SCROLL, .a = rows});
}

void reader_find(struct output_reader *r, const char *text)
{
    output_reader_give(r, &(struct reader_order){.kind = ORDER_FIND, .text = xstrdup(text)});
}

void reader_filter(struct output_reader *r, const char *text)
{
    output_reader_give(r, &(struct reader_order){.kind = ORDER_FILTER, .text = xstrdup(text)});
}

void reader_go(struct output_reader *r, int64_t line)
{
    output_reader_give(r, &(struct reader_order){.kind = ORDER_GO, .line = line});
}

void reader_save(struct output_reader *r, const char *path)
{
    output_reader_give(r, &(struct reader_order){.kind = ORDER_SAVE, .text = xstrdup(path)});
}

void reader_look(struct output_reader *r)
{
    if (!r->threads && reading_look(&r->reading, false))
        publish(r);
}

bool reader_work(struct output_reader *r)
{
    if (r->threads || !reading_has_work(&r->reading))
        return false;
    work(r);
    return reading_has_work(&r->reading);
}

void reader_take(struct output_reader *r, uint32_t generation, uint32_t stream, bool piece,
                 const struct msg_output_data *d, const char *why)
{
    struct reader_order o = {.kind = ORDER_TAKE,
                             .generation = generation,
                             .stream = stream,
                             .piece = piece,
                             .answered = d != NULL,
                             .text = xstrdup(why)};
    if (d)
        rec_copy(&msg_output_data_rec, &o.data, d);
    output_reader_give(r, &o);
}

int reader_fd(const struct output_reader *r)
{
    return r->threads ? r->to_ui : -1;
}

const struct reading_state *reader_state(struct output_reader *r)
{
    if (r->threads)
        output_reader_clear(r->to_ui);
    pthread_mutex_lock(&r->lock);
    struct reading_state *fresh = r->fresh;
    r->fresh = NULL;
    pthread_mutex_unlock(&r->lock);
    if (fresh) {
        state_free(r->state);
        r->state = fresh;
    }
    return r->state;
}

bool reader_is_current(const struct output_reader *r)
{
    return r->state && r->state->generation == r->opened;
}

bool reader_search_ended(struct output_reader *r)
{
    pthread_mutex_lock(&r->lock);
    bool ended = r->search_ended;
    r->search_ended = false;
    pthread_mutex_unlock(&r->lock);
    return ended;
}

char *reader_news(struct output_reader *r, bool *ret_bad)
{
    pthread_mutex_lock(&r->lock);
    char *news = r->news;
    *ret_bad = r->news_bad;
    r->news = NULL;
    pthread_mutex_unlock(&r->lock);
    return news;
}

bool reader_next_ask(struct output_reader *r, struct stream_ask *ret, uint32_t *ret_generation)
{
    pthread_mutex_lock(&r->lock);
    bool there = r->asks.n > 0;
    if (there) {
        *ret = r->asks.v[0];
        *ret_generation = r->asks_generation;
        vec_remove(&r->asks, 0);
    }
    pthread_mutex_unlock(&r->lock);
    return there && *ret_generation == r->opened;
}
