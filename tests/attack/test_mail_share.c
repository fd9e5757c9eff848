/* test_mail_share.c - one user causes more mails, to any address, than may wait for the mail program: the
 * mails of all other users were dropped. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/attack.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define MAILS   1200 /* more than 1,000 may wait */
#define BETWEEN 20   /* mails of the attacker before the victim's, of which four are with the program */

static char *mails, *go;

/* A job that is held and cancelled: its end is a mail. */
static uint32_t submit_held(struct client *c, const char *mail_user)
{
    char *id = client_request_id();
    struct msg_submit m = submission(JOB_KIND_BATCH, id);
    m.hold = true;
    struct job_req_rare *rare = req_rare_mut(&m.req);
    rare->mail_type = xstrdup("END");
    rare->mail_user = mail_user ? xstrdup(mail_user) : NULL;
    uint32_t job = ask_submit(c, &m).job;
    free(id);
    return job;
}

static void cancel(struct client *c, uint32_t first, uint32_t last)
{
    struct msg_act m = {.act = ACT_CANCEL};
    for (uint32_t job = first; job <= last; job++)
        *(struct job_target *)rec_list_push(&m.targets) =
            (struct job_target){.job = job, .array_index = ARRAY_NONE, .step = STEP_ALL};
    struct answer a = ask(c, MSG_ACT, &m);
    attack_expect(&a, REFUSAL_NONE, "");
    rec_fini(&msg_act_rec, &m);
}

static void sends_many_mails(void)
{
    struct client *c = cluster_connect();
    uint32_t first = submit_held(c, "flood@example.org"), last = first;
    for (int i = 1; i < MAILS; i++)
        last = submit_held(c, "flood@example.org");
    cancel(c, first, last);
}

static void sends_one_mail(void)
{
    struct client *c = cluster_connect();
    uint32_t job = submit_held(c, "victim@example.org");
    cancel(c, job, job);
}

static char sent[1 << 16]; /* what the program has been told, to the victim's mail at least */

static bool is_told(void *unused)
{
    (void)unused;
    FILE *f = fopen(mails, "r");
    size_t n = f ? fread(sent, 1, sizeof sent - 1, f) : 0;
    sent[n] = '\0';
    if (f)
        fclose(f);
    return strstr(sent, "victim@example.org") != NULL;
}

static void mails_of_others_are_sent(void **unused)
{
    (void)unused;
    const char *dir = getenv("TMPDIR");
    char *lines, *program = xasprintf("%s/mail", dir);
    mails = xasprintf("%s/mails", dir);
    go = xasprintf("%s/go", dir);
    FILE *f = fopen(program, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\necho \"$3\" >>%s\nuntil [ -e %s ]; do sleep 0.05; done\n", mails, go);
    fclose(f);
    assert_int_equal(chmod(program, 0755), 0);
    lines = xasprintf("mail_program = \"%s\";\nuser_requests = 100000;\nmax_user_jobs = 10000;", program);
    pid_t controller = attack_start(lines);
    struct attacker a = attack_as("nobody", sends_many_mails);
    attack_await_done(&a);
    attack_end(&a);
    a = attack_as("daemon", sends_one_mail);
    attack_await_done(&a);
    attack_end(&a);
    f = fopen(go, "w");
    assert_non_null(f);
    fclose(f);
    assert_true(cluster_eventually(WITHIN_MS, 20, is_told, NULL));
    size_t before = 0;
    for (const char *p = sent; p < strstr(sent, "victim"); p++)
        before += *p == '\n';
    assert_in_range(before, 0, BETWEEN);
    cluster_stop(controller);
    free(lines);
    free(program);
    free(mails);
    free(go);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mails_of_others_are_sent)};
    return cmocka_run_group_tests_name("mails", tests, attack_set_up, NULL);
}
