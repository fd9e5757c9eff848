#include "ui/jobs/jobs_where.h"

#include "src/base/utf8.h"
#include "ui/info/job_info.h"
#include "ui/text/view_text.h"

const struct cause *jobs_where_cause(const struct table_field *f, struct ui *ui, const struct job *j)
{
    return f->room < 0 ? ui_wait_known(ui, j) : ui_wait(ui, j);
}

void jobs_where_add_cause(struct ui *ui, const struct job *j, bool start_apart, struct table_field *f)
{
    const struct cause *c = jobs_where_cause(f, ui, j);
    job_cause_words(&f->text, ui, j, c, start_apart, false);
    if (f->room > 0 && cell_width(f->text.text.s) > f->room) {
        struct rich terse;
        rich_init(&terse);
        job_cause_words(&terse, ui, j, c, start_apart, true);
        f->shorter = !str_eq(terse.text.s, f->text.text.s);
        rich_clear(&f->text);
        rich_append(&f->text, &terse);
        rich_fini(&terse);
    }
    f->text.n_runs = 0; /* the sign and the start have the colour */
    rich_role(&f->text, ROLE_NORMAL);
}

bool jobs_where_add_silence(struct ui *ui, const struct job *j, struct table_field *f)
{
    if (j->state != JOB_COMPLETING || !job_first_silent(ui, j))
        return false;
    struct rich words;
    rich_init(&words);
    rich_add(&words, ROLE_NORMAL, "  ");
    job_words(&words, j);
    job_silent_node(&f->text, ui, j, SILENT_FIRST);
    f->shorter = f->room > 0 && cell_width(f->text.text.s) + cell_width(words.text.s) > f->room;
    if (!f->shorter) /* its sign says that it is being ended */
        rich_append(&f->text, &words);
    rich_fini(&words);
    return true;
}
