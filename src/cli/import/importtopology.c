/* importtopology.c - a topology.conf: its leaf switches, or its blocks, become groups of nodes.
 *
 *     SwitchName=s1 Nodes=n[01-04]        group = "s1" of these nodes
 *     SwitchName=top Switches=s[1-2]      groups have one level: left out, and said
 *     BlockName=b1 Nodes=n[01-04]         group = "b1"
 *
 * Source: topology.conf(5).
 */
#include <stdlib.h>
#include <string.h>

#include "src/base/siphash.h"
#include "src/base/xalloc.h"
#include "src/cli/import/import_internal.h"
#include "src/values/hostlist.h"

bool import_is_topology(const struct slurmconf *c)
{
    for (size_t i = 0; i < c->lines.n; i++) {
        const char *key = c->lines.v[i].pairs.v[0].key;
        if (str_ieq(key, "SwitchName") || str_ieq(key, "BlockName"))
            return true;
    }
    return false;
}

static uint64_t topology_key(const char *node)
{
    return hash_bytes(node, strlen(node));
}

static void topology_add_node(struct import *m, const struct conf_line *l, const char *node)
{
    if (idmap_get(&m->group_of, topology_key(node)))
        import_leave(m, l, node, "a node is in one group, the first that names it");
    else
        idmap_set(&m->group_of, topology_key(node), (void *)(uintptr_t)m->groups.n);
}

static void topology_add_group(struct import *m, struct conf_line *l, const char *name)
{
    struct strv nodes = {0};
    const char *list = conf_take(l, "Nodes");
    if (!list) {
        import_leave(m, l, name,
                     "groups of nodes have one level: only the switches of nodes become groups");
        conf_take(l, "Switches");
        return;
    }
    strv_push(&m->groups, name);
    if (hostlist_expand(list, &nodes, NULL) < 0)
        import_leave(m, l, list, "it is not a list of nodes");
    for (size_t i = 0; i < nodes.n; i++)
        topology_add_node(m, l, nodes.v[i]);
    strv_fini(&nodes);
}

void import_read_topology(struct import *m)
{
    vec_for_each (&m->topology.lines, i) {
        struct conf_line *l = &m->topology.lines.v[i];
        const char *key = l->pairs.v[0].key;
        bool is_group = str_ieq(key, "SwitchName") || str_ieq(key, "BlockName");
        conf_take(l, "LinkSpeed"); /* no scheduler uses it */
        if (is_group)
            topology_add_group(m, l, conf_take(l, key));
    }
}

/* 1 and more: a place in m->groups; 0: none. */
static size_t topology_group_of(const struct import *m, const char *node)
{
    return (size_t)(uintptr_t)idmap_get(&m->group_of, topology_key(node));
}

/* The nodes as one name with one pair of brackets, as the line has them: "%s" of its address is what stands
 * in the brackets. */
static char *topology_name_like(const char *line, const struct strv *nodes)
{
    const char *open = strchr(line, '['), *close = strchr(line, ']');
    size_t before = open ? (size_t)(open - line) : 0, after = close ? strlen(close + 1) : 0;
    struct strv items = {0};
    if (!open || !close)
        return hostlist_compress(nodes);
    for (size_t i = 0; i < nodes->n; i++) {
        char *item = xstrndup(nodes->v[i] + before, strlen(nodes->v[i]) - before - after);
        strv_push(&items, item);
        free(item);
    }
    char *list = hostlist_compress(&items), *name;
    bool is_one_range = *list == '[' && strchr(list, ']')[1] == '\0';
    if (!is_one_range && strchr(list, '[')) { /* of several widths */
        free(list);
        list = strv_join(&items, ",");
    }
    if (is_one_range)
        name = xasprintf("%.*s%s%s", (int)before, line, list, close + 1);
    else
        name = xasprintf("%.*s[%s]%s", (int)before, line, list, close + 1);
    free(list);
    strv_fini(&items);
    return name;
}

static void topology_write(struct import *m, const char *name, const char *rest, size_t group)
{
    str_append(&m->out, "  { name = ");
    str_append_quoted(&m->out, name);
    str_appendf(&m->out, ";%s", rest);
    if (group) {
        str_append(&m->out, " group = ");
        str_append_quoted(&m->out, m->groups.v[group - 1]);
        str_append_char(&m->out, ';');
    }
    str_append(&m->out, " },\n");
}

void import_write_nodes(struct import *m, const struct conf_line *l, const char *name, const char *rest)
{
    struct strv nodes = {0};
    const char *open = strchr(name, '[');
    const char *close = open ? strchr(open, ']') : NULL;
    /* More than one pair of brackets, or names beside them. */
    bool many = open ? !close || strpbrk(close + 1, "[,") || memchr(name, ',', (size_t)(open - name))
                     : strchr(name, ',') != NULL;
    if (!m->groups.n || hostlist_expand(name, &nodes, NULL) < 0 || !nodes.n) {
        topology_write(m, name, rest, 0);
        return;
    }
    size_t first = topology_group_of(m, nodes.v[0]), same = 0;
    for (size_t i = 0; i < nodes.n; i++)
        same += topology_group_of(m, nodes.v[i]) == first;
    if (same == nodes.n) {
        topology_write(m, name, rest, first);
    } else if (many) {
        import_leave(m, l, name, "write the groups of these nodes by hand: they are in several");
        topology_write(m, name, rest, 0);
    } else {
        for (size_t g = 0; g <= m->groups.n; g++) {
            struct strv here = {0};
            for (size_t i = 0; i < nodes.n; i++)
                if (topology_group_of(m, nodes.v[i]) == g)
                    strv_push(&here, nodes.v[i]);
            char *like = here.n ? topology_name_like(name, &here) : NULL;
            if (like)
                topology_write(m, like, rest, g);
            free(like);
            strv_fini(&here);
        }
    }
    strv_fini(&nodes);
}
