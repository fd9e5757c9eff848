/* settings.c - what the user set. */
#include "ui/app/settings.h"

#include <dirent.h>
#include <errno.h>
#include <libconfig.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/values/units.h"
#include "ui/app/screens.h"
#include "ui/command/command_table.h"
#include "ui/keys/input.h"

static const struct setting_info infos[SETTING_N] = {
#define X(member, name_, kind_, usual_, help_) \
    [SETTING_##member] = {.name = name_, .usual = usual_, .help = help_, .kind = SETTING_##kind_},
    SETTINGS(X)
#undef X
};

const struct setting_info *setting_info(enum setting s)
{
    bug_on((unsigned)s >= SETTING_N);
    return &infos[s];
}

void settings_init(struct settings *s)
{
    *s = (struct settings){.gpu_idle_s = SETTINGS_GPU_IDLE_S, .clock_speed = 1, .notify = NOTIFY_AUTO};
    keymap_init(&s->keys);
}

void settings_fini(struct settings *s)
{
    free(s->language);
    free(s->theme);
    free(s->samples);
    free(s->notify_command);
    user_commands_fini(&s->commands);
    *s = (struct settings){0};
}

char *settings_beside(const char *name)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const char *slash = *name ? "/" : "";
    return xdg && *xdg ? xasprintf("%s/stoker%s%s", xdg, slash, name)
                       : xasprintf("%s/.config/stoker%s%s", home ? home : "", slash, name);
}

char *settings_path(void)
{
    return settings_beside("ui.cfg");
}

char *settings_theme_path(const char *name, const char *dir)
{
    if (strchr(name, '/'))
        return xstrdup(name);
    char *folder = settings_beside("themes"), *own = xasprintf("%s/%s.theme", folder, name);
    free(folder);
    if (access(own, R_OK) == 0)
        return own;
    free(own);
    return xasprintf("%s/%s.theme", dir, name);
}

static void add_themes(struct strv *names, const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!str_ends(e->d_name, ".theme"))
            continue;
        char *name = xstrndup(e->d_name, strlen(e->d_name) - strlen(".theme"));
        if (!strv_has(names, name))
            strv_push(names, name);
        free(name);
    }
    if (d)
        closedir(d);
}

struct strv settings_themes(const char *dir)
{
    struct strv names = {0};
    char *own = settings_beside("themes");
    strv_push(&names, "dark");
    strv_push(&names, "light");
    strv_push(&names, "mono");
    strv_push(&names, "colourblind");
    add_themes(&names, own);
    add_themes(&names, dir);
    free(own);
    return names;
}

/* An action that lost all its keys to another would be unreachable, so this is reported. */
static int all_have_keys(const struct settings *s, const char *path, const config_setting_t *keys,
                         struct errtext *err)
{
    for (int a = 1; a < ACTION_N; a++) {
        const char *name = action_info((enum action)a)->name;
        enum action taker;
        if (!keymap_is_bare(&s->keys, (enum action)a, &taker) || config_setting_get_member(keys, name))
            continue;
        const config_setting_t *e =
            taker ? config_setting_get_member(keys, action_info(taker)->name) : NULL;
        return err_set(err, -EINVAL,
                       tr("%s:%u: '%s' would have no key left: give that action another key, or \"\""),
                       path, config_setting_source_line(e ? e : keys), name);
    }
    return 0;
}

/* "j" for drain would hide "down" where both are keys, and users who press it to move would drain
 * a node. */
static int none_hides_another(const struct settings *s, const char *path, const config_setting_t *keys,
                              struct errtext *err)
{
    for (int i = 0; i < config_setting_length(keys); i++) {
        const config_setting_t *e = config_setting_get_elem(keys, (unsigned)i);
        uint32_t key = 0;
        enum action a = action_find(config_setting_name(e)), other = keymap_clash(&s->keys, a, &key);
        if (!other)
            continue;
        struct str name = STR_INIT;
        key_format(key, &name);
        int rc = err_set(err, -EINVAL,
                         tr("%s:%u: '%s' is already a key of '%s' there: give that action another key"),
                         path, config_setting_source_line(e), name.s, action_info(other)->name);
        str_fini(&name);
        return rc;
    }
    return 0;
}

