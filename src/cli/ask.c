/* ask.c - talking to the controller, as every asking command does it. */
#include "src/cli/ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "src/lang/lang.h"

unsigned ask_flags(const struct cli *cli)
{
    return cli->cmd->slurm ? 0 : CLIENT_SLURM;
}

struct client *ask_connect(const struct cli *cli)
{
    struct errtext err = {0};
    struct client *c = NULL;
    if (client_connect(cli->name, ask_flags(cli), &c, &err) < 0)
        cli_error(cli, "%s", err.s);
    return c;
}

const char *ask_words_slurm(int rc)
{
    return rc == -ETIMEDOUT ? SLURM_TIMEOUT
           : rc == -EPROTO  ? "Incompatible versions of client and server code"
                            : SLURM_AWAY;
}

void ask_say_away(const struct cli *cli, int rc, const struct errtext *err)
{
    /* Programs that read Slurm's text get it as it is. */
    if ((rc == -ENOENT || rc == -ECONNREFUSED) && isatty(STDERR_FILENO))
        cli_say(cli, "%s", err->s);
}

struct client *ask_connect_slurm(const struct cli *cli, const char **ret_text)
{
    struct client *c = NULL;
    struct errtext err = {""};
    int rc = client_connect(cli->name, ask_flags(cli), &c, &err);
    if (rc < 0)
        *ret_text = ask_words_slurm(rc);
    ask_say_away(cli, rc, &err);
    return c;
}

int ask_fetch(const struct cli *cli, struct client *c, const struct msg_get *get, struct model *m)
{
    struct errtext err = {0};
    model_init(m);
    if (client_fetch(c, get, m, &err) == 0)
        return 0;
    cli_error(cli, "%s", err.s);
    return EXIT_AWAY;
}

void *ask_call(struct client *c, enum msg_kind kind, const void *body, enum msg_kind want,
               enum refusal *refusal, struct errtext *err)
{
    enum msg_kind got;
    void *answer = NULL;
    *refusal = REFUSAL_NONE;
    if (client_call(c, kind, body, &got, &answer, err) < 0)
        return NULL;
    const struct msg_result *r = answer;
    if (got == want && (got != MSG_RESULT || r->refusal == REFUSAL_NONE))
        return answer;
    if (got == MSG_RESULT) {
        *refusal = r->refusal < REFUSAL_N ? (enum refusal)r->refusal : REFUSAL_BAD_REQUEST;
        err_set(err, 0, "%s", str_is_empty(r->text) ? refusal_slurm(*refusal) : r->text);
    } else {
        err_set(err, 0, tr("the controller answers with %s"), msg_name(got));
    }
    msg_free(got, answer);
    return NULL;
}

int ask_failed(const struct cli *cli, enum refusal refusal, const struct errtext *err)
{
    cli_error(cli, "%s", err->s);
    return refusal == REFUSAL_NONE ? EXIT_AWAY : refusal_exit_code(refusal);
}

int ask_result(const struct cli *cli, struct client *c, enum msg_kind kind, const void *body,
               struct msg_result *ret)
{
    struct errtext err = {0};
    enum refusal refusal;
    struct msg_result *r = ask_call(c, kind, body, MSG_RESULT, &refusal, &err);
    if (!r)
        return ask_failed(cli, refusal, &err);
    if (ret)
        *ret = (struct msg_result){.job = r->job, .count = r->count};
    msg_free(MSG_RESULT, r);
    return 0;
}

bool out_flush(struct str *b)
{
    /* By way of stdio, so that main sees what went wrong and makes it the exit code. */
    bool ok = fwrite(b->s, 1, b->len, stdout) == b->len && fflush(stdout) == 0;
    str_clear(b);
    return ok;
}

unsigned terminal_width(void)
{
    struct winsize ws = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0)
        return 0;
    return ws.ws_col ? ws.ws_col : 80;
}

bool color_is_welcome(void)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0 && str_is_empty(no_color);
}
