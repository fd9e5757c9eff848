/* ui_manual.c - stoker-ui(7): screens, keys, commands and options come from their tables, so that nothing
 * can be had that the page does not name. */
#include "ui/app/ui_manual.h"

#include "src/base/roff.h"
#include "src/text/jobtext.h"
#include "ui/app/screens.h"
#include "ui/command/command_table.h"

#define LEN(a) (sizeof(a) / sizeof(a)[0])

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
#define X(option, text)     \
    str_append(out, " [");  \
    roff_text(out, option); \
    str_append(out, "]");
    SCREEN_OPTIONS(X)
#undef X
    str_append_char(out, '\n');
    roff_section(out, "DESCRIPTION");
    roff_text(
        out,
        "stoker without a command, on a terminal, opens these screens. They show what the controller "
        "pushes and ask for nothing while nothing changes. What ends something asks first; a deed that "
        "ends several jobs waits some seconds in which it can be undone.\n");
}

static void options(struct str *out)
{
    roff_section(out, "OPTIONS");
#define X(option, text) roff_item(out, option, NULL, text);
    SCREEN_OPTIONS(X)
#undef X
}

static void add_screens(struct str *out)
{
    roff_section(out, "SCREENS");
    for (size_t i = 0; i < n_screens; i++) {
        const struct action_info *info = action_info(screens[i].action);
        roff_item(out, info->keys, screens[i].title, screens[i].answers);
    }
    paragraph(out,
              "On every screen: the cluster's name, the screens, what runs and waits, bars for nodes, CPUs "
              "and GPUs (used from the left, out of use from the right), and how old the data is: live, "
              "stale and for how long, or frozen. The last line has the keys that matter here.");
    roff_subsection(out, "Signs");
    paragraph(out, "Of a job, in the column S:");
    for (int s = 0; s < JOB_N_STATES; s++) {
        const char sign[] = {job_state_glyph((enum job_state)s), '\0'};
        roff_item(out, sign, NULL, job_state_word((enum job_state)s));
    }
    roff_item(out, "H", NULL, "held: it waits for its release");
    static const struct item nodes[] = {
        {".", "free"},
        {"+", "used in part"},
        {"A", "full"},
        {"#", "takes no jobs: drained, down or lost; the note says why"},
        {"?", "not heard of yet"},
    };
    paragraph(out, "Of a node:");
    items(out, nodes, LEN(nodes));
    static const struct item plan[] = {
        {"#", "runs, until its time limit at the latest"},
        {":", "a place is kept for it"},
        {".", "forecast: it starts there if nothing changes"},
        {"%", "a window: maintenance or a reservation"},
        {"x", "the node takes no jobs"},
    };
    paragraph(out, "On the timeline:");
    items(out, plan, LEN(plan));
}

static void keys(struct str *out)
{
    roff_section(out, "KEYS");
    roff_text(out,
              "C-x is Control and x. Acting keys take the marked rows, else the one under the cursor. The "
              "word in brackets is the action's name in ui.cfg.\n");
    for (int s = 0; s < SCOPE_N; s++) {
        roff_subsection(out, scope_title((enum scope)s));
        for (int k = 1; k < ACTION_N; k++) {
            const struct action_info *info = action_info((enum action)k);
            struct str name = STR_INIT;
            if (info->scope != (enum scope)s)
                continue;
            str_appendf(&name, "(%s)", info->name);
            roff_item(out, info->keys, name.s, info->help);
            str_fini(&name);
        }
    }
}

static void commands(struct str *out)
{
    roff_section(out, "COMMAND LINE");
    roff_text(out,
              "A colon opens it, Tab completes, Up and Down go through what was typed before. The "
              "beginning of a word that only one command has is enough. A command that takes jobs means "
              "the marked ones, or the one under the cursor, where it is given none. The name of a "
              "screen opens it.\n");
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
        {"gpus:>0", "a number; also <, <=, >=, ="},
        {"time:>2h memory:>=16G", "with a unit where the column has one"},
        {"!part:main", "turned round"},
    };
    roff_section(out, "FILTERS");
    roff_text(out,
              "Words behind a slash; a row must match them all. Upper and lower case are the same. Each "
              "screen keeps its filter, order and columns for the next time.\n");
    items(out, words, LEN(words));
}

static void form(struct str *out)
{
    roff_section(out, "THE FORM");
    roff_text(
        out,
        "The fields and the script are two sides of one text: a field changes one place of the script, "
        "and what is typed in the script shows in the fields. A script that is opened keeps every "
        "line. The first page has what nearly everybody sets, More opens the rest, and what is set "
        "is on the page in any case. Below stand how the field is written, what is wrong with it or "
        "worth knowing, and when the job would start, which the controller is asked for while you "
        "type; nothing is queued by that. After the job was submitted the cursor of the jobs screen "
        "goes to it.\n");
}

static void settings(struct str *out)
{
    static const struct item cfg[] = {
        {"theme = \"light\";", "dark, light, mono, colourblind, or the name of a theme of your own"},
        {"ascii = true;", "plain signs only"},
        {"mouse = false;", "leave the mouse to the terminal"},
        {"read_only = true;", "change nothing"},
        {"gpu_idle = \"10m\";", "a GPU that is held and does nothing for so long is told"},
        {"keys = { cancel = \"c F8\"; };", "other keys for an action: the names are those of KEYS"},
    };
    static const struct item files[] = {
        {"~/.config/stoker/ui.cfg", "the settings; a mistake in it is told with file and line"},
        {"~/.config/stoker/themes/NAME.theme", "themes of your own"},
        {"~/.config/stoker/templates/", "templates of the form"},
        {"~/.config/stoker/views.cfg", "what the screens remember; the program writes it"},
    };
    static const struct item environment[] = {
        {"NO_COLOR", "where it is set there are no colours"},
        {"STOKER_THEME", "a theme, where neither :theme nor ui.cfg names one"},
        {"STOKER_HOME", "directory of the cluster"},
        {"XDG_CONFIG_HOME", "instead of ~/.config"},
    };
    roff_section(out, "SETTINGS");
    roff_text(out, "In ui.cfg, each of them or none:\n");
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
