/* ui_manual.c - stoker-ui(7): screens, keys, commands and options come from their tables, so that the page
 * is complete. */
#include "ui/app/ui_manual.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/jobtext.h"
#include "src/text/roff.h"
#include "src/text/state_text.h"
#include "ui/app/screens.h"
#include "ui/app/settings.h"
#include "ui/command/command_table.h"
#include "ui/term/signs.h"

#define LEN(a) (sizeof(a) / sizeof(a)[0])

const struct opt screen_table[SCREEN_N_OPTIONS] = {
    {.id = SCREEN_THEME,
     .name = "theme",
     .arg = OPT_REQUIRED,
     .meta = "NAME",
     .help = N_("dark, light, mono, colourblind, or the path of a theme file")},
    {.id = SCREEN_ASCII, .name = "ascii", .help = N_("ASCII characters only")},
    {.id = SCREEN_READ_ONLY, .name = "read-only", .help = N_("refuse all changes")},
    {.id = SCREEN_NO_MOUSE, .name = "no-mouse", .help = N_("do not use the mouse")},
    {.id = SCREEN_PRINT_KEYS, .name = "print-keys"},
    {.id = SCREEN_PRINT_MANUAL, .name = "print-manual"},
    {.id = SCREEN_CLOCK_SPEED, .name = "clock-speed", .arg = OPT_REQUIRED},
    {.id = SCREEN_SAMPLES, .name = "samples", .arg = OPT_REQUIRED},
};

static char *screen_option_name(const struct opt *o)
{
    return o->meta ? xasprintf("--%s=%s", o->name, o->meta) : xasprintf("--%s", o->name);
}

struct item {
    const char *word, *text;
};

static void items(struct str *out, const struct item *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        roff_item(out, v[i].word, NULL, v[i].text);
}

static void paragraph(struct str *out, const char *text)
{
    str_append(out, ".PP\n");
    roff_text(out, text);
    str_append_char(out, '\n');
}

static void ui_manual_head(struct str *out)
{
    str_append(out, ".\\\" Written by stoker-ui --print-manual from the tables of the screens.\n"
                    ".TH STOKER-UI 7 \"\" \"stoker " STOKER_VERSION "\" \"Stoker\"\n");
    roff_section(out, "NAME");
    roff_text(out, "stoker-ui - the screens: browse the queue, submit, act, from the keyboard\n");
    roff_section(out, "SYNOPSIS");
    str_append(out, "\\fBstoker\\fR");
    for (int i = 0; i < SCREEN_N_OPTIONS; i++)
        if (screen_table[i].help) {
            char *option = screen_option_name(&screen_table[i]);
            str_append(out, " [");
            roff_text(out, option);
            str_append(out, "]");
            free(option);
        }
    str_append_char(out, '\n');
    roff_section(out, "DESCRIPTION");
    roff_text(
        out,
        "stoker without a command, on a terminal, opens these screens. They show what the controller "
        "pushes, and send no requests while nothing changes. Actions that end jobs ask first; one that "
        "ends several jobs, or a job that has run for more than ten minutes, is delayed by some "
        "seconds, in which it can be undone.\n");
}

static void options(struct str *out)
{
    roff_section(out, "OPTIONS");
    for (int i = 0; i < SCREEN_N_OPTIONS; i++)
        if (screen_table[i].help) {
            char *option = screen_option_name(&screen_table[i]);
            roff_item(out, option, NULL, screen_table[i].help);
            free(option);
        }
}

/* The letter is what terminals show that have ASCII alone, and what the commands print. */
static void manual_sign(struct str *out, const char *letter, const char *means)
{
    char buf[2];
    const char *sign = sign_of(letter[0], buf);
    char *both = str_eq(sign, letter) ? xstrdup(letter) : xasprintf("%s %s", sign, letter);
    roff_item(out, both, NULL, means);
    free(both);
}

static void add_screens(struct str *out)
{
    roff_section(out, "SCREENS");
    for (size_t i = 0; i < n_screens; i++) {
        const struct action_info *info = action_info(screens[i].action);
        roff_item(out, info->keys, screens[i].title, screens[i].answers);
    }
    paragraph(out,
              "Each screen shows the name of the cluster, the screens, the numbers of running and waiting "
              "jobs, bars for nodes, CPUs and GPUs (used from the left, offline from the right), and "
              "whether the data is live, stale (and for how long) or frozen. The last line shows the keys "
              "of the screen.");
    roff_subsection(out, "Signs");
    paragraph(out, "Of a job, in the column S; terminals that have ASCII alone show the letter:");
    for (int s = 0; s < JOB_N_STATES; s++) {
        const char letter[] = {job_state_glyph((enum job_state)s), '\0'};
        manual_sign(out, letter, job_state_word((enum job_state)s));
    }
    manual_sign(out, "H", "held until released");
    static const struct item nodes[] = {
        {SIGN_NODE_FREE " .", "free"},
        {SIGN_NODE_PART " +", "partly used"},
        {SIGN_NODE_FULL " A", "full"},
        {SIGN_NODE_OUT " #", "offline: drained, down or lost; the note says why"},
        {"?", "not connected yet"},
    };
    paragraph(out, "Of a node:");
    items(out, nodes, LEN(nodes));
    static const struct item plan[] = {
        {"#", "running, until the time limit at the latest"},
        {":", "planned start"},
        {".", "forecast: the job starts there if nothing changes"},
        {"%", "window: maintenance or a reservation"},
        {"x", "the node is offline"},
    };
    paragraph(out, "On the timeline:");
    items(out, plan, LEN(plan));
}

