/* test_command_lines.c - the command lines that the screens note do in a shell what was done on the
 * screens.
 *
 * Each row is done twice on things that are alike: by keys on a terminal, and by the line that was noted
 * for that, with the number of the second job in place of the first one's. Both must lead to the same. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/os/file.h"
#include "tests/lib/check.h"
#include "tests/lib/command_lines.h"
#include "tests/lib/tty.h"

enum proved {
#define X(name, begins) PROVED_##name,
    COMMAND_LINES(X)
#undef X
        PROVED_N
};

static const char *const begins[] = {
#define X(name, text) text,
    COMMAND_LINES(X)
#undef X
};

#define SLEEPER "sbatch --parsable -J sleeper -o /dev/null --wrap 'sleep 1000'"
#define WAITER  "sbatch --parsable -J waiter -o /dev/null --begin=now+1day --wrap true"
#define RUNS    "; until squeue -h -j $id -o %T | grep -q RUNNING; do sleep 0.1; done"
#define STATE   "scontrol show job %s | grep -o 'JobState=[^ ]*'"
#define WINDOW  "scontrol create reservation ReservationName=w1 StartTime=2030-01-01T08:00:00 Duration=120 " \
                "Nodes=n1 Flags=MAINT Comment='old fans' >/dev/null"
#define NO_WINDOW "scontrol delete ReservationName=w1 2>/dev/null; :"

#define NONE_CALLED(name) \
    "scancel -n " name "; while squeue -h -n " name " | grep -q .; do sleep 0.1; done; "

static const struct row {
    enum proved proves;
    const char *setup;    /* a shell's command; sets id to a job's number, if there is one */
    const char *keys;     /* behind ':'; %s: the number */
    const char *question; /* what is asked then; NULL: nothing */
    const char *answer;
    const char *probe, *want; /* %s: the number */
} rows[] = {
    {PROVED_HOLD, "id=$(" WAITER ")", "hold %s", "hold 1 job", "y",
     "scontrol show job %s | grep -o 'Reason=[^ ]*'", "Reason=JobHeldUser"},
    {PROVED_RELEASE, "id=$(" WAITER "); scontrol uhold $id", "release %s", "release 1 job", "y",
     "scontrol show job %s | grep -o 'Reason=[^ ]*'", "Reason=BeginTime"},
    {PROVED_CANCEL, "id=$(" SLEEPER ")" RUNS, "cancel %s", "cancel 1 job", "y", STATE,
     "JobState=CANCELLED"},
    {PROVED_CANCEL, "id=$(sbatch --parsable -H --array=0-3 --wrap true)", "cancel %s_2", "cancel 1 job",
     "y", "squeue -h -r -j %s -o %%K | tr '\\n' ' '", "0 1 3"},
    {PROVED_SIGNAL,
     "id=$(cd $STOKER_HOME && sbatch --parsable -o out-%j --wrap 'trap \"echo got it\" USR1; echo on; "
     "while :; do sleep 0.1; done')" RUNS "; until grep -q on $STOKER_HOME/out-$id; do sleep 0.1; done",
     "signal USR1 %s", "signal 1 job", "y", "grep got $STOKER_HOME/out-%s", "got it"},
    {PROVED_REQUEUE, "id=$(" SLEEPER ")" RUNS, "requeue %s", "requeue 1 job", "y",
     "scontrol show job %s | grep -o 'Restarts=[^ ]*'", "Restarts=1"},
    {PROVED_UPDATE, "id=$(" WAITER ")", "update %s TimeLimit=0:31:00 JobName=it's\"$HOME;`x`",
     "change 1 job", "y", "scontrol show job %s | grep -o 'JobName=.*\\|TimeLimit=[^ ]*'",
     "JobName=it's\"$HOME;`x` TimeLimit=00:31:00"},
    {PROVED_NODE, "scontrol update nodename=n1 state=resume 2>/dev/null; id=0",
     "drain n1 it's \"$HOME\" & loud", "Why?", "\r", "scontrol show node n1 | grep -o 'Reason=.* \\['",
     "Reason=it's \"$HOME\" & loud ["},
    {PROVED_NODE, "scontrol update nodename=n1 state=drain reason=x; id=0", "resume n1", "reason above",
     "y", "scontrol show node n1 | grep -c Reason=", "0"},
    {PROVED_NOTE, "stoker node note n1 ''; id=0", "note n1 it's \"$HOME\" & loud", NULL, NULL,
     "stoker nodes --json | grep -o 'it.s [^,]*loud' | head -1", "it's \\\"$HOME\\\" & loud"},
    {PROVED_WINDOW, NO_WINDOW "; id=0",
     "windows add n1 start=2030-01-01T08:00 duration=2h name=w1 reason=it's new", "create a window on n1",
     "y",
     "scontrol show reservation w1 | grep -o 'StartTime=[^ ]* EndTime=[^ ]*\\|Flags=[^ ]*\\|Comment=.*'",
     "StartTime=2030-01-01T08:00:00 EndTime=2030-01-01T10:00:00 Flags=MAINT,SPEC_NODES Comment=it's new"},
    {PROVED_WINDOW_UPDATE, NO_WINDOW "; " WINDOW "; id=0", "windows change w1 start=2030-01-02T08:00", NULL,
     NULL, "scontrol show reservation w1 | grep -o 'StartTime=[^ ]* EndTime=[^ ]*\\|Comment=.*'",
     "StartTime=2030-01-02T08:00:00 EndTime=2030-01-02T10:00:00 Comment=old fans"},
    {PROVED_WINDOW_DELETE, NO_WINDOW "; " WINDOW "; id=0", "windows delete w1", "delete the window", "y",
     "scontrol show reservation w1 2>&1 | grep -c StartTime", "0"},
    {PROVED_SUBMIT,
     NONE_CALLED("it.sh") "printf '#!/bin/sh\\n#SBATCH --begin=now+1day\\necho \"it'\"'\"'s $HOME\" "
                          "EOF\\nEOF\\n' >$STOKER_HOME/it.sh; "
                          "id=last",
     "submit %h/it.sh", "it.sh", "\033[21~",
     "scontrol write batch_script $(squeue -h -o %%A | sort -n | tail -1) - | sed -n 3,4p | tr '\\n' ' '; "
     "squeue -h -n it.sh -o %%j | tail -1",
     "echo \"it's $HOME\" EOF EOF it.sh"},
    {PROVED_SUBMIT_STEPS,
     NONE_CALLED("it") "echo 'time = \"31m\"; steps = ( { name = \"a\"; command = \"sleep 1000\"; tasks = "
                       "3; cpus = 1; } );' "
                       ">$STOKER_HOME/it.job; id=last",
     "submit %h/it.job", "it.job", "\033[21~", "squeue -h -n it -o %%j/%%l", "it/31:00"},
};

