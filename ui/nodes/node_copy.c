/* node_copy.c - the menu of what can be copied of a node. */
#include "ui/nodes/node_copy.h"

#include <stdlib.h>

#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/text/nodetext.h"
#include "ui/info/job_share.h"
#include "ui/view/copy_menu.h"

/* Numbers of the jobs that run there, between commas: scancel and squeue take them so. */
static void jobs_on_node(const struct model *m, const struct node *n, struct str *out)
{
    list_for_each (j, &m->active, struct job, in_queue) {
        struct job_share share;
        if (!jobshare_of(j, n->spec.name, &share))
            continue;
        if (out->len)
            str_append_char(out, ',');
        jobtext_id(out, j, BITSTR_LEN_DEFAULT);
    }
}

void node_copy_open(struct ui *ui, const struct node *n, struct table *t)
{
    struct copy_menu *m = copy_menu_new();
    struct str s = STR_INIT;
    copy_menu_add(m, tr("name"), n->spec.name);
    copy_menu_add(m, tr("address"), n->spec.address);
    nodetext_state(&s, n, false, true);
    copy_menu_add(m, tr("state"), s.s);
    copy_menu_add(m, tr("reason"), n->drain ? n->drain_reason : NULL);
    copy_menu_add(m, tr("note"), n->note);
    str_clear(&s);
    jobs_on_node(ui_model(ui), n, &s);
    copy_menu_add(m, tr("jobs"), s.s);
    char *features = strv_join(&n->spec.features, ",");
    copy_menu_add(m, tr("features"), features);
    free(features);
    copy_menu_add_row(m, t);
    str_fini(&s);
    copy_menu_open(ui, m);
}
