/* keymap.c - which key does what. */
#include "ui/keys/keymap.h"

#include <errno.h>
#include <string.h>

#include "src/lang/lang.h"
#include "ui/keys/input.h"

static const struct action_info infos[ACTION_N] = {
#define X(scope_, member, name_, keys_, label_, help_) \
    [ACTION_##                                         \
        member] = {.scope = SCOPE_##scope_, .name = name_, .keys = keys_, .label = label_, .help = help_},
    ACTIONS(X)
#undef X
};

const struct action_info *action_info(enum action a)
{
    bug_on((unsigned)a >= ACTION_N);
    return &infos[a];
}

enum action action_find(const char *name)
{
    for (int a = 1; a < ACTION_N; a++)
        if (str_eq(infos[a].name, name))
            return (enum action)a;
    return ACTION_NONE;
}

const char *scope_title(enum scope s)
{
    static const char *const titles[SCOPE_N] = {
#define X(name, title) [SCOPE_##name] = title,
        SCOPES(X)
#undef X
    };
    bug_on((unsigned)s >= SCOPE_N);
    return titles[s];
}

void keymap_init(struct keymap *km)
{
    memset(km, 0, sizeof *km);
    for (int a = 1; a < ACTION_N; a++) {
        int rc = keymap_bind(km, (enum action)a, infos[a].keys, NULL);
        bug_on(rc);
    }
}

static void unbind(struct keymap *km, enum action a, uint32_t key)
{
    for (int i = 0; i < KEYS_MAX; i++)
        if (km->keys[a][i] == key) {
            memmove(&km->keys[a][i], &km->keys[a][i + 1],
                    sizeof km->keys[a][0] * (size_t)(KEYS_MAX - 1 - i));
            km->keys[a][KEYS_MAX - 1] = 0;
            return;
        }
}

int keymap_bind(struct keymap *km, enum action a, const char *keys, struct errtext *err)
{
    uint32_t found[KEYS_MAX] = {0};
    size_t n = 0;
    struct strv words = strv_split(keys, " ");
    int rc = words.n > KEYS_MAX ? err_set(err, -EINVAL, tr("at most %d keys for an action"), KEYS_MAX) : 0;
    for (size_t i = 0; i < words.n && !rc; i++)
        if (!(found[n++] = key_parse(words.v[i])))
            rc = err_set(err, -EINVAL, tr("'%s' is not a key"), words.v[i]);
    strv_fini(&words);
    if (rc)
        return rc;
    for (int other = 1; other < ACTION_N; other++)
        for (size_t i = 0; i < n; i++)
            if (infos[other].scope == infos[a].scope)
                unbind(km, (enum action)other, found[i]);
    memcpy(km->keys[a], found, sizeof found);
    return 0;
}

static bool has_key(const struct keymap *km, int a, uint32_t key)
{
    for (int i = 0; i < KEYS_MAX && km->keys[a][i]; i++)
        if (km->keys[a][i] == key)
            return true;
    return false;
}

enum action keymap_find(const struct keymap *km, const enum scope *scopes, size_t n, uint32_t key)
{
    if (key == '\n' || key == 0)
        key = key ? '\r' : key;
    for (size_t s = 0; s < n; s++)
        for (int a = 1; a < ACTION_N; a++)
            if (infos[a].scope == scopes[s] && has_key(km, a, key))
                return (enum action)a;
    return ACTION_NONE;
}

bool keymap_is_bare(const struct keymap *km, enum action a, enum action *ret_taker)
{
    struct strv keys = strv_split(infos[a].keys, " ");
    bool bare = keys.n && !km->keys[a][0];
    *ret_taker = bare ? keymap_find(km, &infos[a].scope, 1, key_parse(keys.v[0])) : ACTION_NONE;
    strv_fini(&keys);
    return bare;
}

/* Does the table itself give that key to a? */
static bool is_own_key(int a, uint32_t key)
{
    struct strv keys = strv_split(infos[a].keys, " ");
    bool own = false;
    for (size_t i = 0; i < keys.n; i++)
        own |= key_parse(keys.v[i]) == key;
    strv_fini(&keys);
    return own;
}

/* Is b, with a of a scope of all screens or all lists, found where a is? Letters are text in the form. */
static bool meets(enum scope a, enum scope b)
{
    if (a == b || a == SCOPE_FORM || b == SCOPE_FORM)
        return false;
    if (a == SCOPE_LIST)
        return b != SCOPE_TEXT && b != SCOPE_JOB;
    return a == SCOPE_GLOBAL || a == SCOPE_MOVE;
}

enum action keymap_clash(const struct keymap *km, enum action a, uint32_t *ret_key)
{
    for (int other = 1; other < ACTION_N; other++)
        for (int i = 0; i < KEYS_MAX && km->keys[other][i]; i++) {
            uint32_t key = km->keys[other][i];
            enum scope s = infos[a].scope, t = infos[other].scope;
            if (!(meets(s, t) || meets(t, s)) || !has_key(km, (int)a, key) ||
                (is_own_key((int)a, key) && is_own_key(other, key)))
                continue;
            *ret_key = key;
            return (enum action)other;
        }
    return ACTION_NONE;
}

void keymap_format(const struct keymap *km, enum action a, bool first_only, struct str *out)
{
    for (int i = 0; i < (first_only ? 1 : KEYS_MAX) && km->keys[a][i]; i++) {
        if (i)
            str_append_char(out, ' ');
        key_format(km->keys[a][i], out);
    }
}

void keymap_own_keys(enum action a, const char *before, const char *after, struct str *out)
{
    struct strv keys = strv_split(infos[a].keys, " ");
    for (size_t i = 0; i < keys.n; i++) {
        str_appendf(out, "%s%s", i ? " " : "", before);
        key_format(key_parse(keys.v[i]), out);
        str_append(out, after);
    }
    strv_fini(&keys);
}

void keymap_manual(struct str *out)
{
    str_append(out,
               "# Keys\n\nGenerated from the table in `ui/keys/action.h` by `stoker-ui --print-keys`. To "
               "change keys, put\n"
               "`keys = { cancel = \"c F8\"; };` into `ui.cfg`; the names are those of the last column.\n");
    for (int s = 0; s < SCOPE_N; s++) {
        str_appendf(out, "\n## %s\n\n| Keys | What | Name |\n|---|---|---|\n", scope_title((enum scope)s));
        for (int a = 1; a < ACTION_N; a++) {
            if (infos[a].scope != (enum scope)s)
                continue;
            str_append(out, "| ");
            keymap_own_keys((enum action)a, "`", "`", out);
            str_appendf(out, " | %s | `%s` |\n", infos[a].help, infos[a].name);
        }
    }
}
