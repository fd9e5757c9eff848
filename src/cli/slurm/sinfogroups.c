/* sinfogroups.c - which nodes sinfo shows, together with which others, and in which order. */
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/slurm/sinfo.h"
#include "src/model/nodestate.h"
#include "src/text/nodetext.h"

void node_groups_fini(struct node_groups *gs)
{
    vec_for_each (&gs->v, i) {
        vec_fini(&gs->v.v[i]->nodes);
        free(gs->v.v[i]);
        free(gs->keys.v[i]);
    }
    vec_fini(&gs->v);
    vec_fini(&gs->keys);
}

static struct node_group *group_add(struct node_groups *gs, const struct part_spec *p, char *key)
{
    struct node_group *g = xcalloc(1, sizeof *g);
    g->part = p;
    vec_push(&gs->v, g);
    vec_push(&gs->keys, key);
    return g;
}

bool sinfo_takes_node(const struct sinfo *s, const struct node_cx *cx, const struct node *n)
{
    if (s->nodes.n && !strv_has(&s->nodes, n->spec.name))
        return false;
    if ((s->dead && node_responds(n)) || (s->responding && !node_responds(n)))
        return false;
    const char *user;
    struct wall t;
    if (s->reasons && !node_reason(n, &user, &t))
        return false;
    for (size_t i = 0; i < s->states.n; i++)
        if (node_has_state(n, cx, s->states.v[i]))
            return true;
    return !s->states.n;
}

/* What a node prints in the columns that divide. */
static char *key_of(const struct sinfo *s, const struct format *f, const struct node_cx *cx,
                    const struct part_spec *p, const struct node *n)
{
    struct str key = STR_INIT;
    struct node_group one = {.part = p, .nodes = VEC_INIT};
    vec_push(&one.nodes, n);
    if (s->by_node)
        str_appendf(&key, "%s\1", n->spec.name);
    vec_for_each (&f->items, i)
        if (node_column_divides(f->items.v[i].col, s->exact)) {
            f->items.v[i].col->get(&key, &one, cx);
            str_append_char(&key, '\1');
        }
    vec_fini(&one.nodes);
    return str_take(&key);
}

static void sinfogroups_add_node(const struct sinfo *s, struct node_groups *gs, const struct format *f,
                                 const struct node_cx *cx, const struct part_spec *p, const struct node *n)
{
    char *key = key_of(s, f, cx, p, n);
    vec_for_each (&gs->v, i)
        if (gs->v.v[i]->part == p && strcmp(gs->keys.v[i], key) == 0) {
            free(key);
            vec_push(&gs->v.v[i]->nodes, n);
            return;
        }
    struct node_group *g = group_add(gs, p, key);
    vec_push(&g->nodes, n);
}

static bool takes_part(const struct sinfo *s, const struct part_spec *p)
{
    return !s->parts.n || strv_has(&s->parts, p->name);
}

static void collect_parts(const struct sinfo *s, struct node_groups *gs, const struct format *f,
                          const struct node_cx *cx)
{
    const struct cluster_spec *spec = &cx->m->spec;
    for (size_t i = 0; i < spec->parts.n; i++) {
        const struct part_spec *p = &spec->parts.v[i];
        size_t before = gs->v.n;
        if (!takes_part(s, p))
            continue;
        for (size_t k = 0; k < p->nodes.n; k++) {
            const struct node *n = model_get_node(cx->m, p->nodes.v[k]);
            if (n && sinfo_takes_node(s, cx, n))
                sinfogroups_add_node(s, gs, f, cx, p, n);
        }
        bool selects = s->nodes.n || s->states.n || s->dead || s->responding;
        if (gs->v.n == before && !selects && !s->by_node)
            group_add(gs, p, xstrdup(""));
    }
}

