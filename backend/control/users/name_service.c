/* name_service.c - the loop's thread and the one that asks share the two lists and `left`, under `lock`. */
#include "backend/control/users/name_service.h"

#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "backend/loop/loop.h"
#include "src/base/err.h"
#include "src/base/xalloc.h"
#include "src/os/thread.h"

#define GROUPS_MAX   1024
#define RECORD_FIRST 4096u
#define RECORD_MAX   (1u << 20) /* bytes of an entry: a group lists its members */

struct name_service {
    struct loop *loop;
    struct loop_fd watch;
    void (*fn)(void *ctx, const struct name_answer *a);
    void *ctx;
    bool started;  /* the thread */
    unsigned open; /* questions */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct list todo, done;
    bool left; /* the loop has: the thread frees what there is */
};

void name_answer_free(struct name_answer *a)
{
    free(a->asked);
    free(a->name);
    free(a->gid_name);
    strv_fini(&a->groups);
    free(a);
}

/* --- asking; in the thread --- */

/* An entry, in a buffer that grows. */
struct name_record {
    union {
        struct passwd user;
        struct group group;
    };
    char *buf;
    size_t size;
};

static bool name_record_grow(struct name_record *r)
{
    r->size = r->size ? r->size * 4 : RECORD_FIRST;
    if (r->size > RECORD_MAX)
        return false;
    r->buf = xrealloc(r->buf, r->size);
    return true;
}

/* getpwnam(3): which errors mean that there is no such user. */
static enum name_result name_result_of(int r, bool found)
{
    bool none = r == 0 || r == ENOENT || r == ESRCH || r == EBADF || r == EPERM;
    return found ? NAME_FOUND : none ? NAME_NONE : NAME_FAILED;
}

/* name NULL: of uid. */
static enum name_result name_find_user(struct name_record *rec, const char *name, uint32_t uid)
{
    struct passwd *found = NULL;
    int r = ERANGE;
    while (r == ERANGE && name_record_grow(rec))
        r = name ? getpwnam_r(name, &rec->user, rec->buf, rec->size, &found)
                 : getpwuid_r(uid, &rec->user, rec->buf, rec->size, &found);
    return name_result_of(r, found != NULL);
}

/* NULL: none was found. Caller frees. */
static char *name_of_group(gid_t gid)
{
    struct name_record rec = {.size = 0};
    struct group *found = NULL;
    int r = ERANGE;
    while (r == ERANGE && name_record_grow(&rec))
        r = getgrgid_r(gid, &rec.group, rec.buf, rec.size, &found);
    char *name = found ? xstrdup(found->gr_name) : NULL;
    free(rec.buf);
    return name;
}

static void name_add_groups(struct name_answer *a, gid_t primary)
{
    int n = GROUPS_MAX;
    gid_t *gids = xcalloc(GROUPS_MAX, sizeof *gids);
    if (getgrouplist(a->name, primary, gids, &n) < 0)
        n = GROUPS_MAX;
    for (int i = 0; i < n; i++) {
        char *name = gids[i] == a->gid && a->gid_name ? xstrdup(a->gid_name) : name_of_group(gids[i]);
        if (name)
            strv_push_take(&a->groups, name);
    }
    free(gids);
}

static void name_answer_fill(struct name_answer *a)
{
    struct name_record rec = {.size = 0};
    a->user = name_find_user(&rec, a->asked, a->uid);
    if (!a->asked) {
        a->gid_name = name_of_group(a->gid);
        if (a->user == NAME_FOUND) {
            a->name = xstrdup(rec.user.pw_name);
            name_add_groups(a, rec.user.pw_gid);
        }
    }
    free(rec.buf);
}

struct name_answer *name_service_ask_now(uint32_t uid, uint32_t gid)
{
    struct name_answer *a = xcalloc(1, sizeof *a);
    list_init(&a->link);
    a->uid = uid;
    a->gid = gid;
    name_answer_fill(a);
    return a;
}

/* --- between the threads --- */

static void name_service_free_all(struct list *answers)
{
    list_for_each (a, answers, struct name_answer, link) {
        list_unlink(&a->link);
        name_answer_free(a);
    }
}

static void name_service_destroy(struct name_service *s)
{
    name_service_free_all(&s->todo);
    name_service_free_all(&s->done);
    close(s->watch.fd);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    free(s);
}

static void *name_service_main(void *arg)
{
    struct name_service *s = arg;
    pthread_mutex_lock(&s->lock);
    while (!s->left) {
        if (list_empty(&s->todo)) {
            pthread_cond_wait(&s->wake, &s->lock);
            continue;
        }
        struct name_answer *a = list_first(&s->todo, struct name_answer, link);
        list_unlink(&a->link);
        pthread_mutex_unlock(&s->lock);
        name_answer_fill(a);
        pthread_mutex_lock(&s->lock);
        list_append(&s->done, &a->link);
        eventfd_write(s->watch.fd, 1);
    }
    pthread_mutex_unlock(&s->lock);
    name_service_destroy(s);
    return NULL;
}

static void name_service_on_done(void *ctx, unsigned ready)
{
    (void)ready;
    struct name_service *s = ctx;
    struct list done;
    eventfd_t n;
    eventfd_read(s->watch.fd, &n);
    list_init(&done);
    pthread_mutex_lock(&s->lock);
    while (!list_empty(&s->done))
        list_move_to_end(&done, s->done.next);
    pthread_mutex_unlock(&s->lock);
    while (!list_empty(&done)) {
        struct name_answer *a = list_first(&done, struct name_answer, link);
        list_unlink(&a->link);
        s->open--;
        s->fn(s->ctx, a);
        name_answer_free(a);
    }
}

struct name_service *name_service_new(struct loop *l, void (*fn)(void *ctx, const struct name_answer *a),
                                      void *ctx)
{
    struct name_service *s = xcalloc(1, sizeof *s);
    s->loop = l;
    s->fn = fn;
    s->ctx = ctx;
    list_init(&s->todo);
    list_init(&s->done);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    s->watch = (struct loop_fd){
        .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .fn = name_service_on_done, .ctx = s};
    bug_on(s->watch.fd < 0);
    loop_watch(l, &s->watch, LOOP_READ);
    return s;
}

void name_service_free(struct name_service *s)
{
    if (!s)
        return;
    loop_unwatch(s->loop, &s->watch);
    if (!s->started) {
        name_service_destroy(s);
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->left = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

/* Takes a. Without a thread, which is made with the first question, the name service cannot be asked. */
static void name_service_ask(struct name_service *s, struct name_answer *a)
{
    list_init(&a->link);
    s->open++;
    s->started = s->started || thread_start(name_service_main, s, 0) == 0;
    pthread_mutex_lock(&s->lock);
    if (s->started) {
        list_append(&s->todo, &a->link);
        pthread_cond_signal(&s->wake);
    } else {
        a->user = NAME_FAILED;
        list_append(&s->done, &a->link);
        eventfd_write(s->watch.fd, 1);
    }
    pthread_mutex_unlock(&s->lock);
}

void name_service_ask_user(struct name_service *s, uint32_t uid, uint32_t gid)
{
    struct name_answer *a = xcalloc(1, sizeof *a);
    a->uid = uid;
    a->gid = gid;
    name_service_ask(s, a);
}

void name_service_ask_name(struct name_service *s, const char *name)
{
    struct name_answer *a = xcalloc(1, sizeof *a);
    a->asked = xstrdup(name);
    name_service_ask(s, a);
}

unsigned name_service_open(const struct name_service *s)
{
    return s->open;
}
