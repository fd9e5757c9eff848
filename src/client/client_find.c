#include "src/client/client_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/client/client_slurm.h"
#include "src/lang/lang.h"
#include "src/os/unixsock.h"

#define DIAL_WAIT_S 5

static int dial_error(const char *path, int code, struct errtext *err)
{
    if (code == -ENOENT || code == -ENOTDIR || code == -ECONNREFUSED)
        return err_set(err, code == -ENOTDIR ? -ENOENT : code,
                       tr("no controller runs here (no answer at %s)"), path);
    if (code == -EAGAIN)
        return err_set(err, -ETIMEDOUT, tr("the controller at %s takes no more connections now"), path);
    return err_set(err, code, "%s: %s", path, strerror(-code));
}

int client_dial(const char *path, struct errtext *err)
{
    int fd = unixsock_connect(path, 0, DIAL_WAIT_S);
    return fd < 0 ? dial_error(path, fd, err) : fd;
}

static bool client_may_use_slurm(const struct paths *p)
{
    return !p->home && !p->shared && !getenv("STOKER_SOCKET") && access(p->config, F_OK) != 0;
}

/* No controller answers: the Slurm that is there, if there is one. Returns 0 where there is none, else the
 * socket, or a negative errno with a text. */
static int client_dial_any_slurm(struct paths *p, struct errtext *err)
{
    struct slurm_place place;
    if (!slurm_place_find(&place))
        return 0;
    int fd = slurm_place_dial(&place, err);
    if (fd >= 0)
        xstrset(&p->socket, place.socket);
    slurm_place_fini(&place);
    return fd;
}

int client_find(struct paths *p, bool slurm, struct errtext *err)
{
    int fd = client_dial(p->socket, err);
    if (!slurm || (fd != -ENOENT && fd != -ECONNREFUSED) || !client_may_use_slurm(p))
        return fd;
    int other = client_dial_any_slurm(p, err);
    return other ? other : fd;
}
