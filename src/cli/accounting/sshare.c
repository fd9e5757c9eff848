/* sshare.c - the shares and the usage of accounts and users, as Slurm's sshare prints them.
 *
 * Source of options, field names and widths: sshare(1). GPUHours, Running and GPUs are our own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/jobfilter.h"
#include "src/cli/listing/format.h"
#include "src/lang/lang.h"
#include "src/record/json.h"
#include "src/values/units.h"

#define FIELDS_DEFAULT "Account,User,RawShares,NormShares,RawUsage,EffectvUsage,FairShare"
#define FIELDS_LONG                                                                                          \
    "Account,User,RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare,LevelFS,GPUHours,Running," \
    "GPUs"

enum parsable { PARSABLE_NO, PARSABLE_ENDING, PARSABLE_NO_ENDING };

struct sshare {
    struct job_filter filter; /* users, accounts */
    struct strv unknown_users;
    char *fields;
    bool all, long_form, no_header, users_only, json, list_fields;
    enum parsable parsable;
};

/* --- fields --- */

struct field {
    const char *name;
    int width; /* negative: text begins at the left */
    void (*get)(struct str *out, const struct share_row *r);
};

static void get_account(struct str *out, const struct share_row *r)
{
    for (uint32_t i = 0; i < r->level; i++)
        str_append_char(out, ' ');
    text_append_foreign(out, r->account, "");
}

static void get_user(struct str *out, const struct share_row *r)
{
    text_append_foreign(out, r->user, "");
}

/* The root has no shares of anything. */
static void get_raw_shares(struct str *out, const struct share_row *r)
{
    if (r->level)
        str_appendf(out, "%u", r->raw_shares);
}

static void get_norm_shares(struct str *out, const struct share_row *r)
{
    str_appendf(out, "%f", r->level ? r->norm_shares : 0.0);
}

static void get_raw_usage(struct str *out, const struct share_row *r)
{
    str_appendf(out, "%.0f", r->raw_usage);
}

static void get_norm_usage(struct str *out, const struct share_row *r)
{
    str_appendf(out, "%f", r->norm_usage);
}

static void get_effective(struct str *out, const struct share_row *r)
{
    str_appendf(out, "%f", r->effective_usage);
}

static void get_fairshare(struct str *out, const struct share_row *r)
{
    if (r->user)
        str_appendf(out, "%f", r->fairshare);
}

static void get_level_fs(struct str *out, const struct share_row *r)
{
    if (!r->level)
        return;
    if (r->level_fs < 0)
        str_append(out, "inf");
    else
        str_appendf(out, "%f", r->level_fs);
}

static void get_gpu_hours(struct str *out, const struct share_row *r)
{
    str_appendf(out, "%.2f", r->gpu_hours);
}

static void get_preempted(struct str *out, const struct share_row *r)
{
    str_appendf(out, "%.2f", r->preempted_gpu_hours);
}

static void get_running(struct str *out, const struct share_row *r)
{
    str_appendf(out, "%.0f", r->running);
}

static void get_gpus(struct str *out, const struct share_row *r)
{
    str_appendf(out, "%u", r->gpus_now);
}

static const struct field fields[] = {
    /* clang-format off */
    {"Account",      -20, get_account},
    {"EffectvUsage",  13, get_effective},
    {"FairShare",     10, get_fairshare},
    {"GPUHours",      11, get_gpu_hours},
    {"GPUs",           6, get_gpus},
    {"LevelFS",       10, get_level_fs},
    {"NormShares",    11, get_norm_shares},
    {"NormUsage",     11, get_norm_usage},
    {"PreemptedGPUHours", 17, get_preempted},
    {"RawShares",     10, get_raw_shares},
    {"RawUsage",      11, get_raw_usage},
    {"Running",       11, get_running},
    {"User",          10, get_user},
    /* clang-format on */
};

struct chosen {
    VEC(struct field) v;
};

static const struct field *find_field(const char *word, size_t n)
{
    for (size_t i = 0; n && i < sizeof fields / sizeof fields[0]; i++)
        if (strncasecmp(fields[i].name, word, n) == 0) /* a beginning will do */
            return &fields[i];
    return NULL;
}

