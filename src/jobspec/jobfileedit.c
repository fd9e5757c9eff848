/* jobfileedit.c - the file of a step job as something to be edited. */
#include "src/jobspec/jobfileedit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

/* A place in the text; at == end: there is none. */
struct span {
    size_t at, end;
};

struct setting {
    struct span name, value;
    size_t end; /* behind its ';' */
};

/* --- reading --- */

static size_t jobfileedit_skip_blanks(const char *s, size_t i)
{
    for (;;) {
        while (isspace((unsigned char)s[i]))
            i++;
        if (s[i] == '#' || (s[i] == '/' && s[i + 1] == '/')) {
            i += strcspn(s + i, "\n");
        } else if (s[i] == '/' && s[i + 1] == '*') {
            const char *end = strstr(s + i + 2, "*/");
            i = end ? (size_t)(end - s) + 2 : strlen(s);
        } else {
            return i;
        }
    }
}

static size_t skip_text(const char *s, size_t i)
{
    for (i++; s[i] && s[i] != '"'; i++)
        i += s[i] == '\\' && s[i + 1];
    return s[i] ? i + 1 : i;
}

/* Behind the bracket that closes the one at i. */
static size_t skip_brackets(const char *s, size_t i)
{
    int depth = 0;
    while (s[i]) {
        i = jobfileedit_skip_blanks(s, i);
        if (s[i] == '"') {
            i = skip_text(s, i);
            continue;
        }
        depth += s[i] == '(' || s[i] == '{' || s[i] == '[';
        depth -= s[i] == ')' || s[i] == '}' || s[i] == ']';
        if (s[i])
            i++;
        if (depth == 0)
            break;
    }
    return i;
}

static size_t skip_value(const char *s, size_t i)
{
    if (s[i] == '(' || s[i] == '{' || s[i] == '[')
        return skip_brackets(s, i);
    if (s[i] == '"')
        return skip_text(s, i);
    return i + strcspn(s + i, ";,)}] \t\r\n");
}

static bool next_setting(const char *s, size_t *at, struct setting *ret)
{
    size_t i = jobfileedit_skip_blanks(s, *at);
    if (!isalpha((unsigned char)s[i]) && s[i] != '*')
        return false;
    ret->name.at = i;
    while (isalnum((unsigned char)s[i]) || strchr("-_*", s[i] ? s[i] : ' '))
        i++;
    ret->name.end = i;
    i = jobfileedit_skip_blanks(s, i);
    if (s[i] != '=' && s[i] != ':')
        return false;
    i = jobfileedit_skip_blanks(s, i + 1);
    ret->value.at = i;
    ret->value.end = skip_value(s, i);
    i = jobfileedit_skip_blanks(s, ret->value.end);
    ret->end = s[i] == ';' || s[i] == ',' ? i + 1 : ret->value.end;
    *at = ret->end;
    return true;
}

static bool jobfileedit_find_setting(const char *s, size_t at, const char *key, struct setting *ret)
{
    size_t n = strlen(key);
    while (next_setting(s, &at, ret))
        if (ret->name.end - ret->name.at == n && strncmp(s + ret->name.at, key, n) == 0)
            return true;
    return false;
}

/* The group of that step, brackets and all. */
static bool jobfileedit_find_step(const char *s, int step, struct span *ret)
{
    struct setting steps;
    if (!jobfileedit_find_setting(s, 0, "steps", &steps) || s[steps.value.at] != '(')
        return false;
    size_t i = jobfileedit_skip_blanks(s, steps.value.at + 1);
    for (int k = 0; s[i] == '{'; k++) {
        *ret = (struct span){.at = i, .end = skip_brackets(s, i)};
        if (k == step)
            return true;
        i = jobfileedit_skip_blanks(s, ret->end);
        i = jobfileedit_skip_blanks(s, i + (s[i] == ','));
    }
    return false;
}

static bool jobfileedit_find_key(const char *s, int step, const char *key, struct setting *ret)
{
    struct span group = {.at = 0};
    if (step == JOBFILE_JOB)
        return jobfileedit_find_setting(s, 0, key, ret);
    return jobfileedit_find_step(s, step, &group) && jobfileedit_find_setting(s, group.at + 1, key, ret);
}

size_t jobfile_count_steps(const char *text)
{
    struct span group;
    int n = 0;
    while (jobfileedit_find_step(text, n, &group))
        n++;
    return (size_t)n;
}

