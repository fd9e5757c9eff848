/* help.c - the help of the view on top, from the key table. */
#include "ui/app/help.h"

#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "ui/app/help_view.h"
#include "ui/command/command.h"
#include "ui/frame/stack.h"
#include "ui/state/ui_state.h"
#include "ui/term/signs.h"
#include "ui/text/view_text.h"

#define KEY_WIDTH 14

/* In a view that takes text, a letter is not a key. */
static void append_keys(const struct ui *ui, enum action action, bool typing, struct str *out)
{
    struct str all = STR_INIT;
    keymap_format(&ui->o.keys, action, false, &all);
    struct strv keys = strv_split(all.s, " ");
    for (size_t i = 0; i < keys.n; i++)
        if (!typing || cell_width(keys.v[i]) > 1)
            str_appendf(out, "%s%s", out->len ? " " : "", keys.v[i]);
    strv_fini(&keys);
    str_fini(&all);
}

static void add_scope(const struct ui *ui, struct lines *l, enum scope scope, bool typing)
{
    if (l->n)
        lines_add(l);
    lines_addf(l, ROLE_TITLE, "%s", tr(scope_title(scope)));
    for (int k = 1; k < ACTION_N; k++) {
        const struct action_info *info = action_info((enum action)k);
        struct str keys = STR_INIT;
        if (info->scope == scope)
            append_keys(ui, (enum action)k, typing, &keys);
        if (keys.len) {
            struct rich *r = lines_add(l);
            int pad = KEY_WIDTH - cell_width(keys.s);
            rich_add(r, ROLE_KEY, keys.s);
            rich_addf(r, ROLE_NORMAL, "%*s", pad > 1 ? pad : 1, "");
            rich_add(r, ROLE_NORMAL, tr(info->help));
            r->hang = KEY_WIDTH;
        }
        str_fini(&keys);
    }
}

static void add_title(struct lines *l, const char *title)
{
    if (l->n)
        lines_add(l);
    lines_addf(l, ROLE_TITLE, "%s", title);
}

/* --- signs --- */

#define SIGN_WIDTH 4

static struct rich *add_sign(struct lines *l, enum role role, const char *sign, const char *means)
{
    struct rich *r = lines_add(l);
    int pad = SIGN_WIDTH - cell_width(sign);
    rich_add(r, role, sign);
    rich_addf(r, ROLE_NORMAL, "%*s%s", pad > 1 ? pad : 1, "", means);
    r->hang = SIGN_WIDTH;
    return r;
}

static void add_signs(struct lines *l)
{
    static const struct {
        const char *sign;
        enum role role;
        const char *means;
    } nodes[] = {
        {SIGN_NODE_FREE, ROLE_NODE_FREE, N_("free")},
        {SIGN_NODE_PART, ROLE_NODE_PART, N_("partly used")},
        {SIGN_NODE_FULL, ROLE_NODE_FULL, N_("full")},
        {SIGN_NODE_OUT, ROLE_NODE_OUT, N_("offline: drained, down or lost; the note says why")},
        {"?", ROLE_DIM, N_("not connected yet")},
    };
    static const struct {
        enum role role;
        const char *means;
    } bars[] = {
        {ROLE_BAR_USED, N_("used")},   {ROLE_BAR_IDLE, N_("allocated but idle")},
        {ROLE_BAR_OUT, N_("offline")}, {ROLE_BAR_FOREIGN, N_("used by processes outside the queue")},
        {ROLE_BAR_FREE, N_("free")},
    };
    char buf[2];
    add_title(l, tr("Signs of jobs"));
    for (int s = 0; s < JOB_N_STATES; s++) {
        const struct job j = {.state = (uint8_t)s};
        add_sign(l, job_role(&j), sign_of(job_state_glyph((enum job_state)s), buf),
                 job_state_word((enum job_state)s));
    }
    add_sign(l, ROLE_HELD, SIGN_HELD, tr("held until released"));
    add_sign(l, ROLE_MARK, glyph_text(GLYPH_MARK), tr("marked"));
    add_sign(l, ROLE_OWN, glyph_text(GLYPH_WATCHED), tr("watched"));
    add_title(l, tr("Signs of nodes"));
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        add_sign(l, nodes[i].role, nodes[i].sign, tr(nodes[i].means));
    add_title(l, tr("Parts of bars"));
    for (size_t i = 0; i < sizeof bars / sizeof bars[0]; i++)
        add_sign(l, bars[i].role, bar_sign(bars[i].role), tr(bars[i].means));
}