/* "Account%30,User": a width behind the name, negative for the left. */
static int choose(struct chosen *c, const char *spec, struct errtext *err)
{
    struct strv words = strv_split(spec, ",");
    int rc = 0;
    for (size_t i = 0; i < words.n && rc == 0; i++) {
        const char *word = str_trim(words.v[i]), *percent = strchr(word, '%');
        const struct field *f = find_field(word, percent ? (size_t)(percent - word) : strlen(word));
        int64_t width = f ? f->width : 0;
        if (!f)
            rc = err_set(err, -EINVAL, "Invalid field requested: \"%s\"", word);
        else if (percent && int_parse(percent + 1, -1000, 1000, &width, NULL) < 0)
            rc = err_set(err, -EINVAL, "Invalid width of a field: \"%s\"", word);
        if (rc == 0) {
            struct field with = *f;
            with.width = (int)(percent && f->width < 0 && width > 0 ? -width : width);
            vec_push(&c->v, with);
        }
    }
    strv_fini(&words);
    return rc;
}

/* --- options --- */

enum {
    O_CLUSTERS = 1,
    O_FORMAT,
    O_PARSABLE,
    O_PARSABLE2,
    O_USERS,
    O_IGNORED,
};

static const struct opt table[] = {
    /* clang-format off */
    {OPT_NAMES(struct sshare, filter.accounts), .name = "accounts", .letter = 'A', .meta = "LIST", .help = "these accounts"},
    {OPT_SETS(struct sshare, all), .name = "all", .letter = 'a', .help = "all users"},
    {.id = O_CLUSTERS, .name = "clusters", .letter = 'M', .arg = OPT_REQUIRED, .meta = "NAME", .help = "of this cluster: there is one"},
    {.id = O_CLUSTERS, .name = "cluster", .arg = OPT_REQUIRED},
    {.id = O_FORMAT, .name = "format", .letter = 'o', .arg = OPT_REQUIRED, .meta = "FIELDS", .help = "what to print, as NAME[%[-]WIDTH],..."},
    {OPT_SETS(struct sshare, list_fields), .name = "helpformat", .letter = 'e', .help = "the names that --format takes"},
    {OPT_SETS(struct sshare, json), .name = "json", .help = "print JSON"},
    {OPT_SETS(struct sshare, long_form), .name = "long", .letter = 'l', .help = "more fields"},
    {OPT_SETS(struct sshare, no_header), .name = "noheader", .letter = 'n', .help = "no header line"},
    {.id = O_PARSABLE, .name = "parsable", .letter = 'p', .help = "'|' behind each field"},
    {.id = O_PARSABLE2, .name = "parsable2", .letter = 'P', .help = "'|' between fields"},
    {.id = O_USERS, .name = "users", .letter = 'u', .arg = OPT_REQUIRED, .meta = "LIST", .help = "these users instead of yourself"},
    {.id = O_USERS, .name = "user", .arg = OPT_REQUIRED},
    {OPT_SETS(struct sshare, users_only), .name = "Users", .letter = 'U', .help = "users alone, no accounts"},
    {.id = O_IGNORED, .name = "verbose", .letter = 'v'},
    /* clang-format on */
};

static int sshare_set(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct sshare *s = ctx;
    (void)err;
    switch (o->id) {
    case O_FORMAT: xstrset(&s->fields, arg); return 0;
    case O_PARSABLE: s->parsable = PARSABLE_ENDING; return 0;
    case O_PARSABLE2: s->parsable = PARSABLE_NO_ENDING; return 0;
    case O_USERS: filter_set_users(&s->filter, arg, &s->unknown_users); return 0;
    default: return 0;
    }
}

static const struct opts options = OPTS(table, sshare_set);

/* --- printing --- */

static void sshare_append_cell(const struct sshare *s, struct str *out, size_t at, const struct field *f,
                               bool right, bool last)
{
    if (s->parsable == PARSABLE_NO) {
        format_fit(out, at, abs(f->width), right);
        str_append_char(out, ' ');
    } else if (!last || s->parsable == PARSABLE_ENDING) {
        str_append_char(out, '|');
    }
}

static void append_header(const struct sshare *s, struct str *out, const struct chosen *c)
{
    vec_for_each (&c->v, i) {
        size_t at = out->len;
        str_append(out, c->v.v[i].name);
        sshare_append_cell(s, out, at, &c->v.v[i], c->v.v[i].width > 0, i + 1 == c->v.n);
    }
    str_append_char(out, '\n');
    if (s->parsable != PARSABLE_NO)
        return;
    vec_for_each (&c->v, i) {
        for (int k = 0; k < abs(c->v.v[i].width); k++)
            str_append_char(out, '-');
        str_append_char(out, ' ');
    }
    str_append_char(out, '\n');
}

static void append_row(const struct sshare *s, struct str *out, const struct chosen *c,
                       const struct share_row *r)
{
    vec_for_each (&c->v, i) {
        size_t at = out->len;
        c->v.v[i].get(out, r);
        sshare_append_cell(s, out, at, &c->v.v[i], c->v.v[i].width > 0, i + 1 == c->v.n);
    }
    str_append_char(out, '\n');
}