static int take_keys(struct settings *s, const char *path, const config_setting_t *keys,
                     struct errtext *err)
{
    for (int i = 0; i < config_setting_length(keys); i++) {
        const config_setting_t *e = config_setting_get_elem(keys, (unsigned)i);
        enum action a = action_find(config_setting_name(e));
        int line = (int)config_setting_source_line(e);
        const char *text = config_setting_get_string(e);
        if (!a)
            return err_set(err, -EINVAL,
                           tr("%s:%d: there is no action '%s'; stoker-ui --print-keys lists them"), path,
                           line, config_setting_name(e));
        if (!text)
            return err_set(err, -EINVAL, tr("%s:%d: keys are a string such as \"j Down\""), path, line);
        int rc = keymap_bind(&s->keys, a, text, err);
        if (rc)
            return err_prefix(err, rc, "%s:%d", path, line);
    }
    return 0;
}

/* --- commands and aliases --- */

/* What stands behind ':' already. */
static bool word_is_taken(const struct user_commands *c, const char *word)
{
    static const char *const names[] = {
#define X(name, other, args, kind, help) #name, other,
        COMMANDS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_eq(names[i], word))
            return true;
    for (size_t k = 0; k < n_screens; k++)
        if (str_ieq(screens[k].ops->name, word))
            return true;
    return user_command_find(c, word) || user_alias_text(c, word);
}

static int check_word(const struct user_commands *c, const char *path, int line, const char *word,
                      struct errtext *err)
{
    if (str_is_empty(word) || strpbrk(word, " \t|:/"))
        return err_set(err, -EINVAL, tr("%s:%d: the name is one word without blanks"), path, line);
    if (word_is_taken(c, word))
        return err_set(err, -EINVAL, tr("%s:%d: there is a command '%s' already: choose another name"),
                       path, line, word);
    return 0;
}

static int take_member(struct user_command *c, const char *path, const config_setting_t *e,
                       struct errtext *err)
{
    const char *name = config_setting_name(e), *text = config_setting_get_string(e);
    int line = (int)config_setting_source_line(e), in;
    bool is_bool = config_setting_type(e) == CONFIG_TYPE_BOOL, on = is_bool && config_setting_get_bool(e);
    if (str_eq(name, "name") && text) {
        xstrset(&c->name, text);
    } else if (str_eq(name, "run") && text) {
        xstrset(&c->run, text);
    } else if (str_eq(name, "help") && text) {
        xstrset(&c->help, text);
    } else if (str_eq(name, "key") && text) {
        c->key = key_parse(text);
        if (!c->key)
            return err_set(err, -EINVAL, tr("%s:%d: '%s' is not a key"), path, line, text);
    } else if (str_eq(name, "in") && text) {
        in = user_run_in_parse(text);
        if (in < 0)
            return err_set(err, -EINVAL, tr("%s:%d: 'in' is terminal, background or pager"), path, line);
        c->in = (enum user_run_in)in;
    } else if (str_eq(name, "confirm") && is_bool) {
        c->confirm = on;
    } else if (str_eq(name, "read_only") && is_bool) {
        c->reads_only = on;
    } else {
        return err_set(
            err, -EINVAL,
            tr("%s:%d: '%s' is not one of name, run, key, in, help, confirm, read_only, or has the "
               "wrong type"),
            path, line, name);
    }
    return 0;
}

static int take_command(struct user_commands *all, const char *path, const config_setting_t *group,
                        struct errtext *err)
{
    struct user_command c = {.line = (int)config_setting_source_line(group)};
    int rc =
        config_setting_is_group(group)
            ? 0
            : err_set(err, -EINVAL, tr("%s:%d: a command is { name = ...; run = ...; }"), path, c.line);
    for (int i = 0; !rc && i < config_setting_length(group); i++)
        rc = take_member(&c, path, config_setting_get_elem(group, (unsigned)i), err);
    if (!rc && str_is_empty(c.run))
        rc = err_set(err, -EINVAL, tr("%s:%d: a command needs 'run'"), path, c.line);
    rc = rc ? rc : check_word(all, path, c.line, c.name, err);
    if (!rc && c.key && user_command_of_key(all, c.key))
        rc = err_set(err, -EINVAL, tr("%s:%d: the command '%s' has the key of '%s'"), path, c.line, c.name,
                     user_command_of_key(all, c.key)->name);
    vec_push(&all->v, c);
    return rc;
}

static int take_commands(struct user_commands *all, const char *path, const config_setting_t *list,
                         struct errtext *err)
{
    int rc = 0;
    for (int i = 0; !rc && i < config_setting_length(list); i++)
        rc = take_command(all, path, config_setting_get_elem(list, (unsigned)i), err);
    return rc;
}

