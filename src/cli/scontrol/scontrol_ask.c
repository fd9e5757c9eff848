/* scontrol_ask.c - what all of scontrol asks the controller with. */
#include <stdio.h>

#include "src/cli/scontrol/scontrol_ask.h"

struct client *scontrol_client(struct scontrol *s, const char **ret_text)
{
    if (!s->client)
        s->client = ask_connect_slurm(s->cli, ret_text);
    return s->client;
}

int scontrol_failed(const struct scontrol *s, const char *what, const char *text)
{
    if (!s->quiet)
        fprintf(stderr, "%s error: %s\n", what, text);
    return 1;
}

void scontrol_say_why(const struct scontrol *s, enum refusal refusal, const struct errtext *err)
{
    bool vague = refusal == REFUSAL_BAD_REQUEST || refusal == REFUSAL_NOT_SUPPORTED;
    if (!s->quiet && vague && !str_eq(err->s, refusal_slurm(refusal)))
        cli_error(s->cli, "%s", err->s);
}

int scontrol_request(struct scontrol *s, enum msg_kind kind, const void *body, const char *what)
{
    const char *text = NULL;
    struct client *c = scontrol_client(s, &text);
    struct errtext err = {0};
    enum refusal refusal = REFUSAL_NONE;
    void *r = c ? ask_call(c, kind, body, MSG_RESULT, &refusal, &err) : NULL;
    if (r) {
        msg_free(MSG_RESULT, r);
        return 0;
    }
    if (c && refusal == REFUSAL_BAD_REQUEST && !str_is_empty(err.s)) {
        text = err.s; /* Slurm has no words for it but "Unspecified error" */
    } else if (c) {
        scontrol_say_why(s, refusal, &err);
        text = refusal == REFUSAL_NONE ? SLURM_TIMEOUT : refusal_slurm(refusal);
    }
    return scontrol_failed(s, what, text);
}

int scontrol_fetch(struct scontrol *s, struct msg_get *get, struct model *m, const char *what)
{
    const char *text = NULL;
    struct client *c = scontrol_client(s, &text);
    model_init(m);
    if (c && client_fetch(c, get, m, NULL) < 0)
        text = SLURM_TIMEOUT;
    return text ? scontrol_failed(s, what, text) : 0;
}
