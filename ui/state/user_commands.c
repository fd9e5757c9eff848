/* user_commands.c - commands of the user. */
#include "ui/state/user_commands.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/jobenv/filename.h"
#include "src/text/jobtext.h"

static const struct {
    const char *name, *variable;
} values[ROW_N_VALUES] = {
#define X(member, name_, variable_) [ROW_##member] = {.name = name_, .variable = variable_},
    ROW_VALUES(X)
#undef X
};

void user_commands_fini(struct user_commands *c)
{
    vec_for_each (&c->v, i) {
        free(c->v.v[i].name);
        free(c->v.v[i].run);
        free(c->v.v[i].help);
    }
    vec_for_each (&c->aliases, k) {
        free(c->aliases.v[k].name);
        free(c->aliases.v[k].text);
    }
    vec_fini(&c->v);
    vec_fini(&c->aliases);
}

const struct user_command *user_command_find(const struct user_commands *c, const char *name)
{
    for (size_t i = 0; c && i < c->v.n; i++)
        if (str_eq(c->v.v[i].name, name))
            return &c->v.v[i];
    return NULL;
}

const struct user_command *user_command_of_key(const struct user_commands *c, uint32_t key)
{
    for (size_t i = 0; c && key && i < c->v.n; i++)
        if (c->v.v[i].key == key)
            return &c->v.v[i];
    return NULL;
}

const char *user_alias_text(const struct user_commands *c, const char *name)
{
    for (size_t i = 0; c && i < c->aliases.n; i++)
        if (str_eq(c->aliases.v[i].name, name))
            return c->aliases.v[i].text;
    return NULL;
}

int user_run_in_parse(const char *word)
{
    static const char *const words[] = {
        [USER_IN_TERMINAL] = "terminal", [USER_IN_BACKGROUND] = "background", [USER_IN_PAGER] = "pager"};
    for (int i = 0; i <= USER_IN_PAGER; i++)
        if (str_eq(word, words[i]))
            return i;
    return -1;
}

/* --- the text --- */

/* The value whose "{name}" stands at s, and its length; -1: none. "${name}" is the shell's own. */
static int value_at(const char *text, const char *s, size_t *ret_len)
{
    if (*s != '{' || (s > text && s[-1] == '$'))
        return -1;
    for (int i = 0; i < ROW_N_VALUES; i++) {
        size_t n = strlen(values[i].name);
        if (strncmp(s + 1, values[i].name, n) == 0 && s[n + 1] == '}') {
            *ret_len = n + 2;
            return i;
        }
    }
    return -1;
}

unsigned user_command_needs(const char *run)
{
    unsigned needs = 0;
    size_t len;
    for (const char *s = run; *s; s++) {
        int value = value_at(run, s, &len);
        needs |= value >= 0 ? 1u << value : 0;
    }
    return needs;
}

/* A wrong guess about quotes splits a value into words at worst: a shell does not parse what comes out of a
 * variable. */
char *user_command_shell(const char *run)
{
    struct str out = STR_INIT;
    char quote = 0;
    for (const char *s = run; *s;) {
        size_t len = 0;
        int value = value_at(run, s, &len);
        if (value >= 0) {
            const char *around = quote == '"' ? "" : "\"";
            str_appendf(&out, "%s%s${%s}%s%s", quote == '\'' ? "'" : "", around, values[value].variable,
                        around, quote == '\'' ? "'" : "");
            s += len;
            continue;
        }
        if (*s == '\\' && quote != '\'' && s[1])
            str_append_char(&out, *s++);
        else if ((*s == '\'' || *s == '"') && (!quote || quote == *s))
            quote = quote ? 0 : *s;
        str_append_char(&out, *s++);
    }
    return str_take(&out);
}

/* --- the values --- */

static void add_value(struct strv *env, enum row_value value, const char *text)
{
    struct str clean = STR_INIT;
    for (const char *s = text ? text : ""; *s; s++) /* a variable may stand in a terminal or a mail */
        str_append_char(&clean, (unsigned char)*s < 0x20 || *s == 0x7f ? '?' : *s);
    strv_setenv(env, values[value].variable, clean.s);
    str_fini(&clean);
}

struct strv row_variables(const struct job *j, const struct node *n)
{
    struct strv env = {0};
    struct str id = STR_INIT;
    char *path = j && j->kind != JOB_KIND_INTERACTIVE ? job_stdout_path(j) : NULL;
    if (j)
        jobtext_id(&id, j, BITSTR_LEN_DEFAULT);
    add_value(&env, ROW_JOB, id.s);
    add_value(&env, ROW_NAME, j ? j->req.name : NULL);
    add_value(&env, ROW_USER, j ? j->user : NULL);
    add_value(&env, ROW_STATE, j ? job_state_long((enum job_state)j->state) : NULL);
    add_value(&env, ROW_PATH, path);
    add_value(&env, ROW_NODE, n ? n->spec.name : j && j->alloc.n ? j->alloc.v[0].node : NULL);
    free(path);
    str_fini(&id);
    return env;
}