static void append_json(const struct sshare *s, struct str *out, const struct msg_shares_rows *rows)
{
    json_begin_document(out, 1);
    json_key(out, "weights");
    rec_to_json(&priority_spec_rec, &rows->weights, out);
    json_begin_array(out, "shares");
    for (size_t i = 0; i < rows->rows.n; i++) {
        if (s->users_only && !rows->rows.v[i].user)
            continue;
        rec_to_json(&share_row_rec, &rows->rows.v[i], out);
    }
    json_end_array(out);
    json_end_document(out);
}

static void sshare_print(const struct sshare *s, const struct chosen *c, const struct msg_shares_rows *rows)
{
    struct str out = STR_INIT;
    if (s->json) {
        append_json(s, &out, rows);
    } else {
        if (!s->no_header)
            append_header(s, &out, c);
        for (size_t i = 0; i < rows->rows.n; i++)
            if (!s->users_only || rows->rows.v[i].user)
                append_row(s, &out, c, &rows->rows.v[i]);
    }
    out_flush(&out);
    str_fini(&out);
}

/* --- asking --- */

static int sshare_ask_rows(const struct sshare *s, const struct cli *cli, struct client *c,
                           struct msg_shares_rows *all)
{
    struct msg_shares m = {.accounts = s->filter.accounts};
    struct errtext err = {0};
    if (!s->all)
        m.users = s->filter.users;
    do {
        enum refusal refusal = REFUSAL_NONE;
        struct msg_shares_rows *piece = ask_call(c, MSG_SHARES, &m, MSG_SHARES_ROWS, &refusal, &err);
        if (!piece) {
            cli_error(cli, "Couldn't get shares from controller: %s", *err.s ? err.s : SLURM_TIMEOUT);
            return 1;
        }
        for (size_t i = 0; i < piece->rows.n; i++) {
            *rec_list_push(&all->rows) = piece->rows.v[i];
            piece->rows.v[i] = (struct share_row){0};
        }
        all->more = piece->more;
        all->weights = piece->weights;
        m.skip += (uint32_t)piece->rows.n;
        msg_free(MSG_SHARES_ROWS, piece);
    } while (all->more);
    return 0;
}

static int sshare_show(const struct sshare *s, const struct cli *cli)
{
    struct chosen c = {.v = VEC_INIT};
    struct msg_shares_rows rows = {0};
    struct errtext err = {0};
    const char *away = NULL;
    int rc = choose(&c, s->fields ? s->fields : s->long_form ? FIELDS_LONG : FIELDS_DEFAULT, &err) < 0;
    struct client *client = NULL;
    if (rc) {
        cli_error(cli, "%s", err.s);
    } else if (!(client = ask_connect_slurm(cli, &away))) {
        cli_error(cli, "%s", away);
        rc = 1;
    } else {
        rc = sshare_ask_rows(s, cli, client, &rows);
    }
    if (rc == 0)
        sshare_print(s, &c, &rows);
    client_free(client);
    vec_fini(&c.v);
    rec_fini(&msg_shares_rows_rec, &rows);
    return rc;
}

static int sshare_run(struct cli *cli, int argc, char **argv)
{
    struct sshare s = {.fields = NULL};
    struct strv operands = {0};
    int rc = 0;
    bool go = cli_parse(cli, &s, argc, argv, 0, &operands, &rc);
    if (go && operands.n) {
        cli_error(cli, "Unrecognized option: %s", operands.v[0]);
        rc = 1;
    }
    for (size_t i = 0; go && i < s.unknown_users.n; i++) {
        cli_error(cli, "Invalid user: %s", s.unknown_users.v[i]);
        rc = 1;
    }
    if (!s.filter.by_user && !s.filter.accounts.n) /* yourself; of chosen accounts all users */
        filter_set_user_me(&s.filter);
    filter_name_uids(&s.filter);
    if (go && rc == 0 && s.list_fields) {
        for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
            printf("%s%s", fields[i].name,
                   (i + 1) % 5 && i + 1 < sizeof fields / sizeof fields[0] ? " " : "\n");
    } else if (go && rc == 0) {
        rc = sshare_show(&s, cli);
    }
    job_filter_fini(&s.filter);
    strv_fini(&s.unknown_users);
    strv_fini(&operands);
    free(s.fields);
    return rc;
}

const struct command cmd_sshare = {
    .name = "sshare",
    .summary = N_("Show shares and what has been used of them"),
    .usage = "[OPTIONS]",
    .options = &options,
    .slurm = true,
    .run = sshare_run,
};