/* --- filter words --- */

#define WORD_WIDTH 24

static void add_filter_word(struct lines *l, const char *word, const char *means)
{
    struct rich *r = lines_add(l);
    rich_add(r, ROLE_KEY, word);
    rich_addf(r, ROLE_NORMAL, "%*s%s", WORD_WIDTH - cell_width(word), "", means);
    r->hang = WORD_WIDTH;
}

static const char *unit_words(const struct table_column *col)
{
    switch (col->unit) {
    case FILTER_SECONDS: return " (30s, 5m, 2h, 1d)";
    case FILTER_MIB: return " (500M, 16G)";
    case FILTER_PLAIN: break;
    }
    return "";
}

static void add_filter(struct lines *l, const struct table *t)
{
    add_title(l, tr("Filter words"));
    add_filter_word(l, "train",
                    tr("rows with this text, else rows that are like it; several words must all match"));
    add_filter_word(l, "!train", tr("rows without it; ! works before every word"));
    add_filter_word(l, "COLUMN:TEXT", tr("the column contains the text"));
    add_filter_word(l, "COLUMN:=TEXT", tr("the column is exactly this text"));
    add_filter_word(l, "a|b  a | b", tr("either: state:wait|held, train | eval"));
    add_filter_word(l, "/RE/  COLUMN:/RE/", tr("a POSIX extended regular expression: name:/^eval-[0-9]+/"));
    add_filter_word(l, "\"a b\"", tr("a text with blanks"));
    add_filter_word(l, "COLUMN:>N  :>=  :<  :<=", tr("numbers, sizes and times"));
    struct rich *r = lines_add(l);
    rich_add(r, ROLE_NORMAL, tr("Columns: "));
    r->hang = cell_width(tr("Columns: "));
    for (size_t i = 0; i < t->n_cols; i++) {
        char word[COLUMN_WORD_SIZE];
        rich_add(r, ROLE_KEY, table_column_word(&t->cols[i], word));
        rich_addf(r, ROLE_NORMAL, "%s%s", unit_words(&t->cols[i]), i + 1 < t->n_cols ? ", " : "");
    }
}

/* --- commands of the user --- */

static void add_user_commands(const struct ui *ui, struct lines *l)
{
    const struct user_commands *own = ui->o.commands;
    if (!own || own->v.n + own->aliases.n == 0)
        return;
    add_title(l, tr("Your commands"));
    for (size_t i = 0; i < own->v.n; i++) {
        const struct user_command *c = &own->v.v[i];
        struct str word = STR_INIT;
        if (c->key)
            key_format(c->key, &word);
        str_appendf(&word, "%s:%s", word.len ? "  " : "", c->name);
        add_filter_word(l, word.s, c->help ? c->help : c->run);
        str_fini(&word);
    }
    for (size_t i = 0; i < own->aliases.n; i++) {
        char *word = xasprintf(":%s", own->aliases.v[i].name),
             *means = xasprintf(":%s", own->aliases.v[i].text);
        add_filter_word(l, word, means);
        free(word);
        free(means);
    }
}

void help_open(struct ui *ui)
{
    struct view *v = ui_view(ui);
    const struct view_ops *ops = v->ops;
    struct lines l = {0};
    if (ops == &help_view) { /* the key that opened it closes it */
        stack_pop(ui);
        return;
    }
    for (size_t i = 0; i < ops->n_scopes; i++)
        add_scope(ui, &l, ops->scopes[i], ops->types);
    if (ops->pane)
        add_scope(ui, &l, SCOPE_PANE, false);
    add_scope(ui, &l, SCOPE_GLOBAL, ops->types);
    if (!ops->types) {
        add_scope(ui, &l, SCOPE_WAIT, false);
        add_signs(&l);
        if (ops->table)
            add_filter(&l, ops->table(v));
        add_user_commands(ui, &l);
        add_title(&l, tr("Commands"));
        command_help(&l);
    }
    ui_push(ui, &help_view, &l);
}
