/* doctor.c - stoker doctor: is everything as it must be, and what to do where it is not. */
#include "src/cli/setup/doctor_checks.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/listing/texttable.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/record/json.h"
#include "src/values/units.h"

#define SKEW_WARN_MS     2000
#define ROOM_WARN_TENTHS 8                    /* of the disk or the memory are taken */
#define ROOM_PLENTY      (UINT64_C(10) << 30) /* bytes: a disk with more left is not warned of */
#define COMMIT_WARN_US   100000

struct doctor_options {
    bool json;
};

static const struct opt table[] = {
    {OPT_SETS(struct doctor_options, json), .name = "json", .help = N_("print JSON")}};

static const struct opts options = OPTS(table, NULL);

static void doctor_fini(struct doctor *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->checks[i].text);
        free(d->checks[i].cure);
    }
    free(d->checks);
    client_free(d->client);
    paths_fini(&d->paths);
}

/* --- the controller --- */

static void check_answer(struct doctor *d)
{
    const struct msg_welcome *w = client_welcome(d->client);
    int64_t skew = wall_read().ms - w->now.ms;
    if (w->read_only)
        doctor_add(d, N_("controller"), CHECK_FAIL, tr("cure what it says; it goes on by itself"),
                   tr("it accepts nothing: %s"), w->read_only);
    else
        doctor_add(d, N_("controller"), CHECK_OK, NULL,
                   w->admin ? tr("cluster %s answers on %s (process %u, you are an administrator)")
                            : tr("cluster %s answers on %s (process %u, you are a user)"),
                   w->name ? w->name : "?", w->host ? w->host : "?", w->pid);
    char *cure = xasprintf(tr("%s, once the same version is installed everywhere"),
                           paths_restart_command(&d->paths));
    if (str_eq(w->release, STOKER_VERSION))
        doctor_add(d, N_("version"), CHECK_OK, NULL, "%s", STOKER_VERSION);
    else
        doctor_add(d, N_("version"), CHECK_WARN, cure, tr("the controller is %s, this command %s"),
                   w->release ? w->release : "?", STOKER_VERSION);
    free(cure);
    if (skew > SKEW_WARN_MS || skew < -SKEW_WARN_MS)
        doctor_add(d, N_("clocks"), CHECK_WARN, tr("synchronise the clocks"),
                   skew < 0 ? tr("this machine's clock is %.1f s behind the controller's")
                            : tr("this machine's clock is %.1f s ahead of the controller's"),
                   (double)(skew < 0 ? -skew : skew) / 1000);
}

/* What the controller has of memory and disk; users' shares are sdiag's. */
static void check_room(struct doctor *d, const struct msg_stats *s)
{
    char left[UNITS_TEXT_SIZE], all[UNITS_TEXT_SIZE];
    bool much = s->disk_left < s->disk_all / 10 * (10 - ROOM_WARN_TENTHS) && s->disk_left < ROOM_PLENTY;
    bool told = doctor_has_check(d, DOCTOR_DISK_SPACE); /* of the same disk, as this machine has it */
    if (s->disk_all && (s->short_of_disk || much || !told)) {
        mem_format_words(s->disk_left >> 10, left);
        mem_format_words(s->disk_all >> 10, all);
        doctor_add(
            d, N_("disk of the state"),
            s->short_of_disk ? CHECK_FAIL
            : much           ? CHECK_WARN
                             : CHECK_OK,
            s->short_of_disk || much
                ? tr("free disk, or delete old jobs with history_keep; sdiag shows which users take it")
                : NULL,
            s->short_of_disk ? tr("%s of %s left: jobs can only be cancelled") : tr("%s of %s left"), left,
            all);
    }
    mem_format_words(s->rss_kib, left);
    mem_format_words(s->memory_most_kib, all);
    if (s->memory_most_kib && s->rss_kib > s->memory_most_kib / 10 * ROOM_WARN_TENTHS)
        doctor_add(d, N_("memory of the controller"), s->short_of_memory ? CHECK_FAIL : CHECK_WARN,
                   tr("give it more (MemoryMax of its service); sdiag shows which users take it"),
                   s->short_of_memory ? tr("it takes %s of %s: jobs can only be cancelled")
                                      : tr("it takes %s of %s"),
                   left, all);
}

