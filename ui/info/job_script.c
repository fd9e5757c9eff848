/* job_script.c - what a job runs. */
#include "ui/info/job_script.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"

#define LINES_MAX 2000 /* of a script that are told */
#define TAB       8

void jobscript_fini(struct jobscript *s)
{
    rec_fini(&msg_script_rec, &s->m);
    free(s->why);
    *s = (struct jobscript){.there = false};
}

void jobscript_take(struct jobscript *s, const struct incoming *in)
{
    jobscript_fini(s);
    if (!in)
        return;
    s->there = in->kind == MSG_SCRIPT_TEXT;
    if (s->there)
        rec_copy(&msg_script_rec, &s->m, in->body);
    else if (in->kind == MSG_RESULT)
        s->why = xstrdup(((const struct msg_result *)in->body)->text);
}

enum role jobscript_role(const char *line, size_t n)
{
    if (n >= 7 && strncmp(line, "#SBATCH", 7) == 0)
        return ROLE_LINK;
    return n && (line[0] == '#' || (n > 1 && line[0] == '/' && line[1] == '/')) ? ROLE_DIM : ROLE_NORMAL;
}

static void append_line(struct rich *r, const char *s, size_t n)
{
    struct str out = STR_INIT;
    for (size_t i = 0; i < n; i++)
        if (s[i] == '\t')
            do
                str_append_char(&out, ' ');
            while (out.len % TAB);
        else if (s[i])
            str_append_char(&out, s[i]);
    r->hang = (int)strspn(out.len ? out.s : "", " ") + 2;
    rich_add(r, jobscript_role(s, n), out.len ? out.s : "");
    str_fini(&out);
}

void jobscript_lines(const struct jobscript *s, struct lines *l)
{
    const char *at = (const char *)s->m.script.p, *end = at + s->m.script.n;
    if (!str_is_empty(s->why))
        lines_addf(l, ROLE_DIM, "%s", s->why);
    if (s->there && s->m.argv.n) {
        struct str args = STR_INIT;
        for (size_t i = 0; i < s->m.argv.n; i++)
            words_append(&args, s->m.argv.v[i]);
        lines_addf(l, ROLE_DIM, tr("arguments: %s"), args.s);
        str_fini(&args);
    }
    for (size_t i = 0; s->there && at < end; i++) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((nl ? nl : end) - at);
        if (i == LINES_MAX) {
            lines_addf(l, ROLE_DIM, tr("and more: %zu bytes in all"), s->m.script.n);
            return;
        }
        append_line(lines_add(l), at, n && at[n - 1] == '\r' ? n - 1 : n);
        at += n + 1;
    }
}
