#include "backend/control/forecast_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/control/emit.h"
#include "src/base/crc.h"
#include "src/os/file.h"
#include "src/os/log.h"
#include "src/proto/codec.h"

#define FILE_NAME "forecasts"
#define MAGIC     "Stoker forecasts 1\n"
#define WRITE_MS  30000
#define BYTES_MAX (4u << 20)

struct forecast_keep {
    struct loop_timer timer;
    bool is_read, is_due;
};

static char *forecast_keep_path(const struct control *c)
{
    return xasprintf("%s/" FILE_NAME, c->settings.state_dir);
}

/* --- reading --- */

/* The record behind MAGIC and its checksum. */
static int forecast_keep_parse(const struct str *s, struct forecast_memory *ret, struct errtext *err)
{
    size_t head = sizeof MAGIC - 1 + sizeof(uint32_t);
    uint32_t crc;
    if (s->len < head || memcmp(s->s, MAGIC, sizeof MAGIC - 1) != 0)
        return err_set(err, -EBADMSG, "it is not a file of forecasts");
    memcpy(&crc, s->s + sizeof MAGIC - 1, sizeof crc);
    if (crc != crc32c(0, s->s + head, s->len - head))
        return err_set(err, -EUCLEAN, "its checksum does not fit");
    return codec_decode(&forecast_memory_rec, s->s + head, s->len - head, ret, err);
}

static void forecast_keep_read(struct control *c)
{
    struct forecast_memory m;
    struct errtext err = {""};
    struct str text = STR_INIT;
    char *path = forecast_keep_path(c);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), r = fd < 0 ? -errno : 0;
    if (r == 0)
        r = file_read_fd(fd, BYTES_MAX, &text);
    if (fd >= 0)
        close(fd);
    if (r < 0)
        err_set(&err, r, "%s", strerror(-r));
    else
        r = forecast_keep_parse(&text, &m, &err);
    if (r == 0) {
        forecaster_restore(planner_forecaster(c->planner), &m);
        rec_fini(&forecast_memory_rec, &m);
    } else if (r != -ENOENT) {
        log_warn("%s: %s: the scores of forecasts begin again", path, err.s);
    }
    str_fini(&text);
    free(path);
}

/* --- writing --- */

/* Written to a second file first, so that a full disk does not destroy the old one. Not synced: see the
 * header. */
static int forecast_keep_put(const char *path, const struct str *body)
{
    uint32_t crc = crc32c(0, body->s, body->len);
    struct str text = STR_INIT;
    char *beside = xasprintf("%s.new", path);
    str_append(&text, MAGIC);
    str_append_n(&text, (const char *)&crc, sizeof crc);
    str_append_n(&text, body->s, body->len);
    int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int r = fd < 0 ? -errno : file_write_fd(fd, text.s, text.len);
    if (fd >= 0 && close(fd) < 0 && r == 0)
        r = -errno;
    if (r == 0 && rename(beside, path) < 0)
        r = -errno;
    free(beside);
    str_fini(&text);
    return r;
}

static void forecast_keep_write(void *ctx)
{
    struct control *c = ctx;
    struct forecast_keep *k = c->state[MODULE_FORECAST_KEEP];
    struct forecast_memory m;
    struct str body = STR_INIT;
    char *path = forecast_keep_path(c);
    k->is_due = false;
    forecaster_save(planner_forecaster(c->planner), &m);
    codec_encode(&forecast_memory_rec, &m, &body);
    int r = forecast_keep_put(path, &body);
    if (r < 0)
        log_warn("cannot write %s: %s", path, strerror(-r));
    rec_fini(&forecast_memory_rec, &m);
    str_fini(&body);
    free(path);
}

/* --- the module --- */

static void forecast_keep_start(struct control *c)
{
    struct forecast_keep *k = c->state[MODULE_FORECAST_KEEP] = xcalloc(1, sizeof *k);
    k->timer = (struct loop_timer){.fn = forecast_keep_write, .ctx = c};
}

static void forecast_keep_stop(struct control *c)
{
    struct forecast_keep *k = c->state[MODULE_FORECAST_KEEP];
    loop_timer_cancel(c->loop, &k->timer);
    if (k->is_due)
        forecast_keep_write(c);
    free(k);
}

static void forecast_keep_loaded(struct control *c)
{
    struct forecast_keep *k = c->state[MODULE_FORECAST_KEEP];
    if (!k->is_read) /* after a reset the planner still has its samples */
        forecast_keep_read(c);
    k->is_read = true;
}

static void forecast_keep_after(struct control *c, const struct emission *e)
{
    struct forecast_keep *k = c->state[MODULE_FORECAST_KEEP];
    if (k->is_due || (e->ev->kind != EV_START && e->ev->kind != EV_PLACE))
        return;
    k->is_due = true;
    loop_timer_set(c->loop, &k->timer, WRITE_MS);
}

const struct module_ops forecast_keep_module = {.start = forecast_keep_start,
                                                .stop = forecast_keep_stop,
                                                .loaded = forecast_keep_loaded,
                                                .after = forecast_keep_after};