static int take_aliases(struct user_commands *all, const char *path, const config_setting_t *group,
                        struct errtext *err)
{
    int rc = 0;
    for (int i = 0; !rc && i < config_setting_length(group); i++) {
        const config_setting_t *e = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(e), *text = config_setting_get_string(e);
        int line = (int)config_setting_source_line(e);
        rc = check_word(all, path, line, name, err);
        if (!rc && str_is_empty(text))
            rc = err_set(err, -EINVAL, tr("%s:%d: an alias is a text such as \"filter user:ann\""), path,
                         line);
        if (!rc)
            vec_push(&all->aliases,
                     (struct user_alias){.name = xstrdup(name), .text = xstrdup(text), .line = line});
    }
    return rc;
}

/* Screens' own keys go first, so that a command with one of them could not be reached. */
static int user_keys_are_free(const struct settings *s, const char *path, struct errtext *err)
{
    static const enum scope everywhere[] = {SCOPE_GLOBAL, SCOPE_MOVE, SCOPE_LIST},
                            of_jobs[] = {SCOPE_JOBS, SCOPE_ACTS, SCOPE_AGAIN},
                            of_nodes[] = {SCOPE_NODES, SCOPE_WINDOWS};
    unsigned node = 1u << ROW_NODE;
    vec_for_each (&s->commands.v, i) {
        const struct user_command *c = &s->commands.v.v[i];
        unsigned needs = user_command_needs(c->run);
        enum action taken = keymap_find(&s->keys, everywhere, 3, c->key);
        if (!taken && needs != node)
            taken = keymap_find(&s->keys, of_jobs, 3, c->key);
        if (!taken && !(needs & ~node))
            taken = keymap_find(&s->keys, of_nodes, 2, c->key);
        if (c->key && taken)
            return err_set(
                err, -EINVAL,
                tr("%s:%d: the key of the command '%s' is a key of '%s': give one of them another"), path,
                c->line, c->name, action_info(taken)->name);
    }
    return 0;
}

/* --- the file --- */

static int find_setting(const char *name)
{
    for (int i = 0; i < SETTING_N; i++)
        if (str_eq(infos[i].name, name))
            return i;
    return -1;
}

static int take_language(struct settings *s, const char *text, struct errtext *err)
{
    bool known = str_eq(text, infos[SETTING_LANGUAGE].usual);
    for (size_t i = 0; i < n_langs; i++)
        known = known || str_eq(text, langs[i].code);
    if (!known)
        return err_set(err, -EINVAL, tr("language is one of auto, en, pl, pt_BR, fr"));
    xstrset(&s->language, str_eq(text, infos[SETTING_LANGUAGE].usual) ? NULL : text);
    return 0;
}

static int take_text_setting(struct settings *s, enum setting which, const char *text, struct errtext *err)
{
    if (which == SETTING_LANGUAGE) {
        return take_language(s, text, err);
    } else if (which == SETTING_THEME) {
        xstrset(&s->theme, text);
    } else if (which == SETTING_NOTIFY_COMMAND) {
        xstrset(&s->notify_command, str_is_empty(text) ? NULL : text);
    } else if (which == SETTING_NOTIFY) {
        int way = notify_parse(text);
        if (way < 0)
            return err_set(err, -EINVAL, tr("notify is one of auto, off, osc9, osc777, osc99"));
        s->notify = (enum notify_way)way;
    } else {
        return duration_parse_conf(text, &s->gpu_idle_s, err);
    }
    return 0;
}

static void take_bool_setting(struct settings *s, enum setting which, bool on)
{
    if (which == SETTING_ASCII)
        s->ascii = on;
    else if (which == SETTING_READ_ONLY)
        s->read_only = on;
    else
        s->no_mouse = !on;
}

static int take_setting(struct settings *s, const char *path, const config_setting_t *e,
                        struct errtext *err)
{
    const char *name = config_setting_name(e), *text = config_setting_get_string(e);
    int line = (int)config_setting_source_line(e), which = find_setting(name);
    bool is_bool = config_setting_type(e) == CONFIG_TYPE_BOOL;
    if (str_eq(name, "keys") && config_setting_is_group(e))
        return take_keys(s, path, e, err);
    if (str_eq(name, "commands") && config_setting_is_list(e))
        return take_commands(&s->commands, path, e, err);
    if (str_eq(name, "aliases") && config_setting_is_group(e))
        return take_aliases(&s->commands, path, e, err);
    if (which < 0)
        return err_set(err, -EINVAL, tr("%s:%d: there is no option '%s'; stoker-ui(7) lists them"), path,
                       line, name);
    if (infos[which].kind == SETTING_BOOL ? !is_bool : !text)
        return err_set(err, -EINVAL, tr("%s:%d: %s must be %s"), path, line, name,
                       infos[which].kind == SETTING_BOOL ? tr("true or false") : tr("a text in quotes"));
    int rc = is_bool ? 0 : take_text_setting(s, (enum setting)which, text, err);
    if (is_bool)
        take_bool_setting(s, (enum setting)which, config_setting_get_bool(e));
    s->from[which] = SETTING_BY_FILE;
    s->lines[which] = line;
    return rc ? err_prefix(err, rc, "%s:%d", path, line) : 0;
}

