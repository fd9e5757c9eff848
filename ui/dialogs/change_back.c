/* change_back.c - the present values of a job's request, as texts. */
#include "ui/dialogs/change_back.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/model/jobeffective.h"
#include "src/text/jobtext.h"

char *change_value(const struct ui *ui, const struct job *j, const struct job_attr *a)
{
    struct str s = STR_INIT;
    if (a->id == ATTR_TIME) {
        if (job_limit_s(j, ui_model(ui)) != DURATION_NOT_SET) /* else its partition is gone */
            jobtext_limit(&s, j, ui_model(ui));
    } else if (a->id == ATTR_PARTITION && !j->req.partition)
        str_append(&s, j->partition ? j->partition : "");
    else if (a->id == ATTR_LOST_NODE)
        str_append(&s, req_rare(&j->req)->lost_node < LOST_N
                           ? lost_node_text((enum lost_node)req_rare(&j->req)->lost_node)
                           : "");
    else
        job_attr_append(&s, a, &j->req);
    return str_take(&s);
}

const char *change_sent(const struct job_attr *a, const char *value, char buf[UNITS_TEXT_SIZE])
{
    uint32_t s;
    struct errtext err;
    size_t n = strlen(value);
    if ((a->id == ATTR_TIME || a->id == ATTR_TIME_MIN) && n && strchr("smhdw", value[n - 1]) &&
        duration_parse_conf(value, &s, &err) >= 0)
        return duration_format_padded(s, buf);
    static const enum job_attr_id none_is_0[] = {ATTR_ARRAY_THROTTLE, ATTR_NICE, ATTR_GPUS,
                                                 ATTR_GPUS_PER_NODE};
    for (size_t i = 0; !n && i < sizeof none_is_0 / sizeof none_is_0[0]; i++)
        if (a->id == none_is_0[i])
            return "0";
    return value;
}

bool change_add_back(const struct job_attr *a, const struct job_req *req, const char *old, struct wall now,
                     struct strv *ret)
{
    struct job_req copy;
    struct errtext err;
    char b[UNITS_TEXT_SIZE];
    if (a->id == ATTR_PRIORITY && !req_detail(req)->has_priority)
        return false;
    rec_copy(&job_req_rec, &copy, req);
    bool can = job_attr_set(a, &copy, change_sent(a, old, b), now, &err) >= 0;
    rec_fini(&job_req_rec, &copy);
    if (can)
        strv_push_take(
            ret, xasprintf("%.*s=%s", (int)strcspn(a->update, " "), a->update, change_sent(a, old, b)));
    return can;
}
