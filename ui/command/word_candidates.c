/* word_candidates.c - the candidates of a word. */
#include "ui/command/word_candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"

#define CANDIDATES_MAX 200
#define POPUP_ROWS     10
#define POPUP_WIDTH    18 /* cells at least */
#define NOTE_COL       2  /* blanks between a candidate and its note */

void candidates_clear(struct cmdline *cl)
{
    vec_for_each (&cl->candidates, i) {
        free(cl->candidates.v[i].text);
        free(cl->candidates.v[i].note);
    }
    vec_clear(&cl->candidates);
    idmap_fini(&cl->seen);
    cl->chosen = -1;
}

static bool candidates_fits(const char *text, const char *word)
{
    return strncasecmp(text, word, strlen(word)) == 0;
}

bool candidates_are_full(const struct cmdline *cl)
{
    return cl->candidates.n >= CANDIDATES_MAX;
}

void candidates_offer(struct cmdline *cl, const char *word, const char *text, char *take_note)
{
    if (candidates_are_full(cl) || !candidates_fits(text, word)) {
        free(take_note);
        return;
    }
    vec_push(&cl->candidates, (struct word_candidate){.text = xstrdup(text), .note = take_note});
}

void candidates_offer_once(struct cmdline *cl, const char *word, const char *text)
{
    if (str_is_empty(text) || idmap_get(&cl->seen, (uintptr_t)text))
        return;
    idmap_set(&cl->seen, (uintptr_t)text, cl);
    vec_for_each (&cl->candidates, i)
        if (str_eq(cl->candidates.v[i].text, text))
            return;
    candidates_offer(cl, word, text, NULL);
}

const char *candidates_last(struct cmdline *cl, const char *word)
{
    const char *open = strrchr(word, '['), *comma = strrchr(word, ',');
    if (!comma || (open && !strchr(open, ']')))
        return word;
    cl->word += (size_t)(comma + 1 - word);
    return comma + 1;
}

void candidates_nodes(struct ui *ui, struct cmdline *cl, const char *word)
{
    word = candidates_last(cl, word);
    for (size_t i = 0; i < ui->m->n_nodes; i++) {
        const struct node *n = ui->m->nodes[i];
        candidates_offer(cl, word, n->spec.name,
                         n->drain ? xasprintf(tr("drained: %s"), n->drain_reason ? n->drain_reason : "")
                                  : NULL);
    }
}

/* --- drawing --- */

/* Cells of the widest candidate and of the widest note, with the blanks before it. */
static void popup_widths(const struct cmdline *cl, int top, int rows, int *ret_text, int *ret_note)
{
    *ret_text = *ret_note = 0;
    for (int i = top; i < top + rows; i++) {
        int w = cell_width(cl->candidates.v[i].text),
            x = cl->candidates.v[i].note ? cell_width(cl->candidates.v[i].note) + NOTE_COL : 0;
        *ret_text = w > *ret_text ? w : *ret_text;
        *ret_note = x > *ret_note ? x : *ret_note;
    }
}

void candidates_draw(const struct cmdline *cl, struct canvas *c, struct rect line, int room)
{
    int n = (int)cl->candidates.n, rows = room - 2, text, note;
    bool above = line.y >= room; /* the room is above the line */
    rows = rows > POPUP_ROWS ? POPUP_ROWS : rows;
    rows = rows > n ? n : rows;
    if (rows < 1)
        return;
    int top = cl->chosen >= rows ? cl->chosen - rows + 1 : 0;
    popup_widths(cl, top, rows, &text, &note);
    char more[32] = "";
    if (n > rows)
        snprintf(more, sizeof more, tr("%d of %d"), top + rows, n);
    int w = text + note + 4, most = line.w - 2;
    w = w > most ? most : w < POPUP_WIDTH ? POPUP_WIDTH : w;
    struct rect box = rect_make(above ? line.y - rows - 2 : line.y + 1, line.x + 1, rows + 2, w);
    canvas_fill(c, box, ROLE_BOX);
    canvas_frame(c, box, ROLE_BOX_FRAME, *more ? more : NULL);
    for (int i = 0; i < rows; i++) {
        const struct word_candidate *k = &cl->candidates.v[top + i];
        int y = box.y + 1 + i;
        canvas_text(c, y, box.x + 2, ROLE_STRONG, k->text, w - 4);
        if (k->note && text + NOTE_COL < w - 4)
            canvas_text(c, y, box.x + 2 + text + NOTE_COL, ROLE_DIM, k->note, w - 4 - text - NOTE_COL);
        if (top + i == cl->chosen)
            canvas_over(c, rect_make(y, box.x + 1, 1, w - 2), ROLE_CURSOR);
    }
}
