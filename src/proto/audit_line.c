#include "src/proto/audit_line.h"

REC_DEFINE(audit_job, AUDIT_JOB_FIELDS)
REC_DEFINE(audit_line, AUDIT_LINE_FIELDS)
REC_DEFINE(msg_audit, MSG_AUDIT_FIELDS)
REC_DEFINE(msg_audit_lines, MSG_AUDIT_LINES_FIELDS)

const char *audit_request_name(uint32_t request)
{
    static const char *const names[] = {
#define X(name, text, what) text,
        AUDIT_REQUESTS(X)
#undef X
    };
    return request < AUDIT_N ? names[request] : "?";
}

bool audit_may_see(const struct audit_reader *who, const struct audit_line *l)
{
    bool own = who->admin || l->uid == who->uid;
    for (size_t i = 0; !own && i < l->jobs.n; i++)
        own = l->jobs.v[i].uid == who->uid;
    return own;
}

bool audit_is_wanted(const struct msg_audit *q, const struct audit_line *l)
{
    bool names_job = !q->job;
    for (size_t i = 0; !names_job && i < l->jobs.n; i++)
        names_job = l->jobs.v[i].job == q->job;
    return names_job && (!wall_is_set(q->since) || l->t.ms >= q->since.ms) &&
           (!wall_is_set(q->until) || l->t.ms <= q->until.ms) && (!q->refused || l->refusal) &&
           (!q->users.n || strv_has(&q->users, l->user)) &&
           (!q->nodes.n || strv_has(&q->nodes, l->node ? l->node : "local")) &&
           (!q->requests.n || strv_has(&q->requests, audit_request_name(l->request)));
}

static void audit_format_text(struct str *out, const char *key, const char *text)
{
    if (!text)
        return;
    str_appendf(out, " %s=\"", key);
    for (const unsigned char *s = (const unsigned char *)text; *s; s++)
        if (*s < ' ' || *s == 0x7f || *s == '"' || *s == '\\')
            str_appendf(out, "\\x%02x", *s);
        else
            str_append_n(out, (const char *)s, 1);
    str_append(out, "\"");
}

void audit_format(struct str *out, const struct audit_line *l)
{
    str_appendf(out, "audit request=%s user=%s uid=%u from=%s", audit_request_name(l->request),
                l->user ? l->user : "?", l->uid, l->node ? l->node : "local");
    for (size_t i = 0; i < l->jobs.n && i < 20; i++) {
        str_appendf(out, "%s%u", i ? "," : " jobs=", l->jobs.v[i].job);
        if (l->jobs.v[i].index != AUDIT_NO_INDEX)
            str_appendf(out, "_%u", l->jobs.v[i].index);
    }
    if (l->jobs.n > 20)
        str_appendf(out, ",... (%zu)", l->jobs.n);
    audit_format_text(out, "object", l->object);
    str_appendf(out, " count=%u result=%s", l->count, l->refusal ? "refused" : "done");
    audit_format_text(out, "why", l->why);
    if (l->left_out)
        str_appendf(out, " left_out=%u", l->left_out);
}
