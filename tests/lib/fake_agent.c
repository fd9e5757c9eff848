#include "tests/lib/fake_agent.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/unixsock.h"
#include "tests/lib/check.h"

static int listener = -1, agent = -1;
static struct frame_reader from;
static struct str reported; /* the last report over this connection */
static void (*on_frame)(void *ctx, const struct frame *f);
static void *on_frame_ctx;

void fake_agent_listen(void)
{
    static const char *const dirs[] = {"state", "state/agent", "state/agent/n1"};
    for (size_t i = 0; i < N_OF(dirs); i++) {
        char *dir = xasprintf("%s/%s", getenv("STOKER_HOME"), dirs[i]);
        mkdir(dir, 0700);
        free(dir);
    }
    char *path = xasprintf("%s/state/agent/n1/agent.sock", getenv("STOKER_HOME"));
    listener = unixsock_listen(path, 0600, 8);
    assert_true(listener >= 0);
    free(path);
}

void fake_agent_close(void)
{
    fake_agent_hang_up();
    close(listener);
    listener = -1;
    frame_reader_fini(&from);
    str_fini(&reported);
}

bool fake_agent_is_called(void)
{
    return agent >= 0;
}

void fake_agent_hang_up(void)
{
    if (agent >= 0)
        close(agent);
    agent = -1;
}

void fake_agent_report(struct msg_agent *ret, const char *note)
{
    *ret = (struct msg_agent){.version = PROTO_VERSION,
                              .node = xstrdup("n1"),
                              .boot_id = xstrdup("boot"),
                              .arch = xstrdup("x86_64"),
                              .os = xstrdup("os"),
                              .release = xstrdup("0"),
                              .cpus = 4,
                              .gpus = 4,
                              .mem_mib = 4096};
    strv_push(&ret->gpu_notes, note);
}

void fake_agent_on_frame(void (*fn)(void *ctx, const struct frame *f), void *ctx)
{
    on_frame = fn;
    on_frame_ctx = ctx;
}

static void fake_agent_send(const struct str *b)
{
    if (agent >= 0 && send(agent, b->s, b->len, MSG_NOSIGNAL) != (ssize_t)b->len)
        fake_agent_hang_up();
}

void fake_agent_say(enum msg_kind kind, uint64_t tag, const void *body)
{
    struct str b = STR_INIT;
    msg_append(&b, kind, tag, body);
    fake_agent_send(&b);
    if (kind == MSG_AGENT) {
        str_fini(&reported);
        reported = b;
    } else {
        str_fini(&b);
    }
}

static void fake_agent_hear(const struct frame *f)
{
    if (f->type == MSG_PING) {
        fake_agent_say(MSG_PONG, f->tag, NULL);
    } else if (f->type == MSG_HELLO && reported.len) {
        fake_agent_send(&reported);
    } else if (f->type == MSG_HELLO) {
        struct msg_agent m;
        fake_agent_report(&m, "hello");
        fake_agent_say(MSG_AGENT, f->tag, &m);
        rec_fini(&msg_agent_rec, &m);
    } else if (on_frame) {
        on_frame(on_frame_ctx, f);
    }
}

void fake_agent_turn(int ms)
{
    struct pollfd p = {.fd = agent >= 0 ? agent : listener, .events = POLLIN};
    if (poll(&p, 1, ms) <= 0)
        return;
    if (agent < 0) {
        agent = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        frame_reader_fini(&from);
        from = (struct frame_reader){0};
        str_fini(&reported);
        return;
    }
    ssize_t n = recv(agent, frame_reader_space(&from, 65536), 65536, 0);
    if (n <= 0) {
        fake_agent_hang_up();
        return;
    }
    frame_reader_added(&from, (size_t)n);
    struct frame f;
    while (agent >= 0 && frame_reader_next(&from, &f) == 1)
        fake_agent_hear(&f);
}
