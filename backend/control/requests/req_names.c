#include "backend/control/requests/req_names.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/idmap.h"
#include "src/base/siphash.h"
#include "src/base/xalloc.h"
#include "src/values/hostlist.h"

static bool req_names_is_feature(const struct model *m, const char *name)
{
    for (size_t i = 0; i < m->n_nodes; i++)
        if (strv_has(&m->nodes[i]->spec.features, name))
            return true;
    return false;
}

/* "a&b", "[x|y]", "big*2": the names between the operators. */
static enum refusal req_names_check_features(const struct model *m, const char *text, struct cause *why)
{
    struct strv names = strv_split(text, "&|,[]()");
    enum refusal r = REFUSAL_NONE;
    for (size_t i = 0; i < names.n && r == REFUSAL_NONE; i++) {
        names.v[i][strcspn(names.v[i], "*")] = '\0';
        char *name = str_trim(names.v[i]);
        if (*name && !req_names_is_feature(m, name)) {
            *why = (struct cause){.code = CAUSE_NO_FEATURE, .name = xstrdup(name)};
            r = REFUSAL_FEATURE;
        }
    }
    strv_fini(&names);
    return r;
}

static enum refusal req_names_check_nodes(const struct model *m, const char *text, struct cause *why)
{
    struct strv names = {0};
    enum refusal r = REFUSAL_NONE;
    if (hostlist_expand(text, &names, NULL) < 0)
        return r; /* refused where it is parsed */
    for (size_t i = 0; i < names.n && r == REFUSAL_NONE; i++)
        if (!model_get_node(m, names.v[i])) {
            *why = (struct cause){.code = CAUSE_NO_NODE, .name = xstrdup(names.v[i])};
            r = REFUSAL_NO_NODE;
        }
    strv_fini(&names);
    return r;
}

static enum refusal req_names_check_partitions(const struct model *m, const char *text, struct cause *why)
{
    struct strv names = strv_split(text, ",");
    enum refusal r = REFUSAL_NONE;
    for (size_t i = 0; i < names.n && r == REFUSAL_NONE; i++)
        if (!model_get_part(m, names.v[i])) {
            *why = (struct cause){.code = CAUSE_NO_PARTITION, .part = xstrdup(names.v[i])};
            r = REFUSAL_NO_PARTITION;
        }
    strv_fini(&names);
    return r;
}

enum refusal req_names_check(const struct model *m, const struct job_req *r, struct cause *why)
{
    enum refusal refusal =
        str_is_empty(r->partition) ? REFUSAL_NONE : req_names_check_partitions(m, r->partition, why);
    if (refusal == REFUSAL_NONE && !str_is_empty(req_rare(r)->nodelist))
        refusal = req_names_check_nodes(m, req_rare(r)->nodelist, why);
    if (refusal == REFUSAL_NONE && !str_is_empty(req_detail(r)->features))
        refusal = req_names_check_features(m, req_detail(r)->features, why);
    return refusal;
}

/* --- what is kept of names --- */

/* Keeps the first of each. Returns whether any was dropped. */
static bool req_names_drop_duplicates(struct strv *names)
{
    struct idmap seen = {0};
    size_t kept = 0;
    for (size_t i = 0; i < names->n; i++) {
        uint64_t hash = hash_text(names->v[i], strlen(names->v[i]));
        if (str_eq(idmap_get(&seen, hash), names->v[i])) {
            free(names->v[i]);
            continue;
        }
        idmap_set(&seen, hash, names->v[i]);
        names->v[kept++] = names->v[i];
    }
    bool any = kept < names->n;
    names->n = kept;
    idmap_fini(&seen);
    return any;
}

/* A list that cannot be read is refused elsewhere. */
static void req_names_each_node_once(char **list)
{
    struct strv names = {0};
    if (!str_is_empty(*list) && hostlist_expand(*list, &names, NULL) == 0 &&
        req_names_drop_duplicates(&names)) {
        free(*list);
        *list = hostlist_compress(&names);
    }
    strv_fini(&names);
}

void req_names_settle(const struct model *m, struct job_req *r, const char *part)
{
    const struct part_spec *fallback = model_default_part(m);
    struct strv parts = strv_split(r->partition, ",");
    part = part ? part : fallback ? fallback->name : NULL;
    bool is_empty = r->partition && !*r->partition; /* refused by req_check.c */
    if (!parts.n && part && !is_empty) {
        xstrset(&r->partition, part);
    } else if (req_names_drop_duplicates(&parts)) {
        free(r->partition);
        r->partition = strv_join(&parts, ",");
    }
    strv_fini(&parts);
    if (r->rare) {
        req_names_each_node_once(&r->rare->nodelist);
        req_names_each_node_once(&r->rare->exclude);
    }
}
