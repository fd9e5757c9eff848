#include "src/text/cause_sentence.h"

#include "src/text/cause_template.h"

/* --- places --- */

static void wants_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    cause_append_count(out, c->cpus, "CPU");
    if (c->gpus)
        template_append(out, c->type ? ", {gpus} {type} GPU" : ", {gpus} GPU", c, r, full);
    str_append(out, c->gpus > 1 ? "s" : "");
    template_append(out, "[, {mem_mib:mem} of memory a node]", c, r, full);
    if (c->nodes_n > 1)
        str_appendf(out, " on %llu %snodes", (unsigned long long)c->nodes_n, c->whole ? "whole " : "");
    else if (c->whole)
        str_append(out, " on a whole node");
}

/* "4 a100 GPUs on one node (2 free)". */
static void needs_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    str_appendf(out, "%llu ", (unsigned long long)c->asked);
    template_append(out, "[{type} ]", c, r, full);
    str_appendf(out, "%s%s", c->code == CAUSE_NEEDS_GPUS ? "GPU" : "CPU", c->asked == 1 ? "" : "s");
    if (c->nodes)
        str_appendf(out, " on %s", c->nodes);
    else if (c->one)
        str_append(out, " on one node");
    else if (c->nodes_n > 1)
        str_appendf(out, " on %llu nodes", (unsigned long long)c->nodes_n);
    if (c->free < c->asked)
        str_appendf(out, " (%llu free)", (unsigned long long)c->free);
}

static void needs_memory_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                              template_part full)
{
    template_append(out, c->one ? "{asked:mem} of memory" : "{asked:mem} of memory a node", c, r, full);
    template_append(out, " ({free:mem} free)", c, r, full);
}

static void needs_nodes_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                             template_part full)
{
    template_append(out, "{asked:whole node} ({free} free)", c, r, full);
}

static const struct cause *find_part(const struct cause *c, enum cause_code from, enum cause_code to)
{
    for (size_t i = 0; i < c->parts.n; i++)
        if (c->parts.v[i].code >= (uint32_t)from && c->parts.v[i].code <= (uint32_t)to)
            return &c->parts.v[i];
    return NULL;
}

static bool is_out_part(const struct cause *c)
{
    return c->code >= CAUSE_OUT_DRAINED && c->code <= CAUSE_OUT_MORE;
}

static bool is_need_part(const struct cause *c)
{
    return c->code >= CAUSE_NEEDS_GPUS && c->code <= CAUSE_NEEDS_NODES;
}

/* "2 CPUs wanted in main; 2 nodes: ...; n1 is drained: fan, n2 is down; room comes when ..." */
static void no_place_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                          template_part full)
{
    bool out_before = false;
    for (size_t i = 0; i < c->parts.n; i++) {
        const struct cause *part = &c->parts.v[i];
        if (is_need_part(part))
            continue;
        if (i)
            str_append(out, out_before && is_out_part(part) ? ", " : "; ");
        out_before = is_out_part(part);
        full(out, part, r);
        if (part->code == CAUSE_WANTS)
            template_append(out, " wanted in {part}", c, r, full);
    }
}

void cause_append_start(struct str *out, const struct cause *c, const struct cause_reader *r,
                        template_part full)
{
    if (r && r->start_apart && wall_is_set(c->start))
        return;
    template_append(out, "[, starts ~{start}]", c, r, full);
    if (!wall_is_set(c->start))
        template_append(out, "[, not within {window_s:words}]", c, r, full);
}

/* "next in line, needs 4 GPUs (2 free), starts ~14:44". */
static void no_place_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                           template_part full)
{
    const struct cause *need = find_part(c, CAUSE_NEEDS_GPUS, CAUSE_NEEDS_NODES);
    if (!need) {
        no_place_full(out, c, r, full);
        return;
    }
    bool apart = r && r->start_apart && wall_is_set(c->start);
    str_append(out, c->next && !apart ? "next in line, needs " : "needs ");
    full(out, need, r);
    cause_append_start(out, c, r, full);
}

static void nodes_are_out_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                                template_part full)
{
    const char *separator = "";
    for (size_t i = 0; i < c->parts.n; i++) {
        if (!is_out_part(&c->parts.v[i]))
            continue;
        str_append(out, separator);
        full(out, &c->parts.v[i], r);
        separator = ", ";
    }
    if (!*separator)
        no_place_full(out, c, r, full);
}

static void append_wants_of(struct str *out, const struct cause *c, const struct cause_reader *r,
                            template_part full)
{
    const struct cause *wants = find_part(c, CAUSE_WANTS, CAUSE_WANTS);
    if (wants)
        full(out, wants, r);
}

