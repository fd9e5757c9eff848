/* nodetext.c - what a node looks like in words. */
#include "src/text/nodetext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/lang/lang.h"
#include "src/model/nodestate.h"
#include "src/text/jobtext.h"

static const struct {
    const char *shrt, *lng, *full;
} looks[NODE_N_LOOKS] = {
#define X(name, s, l, f) [NODE_LOOK_##name] = {.shrt = s, .lng = l, .full = f},
    NODE_LOOKS(X)
#undef X
};

static enum node_look look_by_use(const struct node *n)
{
    unsigned used = cpuset_count(&n->cpus_used);
    if (n->exclusive || (used && used >= n->cpus))
        return NODE_LOOK_ALLOC;
    return used || n->n_jobs ? NODE_LOOK_MIX : NODE_LOOK_IDLE;
}

enum node_look node_look(const struct node *n, bool completing)
{
    switch ((enum node_state)n->state) {
    case NODE_LOST:
    case NODE_DOWN: return NODE_LOOK_DOWN;
    case NODE_UNKNOWN:
        if (!n->drain && !node_needs_no_agent(n))
            return NODE_LOOK_UNK;
        break;
    case NODE_UP:
    case NODE_SUSPECT:
    case NODE_N_STATES: break;
    }
    if (n->drain)
        return n->n_jobs ? NODE_LOOK_DRNG : NODE_LOOK_DRAIN;
    return completing ? NODE_LOOK_COMP : look_by_use(n);
}

void nodetext_state(struct str *out, const struct node *n, bool completing, bool long_form)
{
    enum node_look l = node_look(n, completing);
    str_append(out, long_form ? looks[l].lng : looks[l].shrt);
    if (!node_responds(n))
        str_append_char(out, '*');
}

void nodetext_state_full(struct str *out, const struct node *n, bool completing)
{
    enum node_look l = node_look(n, completing);
    if (l == NODE_LOOK_DRNG || l == NODE_LOOK_COMP) {
        str_append(out, looks[look_by_use(n)].full);
        str_append(out, l == NODE_LOOK_DRNG ? "+DRAIN" : "+COMPLETING");
    } else {
        str_append(out, looks[l].full);
        if (l == NODE_LOOK_DOWN && n->drain)
            str_append(out, "+DRAIN");
    }
    if (!node_responds(n))
        str_append(out, "+NOT_RESPONDING");
}

char node_glyph(const struct node *n)
{
    static const char glyphs[NODE_N_LOOKS] = {
        [NODE_LOOK_IDLE] = '.',  [NODE_LOOK_MIX] = '+',  [NODE_LOOK_ALLOC] = 'A', [NODE_LOOK_COMP] = 'c',
        [NODE_LOOK_DRAIN] = '#', [NODE_LOOK_DRNG] = '#', [NODE_LOOK_DOWN] = '#',  [NODE_LOOK_UNK] = '?'};
    return glyphs[node_look(n, false)];
}

/* Slurm's spellings beyond the two forms of the table, as a mask over the looks. */
static unsigned looks_mask(const char *text)
{
    static const struct {
        const char *name;
        unsigned mask;
    } more[] = {
        {.name = "alloc", .mask = 1u << NODE_LOOK_ALLOC | 1u << NODE_LOOK_MIX | 1u << NODE_LOOK_COMP},
        {.name = "allocated", .mask = 1u << NODE_LOOK_ALLOC | 1u << NODE_LOOK_MIX | 1u << NODE_LOOK_COMP},
        {.name = "drain", .mask = 1u << NODE_LOOK_DRAIN | 1u << NODE_LOOK_DRNG},
        {.name = "drng", .mask = 1u << NODE_LOOK_DRNG},
        {.name = "up",
         .mask = 1u << NODE_LOOK_ALLOC | 1u << NODE_LOOK_MIX | 1u << NODE_LOOK_COMP | 1u << NODE_LOOK_IDLE},
        {.name = "err", .mask = 1u << NODE_LOOK_DOWN},
        {.name = "fail", .mask = 0},
        {.name = "failing", .mask = 0},
        {.name = "maint", .mask = 0},
        {.name = "resv", .mask = 0},
        {.name = "reserved", .mask = 0},
        {.name = "planned", .mask = 0},
        {.name = "future", .mask = 0},
        {.name = "futr", .mask = 0},
        {.name = "power_down", .mask = 0},
        {.name = "power_up", .mask = 0},
        {.name = "powered_down", .mask = 0},
        {.name = "powering_down", .mask = 0},
        {.name = "reboot", .mask = 0},
        {.name = "no_respond", .mask = 0},
        {.name = "npc", .mask = 0},
        {.name = "perfctrs", .mask = 0},
        {.name = "inval", .mask = 0},
        {.name = "cloud", .mask = 0},
        {.name = "blocked", .mask = 0},
    };
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (strcasecmp(more[i].name, text) == 0)
            return more[i].mask | 1u << 31;
    for (unsigned l = 0; l < NODE_N_LOOKS; l++)
        if (strcasecmp(looks[l].shrt, text) == 0 || strcasecmp(looks[l].lng, text) == 0)
            return 1u << l | 1u << 31;
    return 0;
}

