/* intern_texts.c - jobs and nodes whose texts are shared: in a mirror of many the same few are said again
 * and again. Boxes of jobs that are equal, with their texts, are shared as well.
 *
 * Every job and node of such a model shares its texts but while it is being changed: model_apply takes what
 * an event is about out of the sharing, folds as everywhere, and puts it back. No fold knows of it.
 */
#include "src/base/err.h"
#include "src/base/strpool.h"
#include "src/model/model.h"
#include "src/model/model_private.h"

static void take_text(void *ctx, char **text)
{
    if (*text)
        *text = strpool_take(ctx, *text);
}

static void give_text(void *ctx, char **text)
{
    if (*text)
        *text = strpool_give(ctx, *text);
}

static void drop_text(void *ctx, char **text)
{
    if (*text)
        strpool_drop(ctx, *text);
    *text = NULL;
}

void model_intern_texts(struct model *m, struct strpool *texts)
{
    bug_on(m->texts || m->jobs.n);
    m->texts = strpool_ref(texts);
}

/* A job in the set holds the texts of its shared boxes as well: this code need not know what is in a
 * box. */
#define EACH_SHARED_BOX(j, fn, texts)      \
    do {                                   \
        fn(&(j)->origin, texts);           \
        fn(&(j)->req.detail, texts);       \
        fn(&(j)->req.rare, texts);         \
    } while (0)
#define SHARE_BOX(box, texts) \
    (*(box) = *(box) ? strpool_take_struct(texts, *(box), sizeof **(box)) : NULL)
#define OWN_BOX(box, texts) (*(box) = *(box) ? strpool_give_struct(texts, *(box), sizeof **(box)) : NULL)

static void intern_boxes(struct model *m, struct job *j)
{
    if (m->texts)
        EACH_SHARED_BOX(j, SHARE_BOX, m->texts);
}

static void unintern_boxes(struct model *m, struct job *j)
{
    if (m->texts)
        EACH_SHARED_BOX(j, OWN_BOX, m->texts);
}

void intern_job(struct model *m, struct job *j)
{
    if (m->texts)
        rec_each_text(&job_rec, j, take_text, m->texts);
    intern_boxes(m, j);
}

/* j replaces the stored job. */
static void model_put_job(struct model *m, struct job *j)
{
    struct job *old = model_get_job(m, j->id);
    if (old) {
        model_unlink_job(m, old);
        model_drop_row(m, old);
    }
    list_init(&j->in_all);
    list_init(&j->in_queue);
    model_link_job(m, j);
}

void model_take_interned_job(struct model *m, struct job *j)
{
    model_put_job(m, j);
    intern_boxes(m, j);
}

void model_take_job(struct model *m, struct job *j)
{
    model_put_job(m, j);
    intern_job(m, j);
}

void unintern_job(struct model *m, struct job *j)
{
    unintern_boxes(m, j);
    if (m->texts)
        rec_each_text(&job_rec, j, give_text, m->texts);
}

void model_drop_row(struct model *m, struct job *j)
{
    unintern_boxes(m, j);
    if (m->texts)
        rec_each_text(&job_rec, j, drop_text, m->texts);
    job_free(j);
}

void intern_node(struct model *m, struct node *n)
{
    if (m->texts)
        rec_each_text(&node_rec, n, take_text, m->texts);
}

void unintern_node(struct model *m, struct node *n)
{
    if (m->texts)
        rec_each_text(&node_rec, n, give_text, m->texts);
}
