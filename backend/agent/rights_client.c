#include "backend/agent/rights_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/rights/rights_wire.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

struct rights_client {
    struct agent *a;
    struct rights *own;    /* NULL: the launcher's */
    struct loop_fd socket; /* of the launcher; fd -1: none */
};

struct rights_client *rights_client_new(struct agent *a, int fd, const struct rights_config *cfg)
{
    struct rights_client *c = xcalloc(1, sizeof *c);
    *c = (struct rights_client){
        .a = a, .own = fd < 0 ? rights_new(cfg, &a->dir) : NULL, .socket = {.fd = fd}};
    return c;
}

void rights_client_free(struct rights_client *c)
{
    if (!c)
        return;
    rights_free(c->own);
    if (c->socket.watched)
        loop_unwatch(c->a->loop, &c->socket);
    if (c->socket.fd >= 0)
        close(c->socket.fd);
    free(c);
}

/* It says nothing that was not asked for. */
static void rights_client_lost(void *ctx, unsigned ready)
{
    (void)ready;
    struct rights_client *c = ctx;
    log_error("the launcher has ended");
    loop_unwatch(c->a->loop, &c->socket);
    loop_stop(c->a->loop);
}

void rights_client_watch(struct rights_client *c)
{
    c->socket.fn = rights_client_lost;
    c->socket.ctx = c;
    if (!c->own)
        loop_watch(c->a->loop, &c->socket, LOOP_READ);
}

int rights_ask(struct rights_client *c, const struct rights_request *q, struct rights_answer *ret)
{
    if (c->own)
        return rights_serve(c->own, q, ret);
    int r = rights_send_request(c->socket.fd, q);
    r = r ? r : rights_receive_answer(c->socket.fd, ret);
    if (r < 0)
        *ret = (struct rights_answer){.r = -EPIPE, .fd = -1, .text = "the agent loses its launcher"};
    return ret->r;
}

uint64_t rights_ask_number(struct rights_client *c, const struct rights_request *q)
{
    struct rights_answer a;
    return rights_ask(c, q, &a) < 0 ? 0 : a.number;
}

void rights_list(struct rights_client *c, enum rights_kind kind, struct strv *ret)
{
    *ret = (struct strv){0};
    for (uint64_t n = 1; ret->n < n;) {
        struct rights_answer ans;
        struct rights_request q = {.kind = kind, .number = ret->n};
        struct strv some = {0};
        if (rights_ask(c, &q, &ans) == 0)
            some = strv_split(ans.text, " ");
        for (size_t i = 0; i < some.n; i++)
            strv_push(ret, some.v[i]);
        n = some.n ? ans.number : 0;
        strv_fini(&some);
    }
}

int rights_ask_policy(struct rights_client *c, struct errtext *err)
{
    struct rights_answer a;
    struct node_policy p;
    int r = rights_ask(c, &(struct rights_request){.kind = RIGHTS_POLICY}, &a);
    if (r < 0)
        return err_set(err, r, "%s", a.text);
    if (a.fd < 0 && a.number)
        return err_set(err, -EMFILE, "policy: %s", strerror(EMFILE));
    r = node_policy_read(&p, a.fd, c->a->cfg.policy != NULL, err);
    if (a.fd >= 0)
        close(a.fd);
    if (r < 0)
        return r;
    node_policy_fini(&c->a->policy);
    c->a->policy = p;
    return 0;
}

void rights_client_child_ended(struct rights_client *c, pid_t pid, int status)
{
    if (c->own)
        rights_child_ended(c->own, pid, status);
}
