/* nodecolumns.c - sinfo's columns.
 *
 * Source of titles and of what each letter means: sinfo(1), -o and -O.
 */
#include "src/cli/listing/nodecolumns.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/model/nodestate.h"
#include "src/text/jobtext.h"
#include "src/text/nodetext.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

#define NULL_TEXT "(null)"

bool node_is_completing(const struct node_cx *cx, const struct node *n)
{
    return cx->completing && idmap_get(cx->completing, hash_bytes(n->spec.name, strlen(n->spec.name)));
}

enum node_kept { NODE_KEPT_NOT, NODE_KEPT_MAINT, NODE_KEPT_RESV };

/* What a node is kept for now, by the model's windows. */
static enum node_kept kept_for(const struct model *m, const struct node *n)
{
    enum node_kept kept = NODE_KEPT_NOT;
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        if (w->start.ms > m->now.ms || w->end.ms <= m->now.ms || !window_has_node(w, n->spec.name))
            continue;
        if (w->kind == WINDOW_MAINTENANCE)
            return NODE_KEPT_MAINT;
        kept = NODE_KEPT_RESV;
    }
    return kept;
}

/* "maint", "drain$", "resv". Source of the signs and names: Slurm 22.05 beside it. */
static void nodecolumns_append_state(struct str *out, const struct node *n, const struct node_cx *cx,
                                     bool long_form)
{
    bool completing = node_is_completing(cx, n);
    enum node_kept kept = kept_for(cx->m, n);
    if (kept != NODE_KEPT_NOT && node_look(n, completing) == NODE_LOOK_IDLE && node_responds(n)) {
        str_append(out, kept == NODE_KEPT_MAINT ? "maint" : long_form ? "reserved" : "resv");
        return;
    }
    nodetext_state(out, n, completing, long_form);
    if (kept != NODE_KEPT_MAINT)
        return;
    if (out->len && out->s[out->len - 1] == '*')
        str_truncate(out, out->len - 1);
    str_append_char(out, '$');
}

void node_append_state_full(struct str *out, const struct node *n, const struct node_cx *cx)
{
    static const char *const flags[] = {
        [NODE_KEPT_NOT] = "", [NODE_KEPT_MAINT] = "+MAINTENANCE+RESERVED", [NODE_KEPT_RESV] = "+RESERVED"};
    nodetext_state_full(out, n, node_is_completing(cx, n));
    str_append(out, flags[kept_for(cx->m, n)]);
}

bool node_has_state(const struct node *n, const struct node_cx *cx, const char *state)
{
    if (strcasecmp(state, "maint") == 0)
        return kept_for(cx->m, n) == NODE_KEPT_MAINT;
    if (strcasecmp(state, "resv") == 0 || strcasecmp(state, "reserved") == 0)
        return kept_for(cx->m, n) != NODE_KEPT_NOT;
    return node_is_in_state(n, node_is_completing(cx, n), state);
}

#define GET(NAME)                                                                                    \
    static void get_##NAME##_(struct str *out, const struct node_group *g, const struct node *n,     \
                              const struct node_cx *cx);                                             \
    static void get_##NAME(struct str *out, const void *row, const void *ctx)                        \
    {                                                                                                \
        const struct node_group *g_ = row;                                                           \
        get_##NAME##_(out, g_, g_->nodes.n ? g_->nodes.v[0] : NULL, ctx);                            \
    }                                                                                                \
    static void get_##NAME##_(                                                                       \
        __attribute__((unused)) struct str *out, __attribute__((unused)) const struct node_group *g, \
        __attribute__((unused)) const struct node *n, __attribute__((unused)) const struct node_cx *cx)

#define GET_CONST(NAME, TEXT)  \
    GET(NAME)                  \
    {                          \
        str_append(out, TEXT); \
    }

/* --- the partition --- */

