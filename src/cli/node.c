/* node.c - stoker node drain|resume: takes nodes out of use and back. */
#include <stdlib.h>
#include <string.h>

#include "src/base/hostlist.h"
#include "src/base/xalloc.h"
#include "src/cli/ask.h"

struct node_cmd {
    char *reason;
};

enum { O_REASON = 1 };

static const struct opt table[] = {{.id = O_REASON,
                                    .name = "reason",
                                    .letter = 'r',
                                    .arg = OPT_REQUIRED,
                                    .meta = "TEXT",
                                    .help = "why: everybody sees it"}};

static int set_option(void *ctx, __attribute__((unused)) const struct opt *o, const char *arg,
                      __attribute__((unused)) struct errtext *err)
{
    struct node_cmd *n = ctx;
    free(n->reason);
    n->reason = xstrdup(arg);
    return 0;
}

static const struct opts options = OPTS(table, set_option);

/* Fills body from "drain n[1-3] n7". Returns 0 or the exit code. */
static int make_request(const struct cli *cli, const struct strv *words, const struct node_cmd *n,
                        struct msg_drain *body)
{
    struct errtext err = {0};
    bool drains = words->n && strcmp(words->v[0], "drain") == 0;
    if (!drains && !(words->n && strcmp(words->v[0], "resume") == 0)) {
        cli_error(cli, "say drain or resume, and which nodes");
        return 2;
    }
    for (size_t i = 1; i < words->n; i++) {
        struct strv some = {0};
        if (hostlist_expand(words->v[i], &some, &err) < 0) {
            cli_error(cli, "%s", err.s);
            return 2;
        }
        for (size_t k = 0; k < some.n; k++)
            strv_push(&body->nodes, some.v[k]);
        strv_fini(&some);
    }
    if (!body->nodes.n) {
        cli_error(cli, "which nodes?");
        return 2;
    }
    if (drains && str_is_empty(n->reason)) {
        cli_error(cli, "give a reason, as in: %s drain %s --reason=\"fan broken\"", cli->name, words->v[1]);
        return 2;
    }
    body->drain = drains;
    body->reason = xstrdup(n->reason);
    return 0;
}

static int node_run(struct cli *cli, int argc, char **argv)
{
    struct node_cmd n = {0};
    struct strv words = {0};
    struct msg_drain body = {0};
    int rc = 0;
    if (cli_parse(cli, &n, argc, argv, 0, &words, &rc)) {
        rc = make_request(cli, &words, &n, &body);
        struct client *c = rc ? NULL : ask_connect(cli);
        if (rc == 0)
            rc = c ? ask_result(cli, c, MSG_DRAIN, &body, NULL) : EXIT_AWAY;
        client_free(c);
    }
    rec_fini(&msg_drain_rec, &body);
    free(n.reason);
    strv_fini(&words);
    return rc;
}

const struct command cmd_node = {
    .name = "node",
    .summary = "Take nodes out of use (drain) and back (resume)",
    .usage = "drain NODES --reason=TEXT | resume NODES",
    .options = &options,
    .run = node_run,
};
