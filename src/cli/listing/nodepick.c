/* nodepick.c - operands that name nodes. */
#include "src/cli/listing/nodepick.h"

#include "src/lang/lang.h"
#include "src/values/hostlist.h"

int names_expand(const struct cli *cli, const struct strv *words, size_t from, size_t to,
                 struct strv *names)
{
    struct errtext err = {0};
    for (size_t i = from; i < to; i++) {
        struct strv some = {0};
        if (hostlist_expand(words->v[i], &some, &err) < 0) {
            cli_error(cli, "%s", err.s);
            return 2;
        }
        for (size_t k = 0; k < some.n; k++)
            strv_push(names, some.v[k]);
        strv_fini(&some);
    }
    if (names->n)
        return 0;
    cli_error(cli, tr("which nodes?"));
    return 2;
}

static int pick(const struct cli *cli, const struct model *m, const struct strv *operands,
                struct node_pick *ret)
{
    struct strv names = {0};
    int rc = operands->n ? names_expand(cli, operands, 0, operands->n, &names) : 0;
    for (size_t i = 0; i < names.n && rc == 0; i++)
        if (!model_get_node(m, names.v[i])) {
            cli_error(cli, tr("there is no node %s"), names.v[i]);
            rc = EXIT_NOT_FOUND;
        }
    for (size_t i = 0; i < m->n_nodes && rc == 0; i++)
        if (!operands->n || strv_has(&names, m->nodes[i]->spec.name))
            vec_push(&ret->v, m->nodes[i]);
    strv_fini(&names);
    return rc;
}

int nodes_show(const struct cli *cli, const struct msg_get *get, const struct strv *operands,
               nodes_show_fn *show, void *ctx)
{
    struct model m;
    struct node_pick nodes = {.v = VEC_INIT};
    struct str out = STR_INIT;
    struct client *c = ask_connect(cli);
    if (!c)
        return EXIT_AWAY;
    int rc = ask_fetch(cli, c, get, &m);
    rc = rc ? rc : pick(cli, &m, operands, &nodes);
    if (rc == 0) {
        show(ctx, c, &m, &nodes, &out);
        out_flush(&out);
    }
    str_fini(&out);
    vec_fini(&nodes.v);
    model_fini(&m);
    client_free(c);
    return rc;
}