GET(partition)
{
    if (!g->part)
        return;
    str_append(out, g->part->name);
    if (g->part->is_default)
        str_append_char(out, '*');
}
GET(partition_plain)
{
    if (g->part)
        str_append(out, g->part->name);
}
GET(avail)
{
    static const char *const texts[] = {
        [PART_UP] = "up", [PART_DOWN] = "down", [PART_DRAIN] = "drain", [PART_INACTIVE] = "inact"};
    str_append(out, g->part && g->part->state <= PART_INACTIVE ? texts[g->part->state] : "n/a");
}
static void nodecolumns_append_limit(struct str *out, uint32_t s, const char *unset)
{
    if (s == DURATION_UNLIMITED)
        str_append(out, "infinite");
    else if (s == DURATION_NOT_SET)
        str_append(out, unset);
    else
        text_append_duration(out, s);
}
GET(time_limit)
{
    nodecolumns_append_limit(out, g->part ? g->part->max_time_s : DURATION_UNLIMITED, "infinite");
}
GET(default_time)
{
    nodecolumns_append_limit(out, g->part ? g->part->default_time_s : DURATION_NOT_SET, "n/a");
}
GET(job_size)
{
    str_append(out, "1-");
    if (!g->part || g->part->max_nodes == UINT32_MAX)
        str_append(out, "infinite");
    else
        text_append_u64(out, g->part->max_nodes);
}
GET(groups)
{
    if (!g->part || !g->part->allow_groups.n) {
        str_append(out, "all");
        return;
    }
    char *list = strv_join(&g->part->allow_groups, ",");
    str_append(out, list);
    free(list);
}
GET(job_factor)
{
    text_append_u64(out, g->part ? g->part->priority_job_factor : 0);
}
GET(tier)
{
    text_append_u64(out, g->part ? g->part->priority_tier : 0);
}
GET(preempt_mode)
{
    static const char *const texts[] = {
        [PREEMPT_OFF] = "OFF", [PREEMPT_REQUEUE] = "REQUEUE", [PREEMPT_CANCEL] = "CANCEL"};
    str_append(out,
               g->part && g->part->preempt_mode <= PREEMPT_CANCEL ? texts[g->part->preempt_mode] : "OFF");
}
GET_CONST(no, "NO")
GET_CONST(root, "no")
GET_CONST(all, "all")
GET_CONST(unlimited, "UNLIMITED")
GET(cluster)
{
    text_append_foreign(out, cx->m->spec.name, NULL_TEXT);
}

/* --- the group --- */

GET(count)
{
    text_append_u64(out, g->nodes.n);
}
GET(nodelist)
{
    struct strv names = {0};
    vec_for_each (&g->nodes, i)
        strv_push(&names, g->nodes.v[i]->spec.name);
    if (names.n) {
        char *list = hostlist_compress(&names);
        str_append(out, list);
        free(list);
    }
    strv_fini(&names);
}
/* alloc/idle/other/total */
static void append_aiot(struct str *out, const uint64_t v[4], bool all)
{
    text_append_u64(out, v[0]);
    str_append_char(out, '/');
    text_append_u64(out, v[1]);
    if (!all)
        return;
    str_append_char(out, '/');
    text_append_u64(out, v[2]);
    str_append_char(out, '/');
    text_append_u64(out, v[3]);
}
static void nodecolumns_count_nodes(const struct node_group *g, const struct node_cx *cx, uint64_t v[4])
{
    vec_for_each (&g->nodes, i) {
        switch (node_look(g->nodes.v[i], node_is_completing(cx, g->nodes.v[i]))) {
        case NODE_LOOK_ALLOC:
        case NODE_LOOK_MIX:
        case NODE_LOOK_COMP:
        case NODE_LOOK_DRNG: v[0]++; break;
        case NODE_LOOK_IDLE: v[1]++; break;
        case NODE_LOOK_DRAIN:
        case NODE_LOOK_DOWN:
        case NODE_LOOK_UNK:
        case NODE_N_LOOKS: v[2]++; break;
        }
        v[3]++;
    }
}
GET(nodes_ai)
{
    uint64_t v[4] = {0};
    nodecolumns_count_nodes(g, cx, v);
    append_aiot(out, v, false);
}
GET(nodes_aiot)
{
    uint64_t v[4] = {0};
    nodecolumns_count_nodes(g, cx, v);
    append_aiot(out, v, true);
}
GET(cpus_aiot)
{
    uint64_t v[4] = {0};
    vec_for_each (&g->nodes, i) {
        const struct node *x = g->nodes.v[i];
        uint64_t used = cpuset_count(&x->cpus_used), rest = x->cpus > used ? x->cpus - used : 0;
        bool out_of_use = x->drain || (x->state != NODE_UP && x->state != NODE_SUSPECT);
        v[0] += used;
        v[out_of_use ? 2 : 1] += rest;
        v[3] += x->cpus;
    }
    append_aiot(out, v, true);
}