#define N_ROWS (sizeof rows / sizeof rows[0])

/* format with each %s as the number and each %h as the folder of the cluster. Heap. */
static char *filled(const char *format, const char *id)
{
    struct str s = STR_INIT;
    for (; *format; format++) {
        if (str_starts(format, "%s") || str_starts(format, "%h"))
            str_append(&s, *++format == 's' ? id : getenv("STOKER_HOME"));
        else if (str_starts(format, "%%"))
            str_append_char(&s, *++format);
        else
            str_append_char(&s, *format);
    }
    return str_take(&s);
}

/* What a shell's command prints, its lines joined by blanks. Heap. */
static char *output_of(const char *command)
{
    struct str s = STR_INIT;
    FILE *f = popen(command, "r");
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        str_append_char(&s, c == '\n' ? ' ' : (char)c);
    pclose(f);
    while (s.len && s.s[s.len - 1] == ' ')
        str_truncate(&s, s.len - 1);
    return str_take(&s);
}

static char *set_up_row(const struct row *r)
{
    char *command = xasprintf("%s; echo $id", r->setup), *id = output_of(command);
    free(command);
    return id;
}

/* The command's columns of a CSV file of the list: the newest line. Heap. */
static char *newest_line(const char *path)
{
    char *text = file_text(path);
    struct str s = STR_INIT;
    if (!text)
        fail_msg("%s is not there", path);
    const char *at = strchr(text, '\n');
    at = at ? strchr(at, ',') : NULL;
    assert_non_null(at);
    bool quoted = *++at == '"';
    for (at += quoted; *at; at++) {
        if (quoted && *at == '"' && at[1] != '"')
            break;
        if (!quoted && (*at == ',' || *at == '\n'))
            break;
        at += quoted && *at == '"';
        str_append_char(&s, *at);
    }
    free(text);
    return str_take(&s);
}

