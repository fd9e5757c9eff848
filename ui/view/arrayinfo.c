/* arrayinfo.c - what there is to say about an array as a whole. */
#include "ui/view/arrayinfo.h"

#include "ui/view/words.h"

#define GROUPS_MAX 5 /* ways to fail that are told apart */
#define HANG       4
#define LIST_MAX   80    /* cells of a list of indices, about */
#define LOOK_MAX   20000 /* elements that are looked at for each picture */

/* --- how many --- */

static void tally(struct rich *r, uint32_t n, const char *what, enum role role)
{
    if (!n)
        return;
    rich_add(r, ROLE_NORMAL, r->text.len ? ", " : "");
    rich_addf(r, role, "%u", n);
    rich_addf(r, ROLE_NORMAL, " %s", what);
}

/* --- which, and how --- */

static bool has_failed(const struct job *j)
{
    return job_state_is_final((enum job_state)j->state) && job_role(j) == ROLE_FAILED;
}

static bool alike(const struct job *a, const struct job *b)
{
    return a->state == b->state && a->exit_code == b->exit_code && a->exit_signal == b->exit_signal;
}

struct group { /* of elements that failed in the same way */
    const struct job *like;
    uint32_t n, from, to; /* from, to: the range that is being gathered */
    struct str list;      /* the ranges before: "5, 18, 31-34, " */
};

static void end_range(struct group *g)
{
    size_t room = LIST_MAX;
    if (!g->n || g->list.len > room)
        return;
    if (g->from == g->to)
        str_appendf(&g->list, "%u, ", g->from);
    else
        str_appendf(&g->list, "%u-%u, ", g->from, g->to);
}

static void add_to(struct group *g, const struct job *j)
{
    if (!g->n || j->array_index != g->to + 1) {
        end_range(g);
        g->from = j->array_index;
    }
    g->to = j->array_index;
    g->n++;
}

static void tell(struct lines *l, struct group *g)
{
    struct rich words;
    rich_init(&words);
    job_words(&words, g->like);
    bool cut = g->list.len > LIST_MAX;
    end_range(g);
    str_truncate(&g->list, g->list.len - 2);
    struct rich *r = lines_add(l);
    rich_addf(r, ROLE_ERROR, "%u %s", g->n, words.text.s);
    rich_addf(r, ROLE_NORMAL, ":  %s%s", g->list.s, cut ? ", ..." : "");
    r->hang = HANG;
    rich_fini(&words);
}

static void failed_lines(struct lines *l, const struct array_row *a, const struct job *const *members)
{
    struct group groups[GROUPS_MAX] = {0};
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        const struct job *j = members[i];
        size_t k = 0;
        if (!has_failed(j))
            continue;
        while (k < n && !alike(groups[k].like, j))
            k++;
        if (k == n && n < GROUPS_MAX)
            groups[n++] = (struct group){.like = j, .list = STR_INIT};
        if (k < n)
            add_to(&groups[k], j);
    }
    for (size_t k = 0; k < n; k++) {
        tell(l, &groups[k]);
        str_fini(&groups[k].list);
    }
}

void arrayinfo_lines(struct lines *l, const struct array_row *a, const struct job *const *members)
{
    struct rich *r = lines_add(l);
    uint32_t known = a->done + a->run + a->wait + a->ended + a->fail;
    tally(r, a->done, "done", ROLE_STRONG);
    tally(r, a->run, "running", ROLE_RUNNING);
    tally(r, a->wait, "waiting", ROLE_WAITING);
    tally(r, a->fail, "failed", ROLE_ERROR);
    tally(r, a->ended, "cancelled", ROLE_STRONG);
    tally(r, a->total > known ? a->total - known : 0, "earlier", ROLE_DIM);
    if (a->fail && a->n <= LOOK_MAX)
        failed_lines(l, a, members);
}
