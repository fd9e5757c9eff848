/* array_info.c - what there is to say about an array as a whole. */
#include "ui/jobs/array_info.h"

#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "src/lang/lang.h"
#include "src/text/arraytext.h"
#include "ui/term/signs.h"
#include "ui/text/view_text.h"
#include "ui/widget/bar.h"

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

static bool array_info_has_failed(const struct job *j)
{
    return job_state_is_final((enum job_state)j->state) && job_role(j) == ROLE_FAILED;
}

static bool alike(const struct job *a, const struct job *b)
{
    return a->state == b->state && a->exit_code == b->exit_code && a->exit_signal == b->exit_signal;
}

struct failure_group { /* of elements that failed in the same way */
    const struct job *like;
    VEC(uint32_t) indices;
};

static int array_info_by_number(const void *pa, const void *pb)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    return (a > b) - (a < b);
}

static void array_info_tell(struct lines *l, struct failure_group *g)
{
    struct rich words;
    struct str list = STR_INIT;
    rich_init(&words);
    job_words(&words, g->like);
    qsort(g->indices.v, g->indices.n, sizeof *g->indices.v, array_info_by_number);
    arraytext_indices(&list, g->indices.v, g->indices.n, LIST_MAX);
    struct rich *r = lines_add(l);
    rich_addf(r, ROLE_ERROR, "%zu %s", g->indices.n, words.text.s);
    rich_addf(r, ROLE_NORMAL, ":  %s", list.s);
    r->hang = HANG;
    str_fini(&list);
    rich_fini(&words);
}

static void failed_lines(struct lines *l, const struct array_row *a, const struct job *const *members)
{
    struct failure_group groups[GROUPS_MAX] = {0};
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        const struct job *j = members[i];
        size_t k = 0;
        if (!array_info_has_failed(j))
            continue;
        while (k < n && !alike(groups[k].like, j))
            k++;
        if (k == n && n < GROUPS_MAX)
            groups[n++] = (struct failure_group){.like = j};
        if (k < n)
            vec_push(&groups[k].indices, j->array_index);
    }
    uint32_t told = 0;
    for (size_t k = 0; k < n; k++) {
        told += (uint32_t)groups[k].indices.n;
        array_info_tell(l, &groups[k]);
        vec_fini(&groups[k].indices);
    }
    if (n < GROUPS_MAX && told < a->fail)
        lines_addf(l, ROLE_DIM, tr("%u failed elements have left the queue: see History"), a->fail - told);
}

void arrayinfo_lines(struct lines *l, const struct array_row *a, const struct job *const *members)
{
    struct rich *r = lines_add(l);
    uint32_t known = a->done + a->run + a->wait + a->ended + a->fail;
    tally(r, a->done, tr("done"), ROLE_STRONG);
    tally(r, a->run, tr("running"), ROLE_RUNNING);
    tally(r, a->wait, tr("waiting"), ROLE_WAITING);
    tally(r, a->fail, tr("failed"), ROLE_ERROR);
    tally(r, a->ended, tr("cancelled"), ROLE_STRONG);
    tally(r, a->total > known ? a->total - known : 0, tr("earlier"), ROLE_DIM);
    if (a->fail && a->n <= LOOK_MAX)
        failed_lines(l, a, members);
}

/* --- in a row --- */

#define PROGRESS_BAR 24
#define PROGRESS_MIN 5 /* cells of a bar that still says something */

static void add_tally(struct rich *r, uint32_t n, const char *sign, enum role role)
{
    if (!n)
        return;
    rich_addf(r, role, "%s%u", r->text.len ? " " : "", n);
    rich_add(r, role, sign);
}

/* In the order of the bar. */
static void add_tallies(struct rich *r, const struct array_row *a, uint32_t earlier)
{
    add_tally(r, earlier, tr(" earlier"), ROLE_DIM);
    add_tally(r, a->done, SIGN_DONE, ROLE_GOOD);
    add_tally(r, a->fail, SIGN_FAILED, ROLE_ERROR);
    add_tally(r, a->ended, SIGN_CANCELLED, ROLE_DIM);
    add_tally(r, a->run, SIGN_RUNNING, ROLE_NODE_PART);
    add_tally(r, a->wait, SIGN_WAITING, ROLE_DIM);
}

void arrayinfo_bar(const struct array_row *a, bool in_queue, int room, int most, struct rich *r)
{
    uint32_t known = a->done + a->run + a->wait + a->ended + a->fail;
    uint32_t earlier = in_queue && a->total > known ? a->total - known : 0; /* have left it */
    struct bar_part parts[] = {
        {.n = earlier, .role = ROLE_BAR_GONE}, {.n = a->done, .role = ROLE_BAR_USED},
        {.n = a->fail, .role = ROLE_BAR_FAIL}, {.n = a->ended, .role = ROLE_BAR_GONE},
        {.n = a->run, .role = ROLE_BAR_RUN},
    };
    struct rich words;
    rich_init(&words);
    add_tallies(&words, a, earlier);
    int bar = room ? room - cell_width(words.text.s) - 1 : 0;
    bar = bar > most ? most : bar;
    if (bar >= PROGRESS_MIN) {
        bar_add(r, parts, sizeof parts / sizeof parts[0], a->total, bar);
        rich_add(r, ROLE_NORMAL, " ");
    }
    rich_append(r, &words);
    rich_fini(&words);
}

void arrayinfo_progress(const struct array_row *a, bool in_queue, struct table_field *f)
{
    arrayinfo_bar(a, in_queue, f->room, PROGRESS_BAR, &f->text);
}