static void keys(struct str *out)
{
    roff_section(out, "KEYS");
    roff_text(out, "Actions apply to the marked rows, else to the row under the cursor. The "
                   "word in parentheses is the name of the action in ui.cfg.\n");
    for (int s = 0; s < SCOPE_N; s++) {
        roff_subsection(out, scope_title((enum scope)s));
        for (int k = 1; k < ACTION_N; k++) {
            const struct action_info *info = action_info((enum action)k);
            struct str name = STR_INIT, bound = STR_INIT;
            if (info->scope != (enum scope)s)
                continue;
            str_appendf(&name, "(%s)", info->name);
            keymap_own_keys((enum action)k, "", "", &bound);
            roff_item(out, bound.s, name.s, info->help);
            str_fini(&name);
            str_fini(&bound);
        }
    }
}

static void commands(struct str *out)
{
    roff_section(out, "COMMAND LINE");
    roff_text(out,
              "A colon opens the command line. Tab completes; Up and Down recall earlier lines. A unique "
              "prefix of a command is enough. Without jobs as arguments, a command applies to the marked "
              "jobs, else to the job under the cursor. The name of a screen opens that screen.\n");
    static const struct {
        const char *name, *other, *args, *help;
    } table[] = {
#define X(name, other, args, kind, help) {":" #name, other, args, help},
        COMMANDS(X)
#undef X
    };
    for (size_t i = 0; i < LEN(table); i++) {
        roff_item(out, table[i].name, table[i].args, table[i].help);
        if (table[i].other)
            str_appendf(out, "(or \\fB:%s\\fR)\n", table[i].other);
    }
}

static void filters(struct str *out)
{
    static const struct item words[] = {
        {"train", "in any column"},
        {"state:wait", "in the column of that name"},
        {"gpus:>0", "a comparison; also <, <=, >=, ="},
        {"time:>2h memory:>=16G", "with a unit where the column has one"},
        {"!part:main", "the opposite"},
    };
    roff_section(out, "FILTERS");
    roff_text(
        out,
        "Words after a slash; a row must match all of them. Case is ignored. Each screen remembers its "
        "filter, order and columns.\n");
    items(out, words, LEN(words));
}

static void form(struct str *out)
{
    roff_section(out, "THE FORM");
    roff_text(
        out,
        "The fields and the script are two views of one text: a field changes one place of the script, "
        "and an edit of the script shows in the fields. A script that is opened keeps every line. The "
        "first page has the usual fields; More opens the rest; fields that are set are always shown. "
        "The lines below explain the field, report errors and hints, and say when the job would "
        "start. The controller is asked for that while you type; nothing is queued. After a "
        "submission the cursor of the jobs screen is on the new job.\n");
}

static void settings(struct str *out)
{
    static const struct item cfg[] = {
        {"keys = { cancel = \"c F8\"; };", "other keys for an action; KEYS has the names"},
        {"aliases = { po = \"partitions\"; };", "words behind : that stand for others"},
        {"commands = ( { name = \"top\"; key = \"T\"; run = \"ssh {node} top\"; in = \"terminal\"; } );",
         "commands of your own for the row under the cursor, with {job}, {name}, {user}, {state}, {path} "
         "and "
         "{node}; in = terminal, background or pager; confirm = true asks first; read_only = true: may be "
         "used with --read-only"},
    };
    static const struct item files[] = {
        {"~/.config/stoker/ui.cfg", "settings; errors are reported with file and line"},
        {"~/.config/stoker/themes/NAME.theme", "your own themes"},
        {"~/.config/stoker/templates/", "templates of the form"},
        {"~/.config/stoker/views.cfg", "what the screens remember; written by the program"},
    };
    static const struct item environment[] = {
        {"NO_COLOR", "if set, no colours are used"},
        {"STOKER_THEME", "theme, if neither :theme nor ui.cfg sets one"},
        {"STOKER_HOME", "directory of the cluster"},
        {"XDG_CONFIG_HOME", "instead of ~/.config"},
    };
    roff_section(out, "SETTINGS");
    roff_text(out, "In ui.cfg; all are optional, and F2 changes them:\n");
    for (int i = 0; i < SETTING_N; i++) {
        const struct setting_info *info = setting_info((enum setting)i);
        bool is_bool = info->kind == SETTING_BOOL;
        char *line = xasprintf(is_bool ? "%s = %s;" : "%s = \"%s\";", info->name, info->usual);
        roff_item(out, line, NULL, info->help);
        free(line);
    }
    items(out, cfg, LEN(cfg));
    roff_section(out, "FILES");
    items(out, files, LEN(files));
    roff_section(out, "ENVIRONMENT");
    items(out, environment, LEN(environment));
}

void ui_manual(struct str *out)
{
    ui_manual_head(out);
    options(out);
    add_screens(out);
    keys(out);
    commands(out);
    filters(out);
    form(out);
    settings(out);
    roff_section(out, "SEE ALSO");
    str_append(out, "\\fBstoker\\fR(1), \\fBstoker\\-submit\\fR(1), \\fBstoker\\-why\\fR(1)\n");
}