bool node_state_is_known(const char *text)
{
    return looks_mask(text) != 0;
}

bool node_is_in_state(const struct node *n, bool completing, const char *text)
{
    if (strcasecmp(text, "no_respond") == 0)
        return !node_responds(n);
    return looks_mask(text) >> node_look(n, completing) & 1;
}

static void nodetext_append_gpus(struct str *out, const struct node *n, uint32_t count)
{
    str_append(out, "gpu:");
    if (n->gpu_type) {
        str_append(out, n->gpu_type);
        str_append_char(out, ':');
    }
    text_append_u64(out, count);
}

void nodetext_gres(struct str *out, const struct node *n)
{
    if (n->gpus)
        nodetext_append_gpus(out, n, n->gpus);
    else
        str_append(out, "(null)");
}

const char *gpu_note_of(const struct strv *notes, unsigned gpu)
{
    char prefix[24];
    snprintf(prefix, sizeof prefix, "GPU %u: ", gpu);
    for (size_t i = 0; i < notes->n; i++)
        if (strncmp(notes->v[i], prefix, strlen(prefix)) == 0)
            return notes->v[i] + strlen(prefix);
    return NULL;
}

const char *node_gpu_note(const struct node *n, unsigned gpu)
{
    const char *note = gpu_note_of(&n->gpu_notes, gpu);
    if (note)
        return note;
    return cpuset_has(&node_rare(n)->unknown_gpus, gpu)
               ? tr("held by a task that this controller does not know")
               : NULL;
}

void nodetext_gres_used(struct str *out, const struct node *n)
{
    if (!n->gpus) {
        str_append(out, "(null)");
        return;
    }
    char *list = cpuset_format(&n->gpus_used);
    nodetext_append_gpus(out, n, cpuset_count(&n->gpus_used));
    str_appendf(out, "(IDX:%s)", *list ? list : "N/A");
    free(list);
}

void nodetext_tres(struct str *out, const struct node *n, const struct model *m, bool used)
{
    uint32_t cpus = used ? cpuset_count(&n->cpus_used) : n->cpus;
    uint32_t gpus = used ? cpuset_count(&n->gpus_used) : n->gpus;
    uint64_t mem = used ? n->mem_used_mib : n->mem_mib;
    if (!cpus && !gpus && !mem)
        return;
    tres_text(out,
              &(struct tres_amounts){.cpus = cpus, .gpus = gpus, .mem_mib = mem, .gpu_type = n->gpu_type},
              used ? NULL : m);
}

void nodetext_event(struct str *out, const struct node_event *e)
{
    const char *who = e->user ? e->user : "?", *text = e->text ? e->text : "";
    switch ((enum node_news)e->kind) {
    case NEWS_DRAINED:
        str_appendf(out, *text ? tr("drained by %s: %s") : tr("drained by %s"), who, text);
        return;
    case NEWS_RESUMED: str_appendf(out, tr("resumed by %s"), who); return;
    case NEWS_NOTED:
        str_appendf(out, *text ? tr("note by %s: %s") : tr("note deleted by %s"), who, text);
        return;
    case NEWS_LOST: str_appendf(out, *text ? tr("lost: %s") : tr("lost: it does not answer"), text); return;
    case NEWS_BACK: str_appendf(out, *text ? tr("back, %s") : tr("back"), text); return;
    case NEWS_REBOOTED: str_appendf(out, *text ? tr("rebooted, %s") : tr("rebooted"), text); return;
    case NEWS_GPUS: str_append(out, text); return;
    case NEWS_NONE:
    case NEWS_N: return;
    }
}

const char *node_reason(const struct node *n, const char **ret_user, struct wall *ret_t)
{
    bool drained = n->drain && !str_is_empty(n->drain_reason);
    *ret_user = drained ? n->drain_user : "stoker";
    *ret_t = drained ? n->t_drain : n->t_state;
    return drained ? n->drain_reason : n->trouble;
}