/* --- figures of a node: the smallest of the group, with "+" where others have more --- */

static void append_min(struct str *out, const struct node_group *g, uint64_t (*figure)(const struct node *))
{
    uint64_t min = 0, max = 0;
    vec_for_each (&g->nodes, i) {
        uint64_t v = figure(g->nodes.v[i]);
        min = !i || v < min ? v : min;
        max = !i || v > max ? v : max;
    }
    text_append_u64(out, min);
    if (max > min)
        str_append_char(out, '+');
}
static uint64_t node_cpus(const struct node *n)
{
    return n->cpus;
}
static uint64_t node_mem(const struct node *n)
{
    return n->mem_mib;
}
static uint64_t node_tmp(const struct node *n)
{
    return n->tmp_mib;
}
static uint64_t node_free_mem(const struct node *n)
{
    return n->mem_mib > n->mem_used_mib ? n->mem_mib - n->mem_used_mib : 0;
}
static uint64_t node_weight(const struct node *n)
{
    return n->spec.weight;
}
GET(cpus)
{
    append_min(out, g, node_cpus);
}
GET(tmp_disk)
{
    append_min(out, g, node_tmp);
}
GET(memory)
{
    append_min(out, g, node_mem);
}
GET(free_mem)
{
    append_min(out, g, node_free_mem);
}
GET(alloc_mem)
{
    uint64_t sum = 0;
    vec_for_each (&g->nodes, i)
        sum += g->nodes.v[i]->mem_used_mib;
    text_append_u64(out, sum);
}
GET(weight)
{
    append_min(out, g, node_weight);
}
GET_CONST(one, "1")
GET_CONST(na, "N/A")
GET(sct)
{
    append_min(out, g, node_cpus);
    str_append(out, ":1:1");
}

/* --- words of a node: the first of the group speaks for all --- */

GET(state_short)
{
    if (n)
        nodecolumns_append_state(out, n, cx, false);
    else
        str_append(out, "n/a");
}
GET(state_long)
{
    if (n)
        nodecolumns_append_state(out, n, cx, true);
    else
        str_append(out, "n/a");
}
static void append_lower(struct str *out, const struct node *n, const struct node_cx *cx)
{
    size_t at = out->len;
    node_append_state_full(out, n, cx);
    for (; at < out->len; at++)
        out->s[at] = (char)tolower((unsigned char)out->s[at]);
}
GET(state_full)
{
    if (n)
        append_lower(out, n, cx);
    else
        str_append(out, "n/a");
}
GET(host)
{
    if (n)
        str_append(out, n->spec.name);
}
GET(address)
{
    if (n)
        text_append_foreign(out, n->spec.address ? n->spec.address : n->spec.name, "");
}
GET(features)
{
    if (!n || !n->spec.features.n) {
        str_append(out, NULL_TEXT);
        return;
    }
    char *list = strv_join(&n->spec.features, ",");
    text_append_foreign(out, list, "");
    free(list);
}
GET(gres)
{
    if (n)
        nodetext_gres(out, n);
    else
        str_append(out, NULL_TEXT);
}
GET(gres_used)
{
    if (n)
        nodetext_gres_used(out, n);
    else
        str_append(out, NULL_TEXT);
}
GET(reason)
{
    const char *user;
    struct wall t;
    text_append_foreign(out, n ? node_reason(n, &user, &t) : NULL, "none");
}
GET(reason_user)
{
    const char *user = NULL;
    struct wall t;
    text_append_foreign(out, n && node_reason(n, &user, &t) ? user : NULL, "Unknown");
}
GET(reason_time)
{
    const char *user;
    struct wall t = {0};
    if (!n || !node_reason(n, &user, &t))
        t = (struct wall){0};
    timetext_append(out, &cx->time, t, "Unknown");
}
GET(version)
{
    text_append_foreign(out, n ? n->version : NULL, "N/A");
}