char *jobfile_get(const char *text, int step, const char *key)
{
    struct setting it;
    if (!jobfileedit_find_key(text, step, key, &it))
        return NULL;
    size_t at = it.value.at, end = it.value.end;
    if (text[at] != '"')
        return xstrndup(text + at, end - at);
    struct str s = STR_INIT;
    for (size_t i = at + 1; i < end && text[i] != '"'; i++) {
        char c = text[i];
        if (c == '\\' && i + 1 < end) {
            c = text[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        str_append_char(&s, c);
    }
    return str_take(&s);
}

/* --- changing --- */

static void jobfileedit_replace(struct str *text, size_t at, size_t end, const char *with)
{
    char *rest = xstrdup(text->s + end);
    str_truncate(text, at);
    str_append(text, with);
    str_append(text, rest);
    free(rest);
}

static void jobfileedit_append_value(struct str *out, const char *value, bool quoted)
{
    if (!quoted) {
        str_append(out, value);
        return;
    }
    str_append_char(out, '"');
    for (const char *s = value; *s; s++)
        if (*s == '\n')
            str_append(out, "\\n");
        else {
            if (*s == '"' || *s == '\\')
                str_append_char(out, '\\');
            str_append_char(out, *s);
        }
    str_append_char(out, '"');
}

/* Before the steps, which come last in a file that is well laid out. */
static size_t place_in_job(const char *s)
{
    struct setting it;
    return jobfileedit_find_setting(s, 0, "steps", &it) ? it.name.at : strlen(s);
}

static size_t place_in_step(const char *s, size_t group_at)
{
    size_t at = group_at + 1, last = at;
    struct setting it;
    while (next_setting(s, &at, &it))
        last = it.end;
    return last;
}

void jobfile_set(struct str *text, int step, const char *key, const char *value, bool quoted)
{
    struct setting it;
    struct span group = {.at = 0};
    struct str with = STR_INIT;
    if (jobfileedit_find_key(text->s, step, key, &it)) {
        jobfileedit_append_value(&with, value, quoted);
        jobfileedit_replace(text, it.value.at, it.value.end, with.s);
    } else if (step == JOBFILE_JOB) {
        size_t at = place_in_job(text->s);
        if (at && text->s[at - 1] != '\n')
            str_append_char(&with, '\n');
        str_appendf(&with, "%s = ", key);
        jobfileedit_append_value(&with, value, quoted);
        str_append(&with, ";\n");
        jobfileedit_replace(text, at, at, with.s);
    } else if (jobfileedit_find_step(text->s, step, &group)) {
        size_t at = place_in_step(text->s, group.at);
        bool closed = at == group.at + 1 || text->s[at - 1] == ';' || text->s[at - 1] == ',';
        str_appendf(&with, "%s %s = ", closed ? "" : ";", key);
        jobfileedit_append_value(&with, value, quoted);
        str_append_char(&with, ';');
        jobfileedit_replace(text, at, at, with.s);
    }
    str_fini(&with);
}

void jobfile_remove(struct str *text, int step, const char *key)
{
    struct setting it;
    if (!jobfileedit_find_key(text->s, step, key, &it))
        return;
    size_t at = it.name.at, end = it.end;
    while (at && (text->s[at - 1] == ' ' || text->s[at - 1] == '\t'))
        at--;
    if ((!at || text->s[at - 1] == '\n') && text->s[end] == '\n')
        end++; /* it had the line to itself */
    jobfileedit_replace(text, at, end, "");
}

static void jobfileedit_append_step(struct str *text, const char *group)
{
    struct setting steps;
    size_t n = jobfile_count_steps(text->s);
    char *s = xasprintf("%s\n  %s", n ? "," : "", group);
    if (jobfileedit_find_setting(text->s, 0, "steps", &steps) && text->s[steps.value.at] == '(') {
        struct span last = {.end = steps.value.at + 1};
        if (n)
            (void)jobfileedit_find_step(text->s, (int)n - 1, &last);
        else
            jobfileedit_replace(text, last.end, last.end, "\n");
        jobfileedit_replace(text, last.end, last.end, s);
    } else {
        if (text->len && text->s[text->len - 1] != '\n')
            str_append_char(text, '\n');
        str_appendf(text, "steps = (%s\n);\n", s);
    }
    free(s);
}

void jobfile_add_step(struct str *text, const char *name, const char *command)
{
    struct str s = STR_INIT;
    str_append(&s, "{ name = ");
    jobfileedit_append_value(&s, name, true);
    str_append(&s, "; command = ");
    jobfileedit_append_value(&s, command, true);
    str_append(&s, "; }");
    jobfileedit_append_step(text, s.s);
    str_fini(&s);
}

char *jobfile_get_step(const char *text, int step)
{
    struct span it;
    return jobfileedit_find_step(text, step, &it) ? xstrndup(text + it.at, it.end - it.at) : NULL;
}

void jobfile_insert_step(struct str *text, int step, const char *group)
{
    struct span next;
    if (!jobfileedit_find_step(text->s, step, &next)) {
        jobfileedit_append_step(text, group);
        return;
    }
    char *s = xasprintf("%s,\n  ", group);
    jobfileedit_replace(text, next.at, next.at, s);
    free(s);
}

void jobfile_remove_step(struct str *text, int step)
{
    struct span it, before, after;
    if (!jobfileedit_find_step(text->s, step, &it))
        return;
    if (jobfileedit_find_step(text->s, step + 1, &after)) /* with the comma behind it */
        jobfileedit_replace(text, it.at, after.at, "");
    else if (step > 0 && jobfileedit_find_step(text->s, step - 1, &before))
        jobfileedit_replace(text, before.end, it.end, "");
    else
        jobfileedit_replace(text, it.at, it.end, "");
}