/* "no node of main has 9 CPUs", "main cannot give 3 CPUs on 3 nodes". */
static void never_append(struct str *out, const struct cause *c, const struct cause_reader *r,
                         template_part full)
{
    const struct cause *wants = find_part(c, CAUSE_WANTS, CAUSE_WANTS);
    const struct cause *nodes = find_part(c, CAUSE_NODES, CAUSE_NODES);
    bool sum =
        (wants && wants->nodes_n > 1) || (nodes && find_part(nodes, CAUSE_NODES_FIT, CAUSE_NODES_FIT_PART));
    template_append(out, sum ? "{part} cannot give " : "no node of {part} has ", c, r, full);
    append_wants_of(out, c, r, full);
}

static void never_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                        template_part full)
{
    const struct cause *nodes = find_part(c, CAUSE_NODES, CAUSE_NODES);
    const struct cause *few =
        nodes ? find_part(nodes, CAUSE_NODES_FEW_GPUS, CAUSE_NODES_LITTLE_MEMORY) : NULL;
    never_append(out, c, r, full);
    if (!few || !few->most)
        return;
    if (few->code == CAUSE_NODES_LITTLE_MEMORY)
        template_append(out, " (largest: {most:mem})", few, r, full);
    else
        template_append(out,
                        few->code == CAUSE_NODES_FEW_GPUS ? " (most: {most:GPU})" : " (most: {most:CPU})",
                        few, r, full);
}

static void never_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    never_append(out, c, r, full);
    str_append(out, " (");
    bool first = true;
    for (size_t i = 0; i < c->parts.n; i++) {
        if (c->parts.v[i].code == CAUSE_WANTS)
            continue;
        str_append(out, first ? "" : "; ");
        full(out, &c->parts.v[i], r);
        first = false;
    }
    str_append_char(out, ')');
}

/* "3 too few GPUs (gpu[1-3]: 8 asked, 4 at most)". */
static void nodes_few_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                           template_part full)
{
    static const struct {
        enum cause_code code;
        const char *few, *none;
    } words[] = {{CAUSE_NODES_FEW_GPUS, "{n} too few GPUs", "{n} without GPUs"},
                 {CAUSE_NODES_FEW_CPUS, "{n} too few CPUs", "{n} without CPUs"},
                 {CAUSE_NODES_LITTLE_MEMORY, "{n} too little memory", "{n} without memory"}};
    size_t at = c->code == CAUSE_NODES_FEW_GPUS ? 0 : c->code == CAUSE_NODES_FEW_CPUS ? 1 : 2;
    template_append(out, c->most ? words[at].few : words[at].none, c, r, full);
    if (!c->most) {
        template_append(out, "[ ({nodes})]", c, r, full);
        return;
    }
    template_append(out, c->nodes ? " ({nodes}: " : " (", c, r, full);
    template_append(out,
                    at == 2 ? "{asked:mem} asked, {most:mem} at most)" : "{asked} asked, {most} at most)",
                    c, r, full);
}

static void nodes_fit_part_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                                template_part full)
{
    template_append(out, "{n} with room for a part of it[ ({nodes})]", c, r, full);
    if (c->together)
        template_append(out, " ({cpus:CPU}[ and {gpus:GPU}] together)", c, r, full);
}

static void out_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                     template_part full)
{
    static const char *const words[] = {"drained", "draining", "no longer configured", "down",
                                        "not answering"};
    str_appendf(out, "%s %s %s", c->nodes ? c->nodes : "", c->n == 1 ? "is" : "are",
                words[c->code - CAUSE_OUT_DRAINED]);
    template_append(out, "[: {text}][ ({user})]", c, r, full);
}

static void step_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                      template_part full)
{
    template_append(out, "step asks for {ranks:task} with {cpus:CPU} each, {gpus:GPU}", c, r, full);
    if (c->mem_mib)
        str_appendf(out, ", %llu MiB of memory a node", (unsigned long long)c->mem_mib);
    template_append(
        out, " on {nodes_n:node}; the job holds {have_cpus:CPU}, {have_gpus:GPU} on {have_nodes:node}", c,
        r, full);
    if (c->code == CAUSE_STEP_WAITS)
        str_append(out, ", other steps have too much of that now");
}

/* --- the table --- */

