/* connector.c - connects in a thread of its own.
 *
 * One per process, which lives as long as the process: a thread in the middle of an attempt cannot be
 * stopped, so a connector is never freed.
 */
#include "ui/app/connector.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/conf/conf.h"
#include "src/lang/lang.h"
#include "src/os/thread.h"

struct connector {
    int fd;
    bool running; /* of the loop's side alone */
    unsigned flags;
    /* Written by the thread before it tells through fd, read by the loop after. */
    struct client *client;
    int rc;
    struct errtext err;
};

struct connector *connector_new(void)
{
    struct connector *k = xcalloc(1, sizeof *k);
    k->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    bug_on(k->fd < 0);
    return k;
}

/* Where no controller runs because its configuration has an error, that is what helps. */
static void tell_faulty_configuration(struct connector *k)
{
    struct paths p;
    struct cluster_spec spec = {0};
    struct errtext err = {""};
    paths_find(&p);
    int rc = conf_load(p.config, &spec, &err);
    const char *slash = strrchr(p.config, '/'); /* the line has little room */
    size_t dir = slash ? (size_t)(slash - p.config) + 1 : 0;
    if (rc == -EINVAL)
        k->rc = err_set(&k->err, rc, tr("%s (try: stoker config check)"),
                        strncmp(err.s, p.config, dir) == 0 ? err.s + dir : err.s);
    if (rc == 0)
        rec_fini(&cluster_spec_rec, &spec);
    paths_fini(&p);
}

static void *attempt(void *arg)
{
    struct connector *k = arg;
    k->rc = client_connect("stoker-ui", k->flags | CLIENT_SLURM, &k->client, &k->err);
    if (k->rc == -ENOENT || k->rc == -ECONNREFUSED)
        tell_faulty_configuration(k);
    uint64_t one = 1;
    ssize_t n = write(k->fd, &one, sizeof one);
    bug_on(n != (ssize_t)sizeof one);
    return NULL;
}

void connector_start(struct connector *k, unsigned flags)
{
    if (k->running)
        return;
    k->flags = flags;
    k->client = NULL;
    k->err.s[0] = '\0';
    k->running = thread_start(attempt, k, 0) == 0;
}

int connector_fd(const struct connector *k)
{
    return k->fd;
}

int connector_take(struct connector *k, struct client **ret, struct errtext *err)
{
    uint64_t n;
    if (read(k->fd, &n, sizeof n) != (ssize_t)sizeof n)
        return 0;
    k->running = false;
    if (k->rc < 0) {
        *err = k->err;
        return k->rc;
    }
    *ret = k->client;
    k->client = NULL;
    return 1;
}