/* -R and formats of nodes alone: a node counts once, whatever its partitions. */
static void collect_nodes(const struct sinfo *s, struct node_groups *gs, const struct format *f,
                          const struct node_cx *cx)
{
    for (size_t i = 0; i < cx->m->n_nodes; i++) {
        const struct node *n = cx->m->nodes[i];
        bool in_part = !s->parts.n;
        for (size_t k = 0; k < cx->m->spec.parts.n && !in_part; k++) {
            const struct part_spec *p = &cx->m->spec.parts.v[k];
            in_part = strv_has(&s->parts, p->name) && strv_has(&p->nodes, n->spec.name);
        }
        if (in_part && sinfo_takes_node(s, cx, n))
            sinfogroups_add_node(s, gs, f, cx, NULL, n);
    }
}

/* Does the format say anything about partitions? */
static bool prints_partition(const struct format *f)
{
    vec_for_each (&f->items, i) {
        const struct column *c = f->items.v[i].col;
        if (c && c->letter && strchr("PRalLsghIpMrSB", c->letter))
            return true;
    }
    return false;
}

void node_groups_collect(struct node_groups *gs, const struct sinfo *s, const struct format *f,
                         const struct node_cx *cx)
{
    if (s->reasons || !prints_partition(f))
        collect_nodes(s, gs, f, cx);
    else
        collect_parts(s, gs, f, cx);
}

/* --- their order --- */

static int64_t group_state_rank(const struct node_group *g, const struct node_cx *cx)
{
    static const int rank[NODE_N_LOOKS] = {
        [NODE_LOOK_DOWN] = 1, [NODE_LOOK_UNK] = 0, [NODE_LOOK_COMP] = 2,  [NODE_LOOK_DRAIN] = 3,
        [NODE_LOOK_DRNG] = 4, [NODE_LOOK_MIX] = 5, [NODE_LOOK_ALLOC] = 6, [NODE_LOOK_IDLE] = 7};
    if (!g->nodes.n)
        return 8;
    return rank[node_look(g->nodes.v[0], node_is_completing(cx, g->nodes.v[0]))];
}

static int compare_default(const void *a, const void *b, void *ctx)
{
    const struct node_group *x = *(const struct node_group *const *)a,
                            *y = *(const struct node_group *const *)b;
    if (x->part != y->part) /* in the order of the configuration: elements of one array */
        return x->part < y->part ? -1 : 1;
    int64_t d = group_state_rank(x, ctx) - group_state_rank(y, ctx);
    if (d)
        return d < 0 ? -1 : 1;
    return x->nodes.n && y->nodes.n ? strverscmp(x->nodes.v[0]->spec.name, y->nodes.v[0]->spec.name) : 0;
}

static int compare_nodes(const void *a, const void *b)
{
    const struct node_group *x = *(const struct node_group *const *)a,
                            *y = *(const struct node_group *const *)b;
    int c = x->nodes.n && y->nodes.n ? strverscmp(x->nodes.v[0]->spec.name, y->nodes.v[0]->spec.name) : 0;
    return c ? c : x->part < y->part ? -1 : x->part > y->part;
}

int node_groups_sort(struct node_groups *gs, const struct sinfo *s, const struct cli *cli,
                     struct node_cx *cx)
{
    struct sorting by = {.items = VEC_INIT};
    struct errtext err = {0};
    if (!s->sort) {
        if (gs->v.n > 1 && s->by_node)
            qsort(gs->v.v, gs->v.n, sizeof gs->v.v[0], compare_nodes);
        else if (gs->v.n > 1)
            qsort_r(gs->v.v, gs->v.n, sizeof gs->v.v[0], compare_default, cx);
        return 0;
    }
    /* "#P": in the order of the configuration, which is the order that they are in */
    struct str spec = STR_INIT;
    for (const char *p = s->sort; *p; p++)
        if (*p != '#')
            str_append_char(&spec, *p);
    int rc = sorting_parse(&by, &node_columns, spec.s, &err);
    if (rc < 0)
        cli_error(cli, "%s", err.s);
    else if (gs->v.n)
        sorting_apply(&by, (const void **)(void *)gs->v.v, gs->v.n, cx);
    sorting_fini(&by);
    str_fini(&spec);
    return rc < 0;
}