const struct cause_sentence cause_place_sentences[CAUSE_N_CODES] = {
    [CAUSE_NO_PLACE] = {.full_by = no_place_full, .brief_by = no_place_brief},
    [CAUSE_NODES_ARE_OUT] = {.full_by = no_place_full, .brief_by = nodes_are_out_brief},
    [CAUSE_NEVER_FITS] = {.full_by = never_full, .brief_by = never_brief},
    [CAUSE_IN_STEP] = {.full = "step {name}: {parts}"},
    [CAUSE_STEP_TOO_BIG] = {.full_by = step_full},
    [CAUSE_STEP_WAITS] = {.full_by = step_full},
    [CAUSE_WINDOW_AHEAD] = {.full =
                                "{n:node} {n?is|are} kept for the maintenance window {name} {at:in}: it "
                                "would not end before that",
                            .brief = "would run into maintenance[ at {at}]"},
    [CAUSE_WINDOW_NOW] = {.full = "{n:node} {n?is|are} kept for the maintenance window {name} now",
                          .brief = "[{nodes} ]in maintenance[ until {at}]"},
    [CAUSE_RESERVED_AHEAD] = {.full =
                                  "{n:node} {n?is|are} kept for the reservation {name} {at:in}: it would "
                                  "not end before that",
                              .brief = "would run into reservation {name}[ at {at}]"},
    [CAUSE_RESERVED_NOW] = {.full = "{n:node} {n?is|are} kept for the reservation {name} now",
                            .brief = "[{nodes} ]in reservation {name}[ until {at}]"},
    [CAUSE_WANTS] = {.full_by = wants_full},
    [CAUSE_NEEDS_GPUS] = {.full_by = needs_full},
    [CAUSE_NEEDS_CPUS] = {.full_by = needs_full},
    [CAUSE_NEEDS_MEMORY] = {.full_by = needs_memory_full},
    [CAUSE_NEEDS_NODES] = {.full_by = needs_nodes_full},
    [CAUSE_NODES] = {.full = "{n:node}: {parts}"},
    [CAUSE_NODES_FREE_GPUS] = {.full = "{n} too few free GPUs[ ({nodes})]"},
    [CAUSE_NODES_FREE_CPUS] = {.full = "{n} too few free CPUs[ ({nodes})]"},
    [CAUSE_NODES_FREE_MEMORY] = {.full = "{n} too little free memory[ ({nodes})]"},
    [CAUSE_NODES_NOT_EMPTY] = {.full = "{n} not empty[ ({nodes})]"},
    [CAUSE_NODES_FEW_GPUS] = {.full_by = nodes_few_full},
    [CAUSE_NODES_FEW_CPUS] = {.full_by = nodes_few_full},
    [CAUSE_NODES_LITTLE_MEMORY] = {.full_by = nodes_few_full},
    [CAUSE_NODES_GPU_TYPE] = {.full = "{n} another GPU type[ ({nodes})]"},
    [CAUSE_NODES_FEATURES] = {.full = "{n} without the features[ ({nodes})]"},
    [CAUSE_NODES_TMP] = {.full = "{n} too small a /tmp[ ({nodes})]"},
    [CAUSE_NODES_NOT_ASKED] = {.full = "{n} not among those wanted[ ({nodes})]"},
    [CAUSE_NODES_WINDOW] = {.full = "{n} kept for a window[ ({nodes})]"},
    [CAUSE_NODES_PLANNED] = {.full = "{n} kept for jobs that come first[ ({nodes})]"},
    [CAUSE_NODES_LOST_GPUS] = {.full = "{n} with GPUs that are lost or used by others[ ({nodes})]"},
    [CAUSE_NODES_AVOID_USER] = {.full = "{n} unable to start this user's jobs[ ({nodes})]"},
    [CAUSE_NODES_DRAINED] = {.full = "{n} drained"},
    [CAUSE_NODES_OUT] = {.full = "{n} not answering"},
    [CAUSE_NODES_FIT] = {.full = "{n} would do[ ({nodes})]"},
    [CAUSE_NODES_FIT_PART] = {.full_by = nodes_fit_part_full},
    [CAUSE_OUT_DRAINED] = {.full_by = out_full},
    [CAUSE_OUT_DRAINING] = {.full_by = out_full},
    [CAUSE_OUT_GONE] = {.full_by = out_full},
    [CAUSE_OUT_DOWN] = {.full_by = out_full},
    [CAUSE_OUT_SILENT] = {.full_by = out_full},
    [CAUSE_OUT_MORE] = {.full = "{n} more"},
    [CAUSE_NODE_GPUS] = {.full = "on {name}: {text}"},
    [CAUSE_NODE_AVOIDS] = {.full = "{name}: {text}"},
    [CAUSE_ROOM_AFTER] = {.full = "room comes when job {id} reaches its limit"},
    [CAUSE_ROOM_NEVER] = {.full = "job {id} runs without a time limit"},
};