static void check_stats(struct doctor *d)
{
    struct errtext err = {0};
    enum refusal refusal;
    struct msg_stats *s = ask_call(d->client, MSG_STATS, NULL, MSG_STATS_DATA, &refusal, &err);
    if (!s) {
        doctor_add(d, N_("database"), CHECK_FAIL, tr("look into the controller's log"), "%s", err.s);
        return;
    }
    char size[UNITS_TEXT_SIZE];
    mem_format_words(s->db_bytes >> 10, size);
    uint64_t mean = s->commits ? s->commit_us_sum / s->commits : 0;
    enum check_status status = mean > COMMIT_WARN_US ? CHECK_WARN : CHECK_OK;
    doctor_add(d, N_("database"), status, status == CHECK_OK ? NULL : tr("keep the state on a faster disk"),
               tr("%s, %llu commits, %.1f ms each, %.1f ms at worst"), size, (unsigned long long)s->commits,
               (double)mean / 1000, (double)s->commit_us_max / 1000);
    check_room(d, s);
    msg_free(MSG_STATS_DATA, s);
}

/* The controller and what it knows. */
static void check_controller(struct doctor *d)
{
    if (!d->client) {
        doctor_add(d, N_("controller"), CHECK_FAIL, paths_start_command(&d->paths), "%s", d->away.s);
        return;
    }
    check_answer(d);
    check_stats(d);
    doctor_check_cluster(d);
}

/* --- the report --- */

static const char *const status_texts[] = {
    [CHECK_OK] = N_("ok"), [CHECK_WARN] = N_("warn"), [CHECK_FAIL] = N_("fail")};

static int doctor_wider(int width, const char *text)
{
    int w = cell_width(text);
    return w > width ? w : width;
}

static void print_report(const struct doctor *d, struct str *out)
{
    static const enum tone tones[] = {
        [CHECK_OK] = TONE_GOOD, [CHECK_WARN] = TONE_WAIT, [CHECK_FAIL] = TONE_BAD};
    bool color = color_is_welcome();
    int of_status = 0, of_name = 14;
    for (size_t i = 0; i < sizeof status_texts / sizeof status_texts[0]; i++)
        of_status = doctor_wider(of_status, tr(status_texts[i]));
    for (size_t i = 0; i < d->n; i++)
        of_name = doctor_wider(of_name, tr(d->checks[i].name));
    for (size_t i = 0; i < d->n; i++) {
        const struct doctor_check *c = &d->checks[i];
        const char *status = tr(status_texts[c->status]), *name = tr(c->name);
        str_appendf(out, "%s%s%s%*s  %s%*s  ", tone_on(tones[c->status], color), status,
                    tone_off(tones[c->status], color), of_status - cell_width(status), "", name,
                    of_name - cell_width(name), "");
        cell_text(out, c->text, -1, false, false);
        str_append_char(out, '\n');
        if (c->cure) {
            str_appendf(out, "%*s-> ", of_status + of_name + 4, "");
            cell_text(out, c->cure, -1, false, false);
            str_append_char(out, '\n');
        }
    }
}

static void report_json(const struct doctor *d, bool ok, struct str *out)
{
    json_begin_document(out, 1);
    json_bool(out, "ok", ok);
    json_begin_array(out, "checks");
    for (size_t i = 0; i < d->n; i++) {
        const struct doctor_check *c = &d->checks[i];
        json_begin_object(out, NULL);
        json_text(out, "name", c->name);
        json_text(out, "status", status_texts[c->status]);
        json_text(out, "text", c->text);
        json_text_or_null(out, "cure", c->cure);
        json_end_object(out);
    }
    json_end_array(out);
    json_end_document(out);
}

static int doctor_run(struct cli *cli, int argc, char **argv)
{
    struct doctor_options x = {0};
    struct doctor d = {.n = 0};
    struct str out = STR_INIT;
    int rc = 0;
    if (!cli_parse(cli, &x, argc, argv, 0, NULL, &rc))
        return rc;
    if (x.json)
        lang_pause();
    paths_find(&d.paths);
    if (client_connect(cli->cmd->name, 0, &d.client, &d.away) < 0)
        d.client = NULL;
    doctor_check_machine(&d);
    doctor_check_nodes(&d);
    check_controller(&d);
    for (size_t i = 0; i < d.n; i++)
        rc |= d.checks[i].status == CHECK_FAIL;
    if (x.json)
        report_json(&d, rc == 0, &out);
    else
        print_report(&d, &out);
    out_flush(&out);
    str_fini(&out);
    doctor_fini(&d);
    return rc;
}

const struct command cmd_doctor = {
    .name = "doctor",
    .reach = REACH_HERE,
    .summary = N_("Check this machine, the controller and the nodes, and say what to do"),
    .usage = "[--json]",
    .options = &options,
    .run = doctor_run,
};