int settings_load(struct settings *s, const char *path, struct errtext *err)
{
    if (access(path, F_OK) != 0)
        return 0;
    config_t cfg;
    config_init(&cfg);
    int rc = 0;
    if (config_read_file(&cfg, path) != CONFIG_TRUE)
        rc = err_set(err, -EINVAL, "%s:%d: %s", path, config_error_line(&cfg), config_error_text(&cfg));
    const config_setting_t *root = rc ? NULL : config_root_setting(&cfg);
    for (int i = 0; root && !rc && i < config_setting_length(root); i++)
        rc = take_setting(s, path, config_setting_get_elem(root, (unsigned)i), err);
    const config_setting_t *keys = root && !rc ? config_setting_get_member(root, "keys") : NULL;
    if (keys)
        rc = all_have_keys(s, path, keys, err);
    if (keys && !rc)
        rc = none_hides_another(s, path, keys, err);
    if (!rc)
        rc = user_keys_are_free(s, path, err);
    config_destroy(&cfg);
    return rc;
}

/* --- values --- */

void setting_format(const struct settings *s, enum setting which, struct str *out)
{
    static const char *const ways[] = {[NOTIFY_OFF] = "off",
                                       [NOTIFY_OSC9] = "osc9",
                                       [NOTIFY_OSC777] = "osc777",
                                       [NOTIFY_OSC99] = "osc99",
                                       [NOTIFY_AUTO] = "auto"};
    char b[UNITS_TEXT_SIZE];
    switch (which) {
    case SETTING_LANGUAGE: str_append(out, s->language ? s->language : infos[which].usual); break;
    case SETTING_THEME: str_append(out, s->theme ? s->theme : infos[which].usual); break;
    case SETTING_ASCII:
        str_append(out, s->ascii ? trc("of an option", "on") : trc("of an option", "off"));
        break;
    case SETTING_MOUSE:
        str_append(out, s->no_mouse ? trc("of an option", "off") : trc("of an option", "on"));
        break;
    case SETTING_READ_ONLY:
        str_append(out, s->read_only ? trc("of an option", "on") : trc("of an option", "off"));
        break;
    case SETTING_GPU_IDLE: str_append(out, duration_format(s->gpu_idle_s, b)); break;
    case SETTING_NOTIFY: str_append(out, ways[s->notify]); break;
    case SETTING_NOTIFY_COMMAND: str_append(out, s->notify_command ? s->notify_command : tr("none")); break;
    case SETTING_N: break;
    }
}

static const char *choice_word(enum setting which, const char *const *ways, size_t i)
{
    return which != SETTING_LANGUAGE || i == 0 ? ways[i] : langs[i - 1].code;
}

const char *setting_next_choice(enum setting which, const char *now)
{
    static const char *const ways[] = {"auto", "off", "osc9", "osc777", "osc99"};
    size_t n = which == SETTING_LANGUAGE ? n_langs + 1 : sizeof ways / sizeof ways[0], i = 0;
    while (i < n && !str_eq(choice_word(which, ways, i), now))
        i++;
    return choice_word(which, ways, (i + 1) % n);
}

void setting_is_given(struct settings *s, enum setting which)
{
    s->from[which] = SETTING_BY_OPTION;
}

void settings_keep_given(struct settings *s, const struct settings *now)
{
    for (int i = 0; i < SETTING_N; i++)
        if (now->from[i] == SETTING_BY_OPTION)
            s->from[i] = SETTING_BY_OPTION;
    if (now->from[SETTING_THEME] == SETTING_BY_OPTION) {
        xstrset(&s->theme, now->theme);
    }
    if (now->from[SETTING_ASCII] == SETTING_BY_OPTION)
        s->ascii = now->ascii;
    if (now->from[SETTING_READ_ONLY] == SETTING_BY_OPTION)
        s->read_only = now->read_only;
    if (now->from[SETTING_MOUSE] == SETTING_BY_OPTION)
        s->no_mouse = now->no_mouse;
    s->clock_speed = now->clock_speed;
    xstrset(&s->samples, now->samples);
}