static char *with_number(const char *line, const char *from, const char *to)
{
    struct str s = STR_INIT;
    size_t n = strlen(from);
    for (; *line; line++)
        if (n && str_starts(line, from) && (line[n] < '0' || line[n] > '9')) {
            str_append(&s, to);
            line += n - 1;
        } else {
            str_append_char(&s, *line);
        }
    return str_take(&s);
}

/* The program on the terminal is read meanwhile: it would stop where a picture is larger than what the
 * kernel keeps for a terminal, before it sends anything. */
static void await_probe(struct tty *t, const struct row *r, const char *id, const char *how)
{
    char *command = filled(r->probe, id), *got = NULL;
    int64_t until = tty_now_ms() + 30000;
    do {
        free(got);
        tty_read_all(t);
        got = output_of(command);
    } while (!str_eq(got, r->want) && tty_now_ms() < until);
    if (!str_eq(got, r->want))
        fail_msg("%s: \"%s\" gives \"%s\", not \"%s\"", how, command, got, r->want);
    free(got);
    free(command);
}

static void type_command(struct tty *t, const char *line)
{
    tty_type(t, ":");
    tty_await(t, "[JOB...]"); /* among what can be typed; the footer has no such text */
    tty_type(t, line);
    tty_await(t, line);
    tty_type(t, "\r");
}

static void do_on_screen(struct tty *t, const struct row *r, const char *id)
{
    char *line = filled(r->keys, id);
    type_command(t, line);
    if (r->question)
        tty_await(t, r->question);
    if (r->proves == PROVED_SUBMIT || r->proves == PROVED_SUBMIT_STEPS)
        tty_await_quiet(t, 500); /* the form has been checked */
    if (r->answer)
        tty_type(t, r->answer);
    free(line);
}

static void lines_do_the_same(void **state)
{
    struct tty *t = *state;
    bool proved[PROVED_N] = {[PROVED_NODE_QUOTED] = true}; /* as NODE */
    tty_resize(t, 60, 250); /* a picture does not fit into what the kernel keeps */
    tty_await(t, "live");
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct row *r = &rows[i];
        char *id = set_up_row(r), *path = xasprintf("%s/log-%zu.csv", getenv("STOKER_HOME"), i);
        if (str_eq(id, "last") || str_eq(id, "0"))
            tty_await_quiet(t, 300);
        else
            tty_await(t, id);
        do_on_screen(t, r, id);
        await_probe(t, r, id, r->keys);
        tty_await_quiet(t, 300); /* the answer has come as well */
        tty_type(t, "@");
        tty_await(t, "Command lines");
        char *export = xasprintf("export %s", path);
        type_command(t, export);
        tty_await(t, "written to");
        tty_type(t, "q");
        tty_await_gone(t, "Command lines");
        char *line = newest_line(path), *again = set_up_row(r), *other = with_number(line, id, again);
        if (!str_starts(line, begins[r->proves]))
            fail_msg("%s: the line is \"%s\"", r->keys, line);
        if (tty_run(other) != 0)
            fail_msg("%s: \"%s\" fails", r->keys, other);
        await_probe(t, r, again, other);
        proved[r->proves] = true;
        free(id);
        free(path);
        free(export);
        free(line);
        free(again);
        free(other);
    }
    for (int p = 0; p < PROVED_N; p++)
        if (!proved[p])
            fail_msg("no row has \"%s\"", begins[p]);
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TTY_CASE(lines_do_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