#define C(LETTER, NAMES, TITLE, GETTER) \
    {.letter = LETTER, .names = NAMES, .title = TITLE, .get = get_##GETTER},

static const struct column node_table[] = {
    /* clang-format off */
    C('P', "partition",        "PARTITION",         partition)
    C('R', "partitionname",    "PARTITION",         partition_plain)
    C('a', "available",        "AVAIL",             avail)
    C('l', "time",             "TIMELIMIT",         time_limit)
    C('L', "defaulttime",      "DEFAULTTIME",       default_time)
    C('s', "size",             "JOB_SIZE",          job_size)
    C('g', "groups",           "GROUPS",            groups)
    C('h', "oversubscribe",    "OVERSUBSCRIBE",     no)
    C('I', "priorityjobfactor", "PRIO_JOB_FACTOR",  job_factor)
    C('p', "prioritytier",     "PRIO_TIER",         tier)
    C('M', "preemptmode",      "PREEMPT_MODE",      preempt_mode)
    C('r', "root",             "ROOT",              root)
    C('S', "allocnodes",       "ALLOCNODES",        all)
    C('B', "maxcpuspernode",   "MAX_CPUS_PER_NODE", unlimited)
    C('V', "cluster",          "CLUSTER",           cluster)
    C('D', "nodes",            "NODES",             count)
    C('A', "nodeai",           "NODES(A/I)",        nodes_ai)
    C('F', "nodeaiot",         "NODES(A/I/O/T)",    nodes_aiot)
    C('C', "cpusstate",        "CPUS(A/I/O/T)",     cpus_aiot)
    C('N', "nodelist",         "NODELIST",          nodelist)
    C('n', "nodehost",         "HOSTNAMES",         host)
    C('o', "nodeaddr",         "NODE_ADDR",         address)
    C('t', "statecompact",     "STATE",             state_short)
    C('T', "statelong",        "STATE",             state_long)
    C(0,   "statecomplete",    "STATECOMPLETE",     state_full)
    C('c', "cpus",             "CPUS",              cpus)
    C('m', "memory",           "MEMORY",            memory)
    C('e', "freemem",          "FREE_MEM",          free_mem)
    C(0,   "allocmem",         "ALLOCMEM",          alloc_mem)
    C('d', "disk",             "TMP_DISK",          tmp_disk)
    C('w', "weight",           "WEIGHT",            weight)
    C('X', "sockets",          "SOCKETS",           cpus)
    C('Y', "cores",            "CORES",             one)
    C('Z', "threads",          "THREADS",           one)
    C('z', "socketcorethread", "S:C:T",             sct)
    C('O', "cpusload",         "CPU_LOAD",          na)
    C('f', "features",         "AVAIL_FEATURES",    features)
    C('b', "features_act",     "ACTIVE_FEATURES",   features)
    C('G', "gres",             "GRES",              gres)
    C(0,   "gresused",         "GRES_USED",         gres_used)
    C('E', "reason",           "REASON",            reason)
    C('u', "user",             "USER",              reason_user)
    C('U', "userlong",         "USER",              reason_user)
    C('H', "timestamp",        "TIMESTAMP",         reason_time)
    C('i', "reservation",      "RESERVATION",       na)
    C('v', "version",          "VERSION",           version)
    C(0,   "port comment extra", "N/A",             na)
    /* clang-format on */
};
const struct columns node_columns = COLUMNS(node_table);

bool node_column_divides(const struct column *c, bool exact)
{
    /* Lists and sums are of the whole group; so are partition columns: groups never span partitions. */
    static const char whole[] = "PRalLsghIpMrSBVDAFCNOd";
    static const char sizes[] = "cmeXzw";
    if (!c)
        return false;
    if (!c->letter)
        return c->get != get_alloc_mem;
    return !strchr(whole, c->letter) && (exact || !strchr(sizes, c->letter));
}
