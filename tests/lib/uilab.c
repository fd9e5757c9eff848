/* uilab.c - the screens in memory. */
#include "tests/lib/uilab.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/model/cluster_totals.h"
#include "src/model/touched.h"
#include "src/proto/codec.h"

#define SNAPSHOT_ROWS 128 /* in a frame, as the controller makes them */

static int keep_sent(void *ctx, enum msg_kind kind, const void *body, uint64_t *ret_tag)
{
    struct uilab *u = ctx;
    struct uilab_sent s = {.kind = kind, .tag = ++u->next_tag};
    if (body) {
        s.body = xcalloc(1, msg_rec(kind)->size);
        rec_copy(msg_rec(kind), s.body, body);
    }
    vec_push(&u->sent, s);
    *ret_tag = s.tag;
    return 0;
}

void uilab_init(struct uilab *u)
{
    setenv("PATH", "tests/screen/programs:/usr/bin:/bin", 1); /* of it the form says what is not there */
    setenv("TZ", "UTC", 1);
    tzset();
    *u = (struct uilab){.uid = 1000, .mono = {.ns = 1000 * NS_PER_S}};
    lab_init(&u->lab);
    theme_init(&u->theme, COLORS_TRUE);
    canvas_init(&u->canvas);
    str_init(&u->text);
    keymap_init(&u->options.keys);
    u->options.prefs = &u->prefs;
    u->options.cwd = "/home/alice/study";
    u->options.send = keep_sent;
    u->options.ctx = u;
}

void uilab_forget_sent(struct uilab *u)
{
    vec_for_each (&u->sent, i) {
        if (u->sent.v[i].body)
            rec_fini(msg_rec(u->sent.v[i].kind), u->sent.v[i].body);
        free(u->sent.v[i].body);
    }
    vec_clear(&u->sent);
}

void uilab_fini(struct uilab *u)
{
    app_free(u->app);
    prefs_fini(&u->prefs);
    uilab_forget_sent(u);
    vec_fini(&u->sent);
    lab_fini(&u->lab);
    canvas_fini(&u->canvas);
    str_fini(&u->text);
}

void uilab_open(struct uilab *u)
{
    u->app = app_new(&u->options);
    app_set_time(u->app, u->lab.now, u->mono);
}

void uilab_connect(struct uilab *u)
{
    char name[] = "lab", host[] = "login1", release[] = "0.1.0", cluster[] = "test";
    struct msg_welcome w = {.name = name,
                            .host = host,
                            .release = release,
                            .cluster = cluster,
                            .uid = u->uid,
                            .admin = !u->ordinary,
                            .engine = (char *)(uintptr_t)u->engine,
                            .lacks = u->lacks,
                            .now = u->lab.now};
    if (!u->app)
        uilab_open(u);
    follow_connected(u->app, &w);
    if (!uilab_snapshot(u))
        fail_msg("nothing was asked for");
}

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

void uilab_feed(struct uilab *u, enum msg_kind kind, uint64_t tag, const void *body)
{
    void *copy = xcalloc(1, msg_rec(kind)->size);
    if (body)
        rec_copy(msg_rec(kind), copy, body);
    struct incoming in = {.kind = kind, .tag = tag, .body = copy};
    app_set_time(u->app, u->lab.now, u->mono);
    double t0 = cpu_ms();
    app_feed(u->app, &in);
    u->fed_ms += cpu_ms() - t0;
    msg_free(kind, copy);
}

const struct uilab_sent *uilab_sent(const struct uilab *u, enum msg_kind kind)
{
    for (size_t i = u->sent.n; i-- > 0;)
        if (u->sent.v[i].kind == kind)
            return &u->sent.v[i];
    return NULL;
}

static void feed_rows(struct uilab *u, struct str *rows, uint32_t n)
{
    struct str body = STR_INIT;
    if (!n)
        return;
    codec_list_head(&body, n);
    str_append_n(&body, rows->s, rows->len);
    double t0 = cpu_ms();
    follow_feed_rows(u->app, body.s, body.len);
    u->fed_ms += cpu_ms() - t0;
    str_clear(rows);
    str_fini(&body);
}

/* As they come from the controller: bytes. */
static void feed_jobs(struct uilab *u)
{
    const struct codec_part all = {.members = UINT64_MAX};
    struct str rows = STR_INIT;
    uint32_t n = 0;
    list_for_each (j, &u->lab.m.all, struct job, in_all) {
        if (u->own && j->uid != u->uid)
            continue;
        codec_encode_part(&job_rec, j, &all, &rows);
        if (++n == SNAPSHOT_ROWS) {
            feed_rows(u, &rows, n);
            n = 0;
        }
    }
    feed_rows(u, &rows, n);
    str_fini(&rows);
}

static void feed_totals(struct uilab *u)
{
    struct cluster_totals t = model_totals(&u->lab.m, u->lab.now);
    uilab_feed(u, MSG_TOTALS, 0, &t);
}

static void feed_nodes(struct uilab *u, uint64_t tag)
{
    const struct model *m = &u->lab.m;
    struct msg_nodes nodes = {0};
    for (size_t i = 0; i < m->n_nodes; i++)
        rec_copy(&node_rec, rec_list_push(&nodes.rows), m->nodes[i]);
    uilab_feed(u, MSG_NODES, tag, &nodes);
    rec_fini(&msg_nodes_rec, &nodes);
}

bool uilab_snapshot(struct uilab *u)
{
    const struct uilab_sent *get = uilab_sent(u, MSG_GET);
    const struct model *m = &u->lab.m;
    if (!get)
        return false;
    uint64_t tag = get->tag;
    uint32_t what = ((const struct msg_get *)get->body)->what;
    u->own = ((const struct msg_get *)get->body)->own && !u->older;
    uilab_feed(u, MSG_SPEC, tag, &m->spec);
    if (!u->own)
        feed_nodes(u, tag);
    struct msg_windows windows = {0};
    for (size_t i = 0; i < m->windows.n; i++)
        rec_copy(&window_rec, rec_list_push(&windows.rows), &m->windows.v[i]);
    if (what & GET_WINDOWS)
        uilab_feed(u, MSG_WINDOWS, tag, &windows);
    rec_fini(&msg_windows_rec, &windows);
    feed_jobs(u);
    if (u->own)
        feed_totals(u);
    struct msg_snapshot end = {
        .seq = m->seq, .epoch = m->epoch, .next_job = m->next_job, .now = u->lab.now, .own = u->own};
    uilab_feed(u, MSG_SNAPSHOT, tag, &end);
    return true;
}

static void note_touched(void *touched, uint32_t job)
{
    struct idmap *ids = touched;
    idmap_set(ids, job, ids);
}

/* What a session that follows its own jobs is told of them. */
static void push_rows(struct uilab *u, const struct idmap *touched)
{
    struct ev_none none = {0};
    idmap_for_each (touched, id) {
        struct job *j = model_get_job(&u->lab.m, (uint32_t)id->id);
        struct event ev = {.seq = u->lab.m.seq,
                           .t = u->lab.now,
                           .kind = j ? EV_JOB_ROW : EV_JOB_GONE,
                           .job = (uint32_t)id->id,
                           .body = j ? (void *)j : &none};
        struct msg_event msg;
        if (j && j->uid != u->uid)
            continue;
        event_to_msg(&ev, &msg);
        uilab_feed(u, MSG_EVENT, 0, &msg);
        rec_fini(&msg_event_rec, &msg);
    }
    feed_totals(u);
}

void uilab_push(struct uilab *u, enum event_kind kind, uint32_t job, void *body)
{
    struct idmap touched = {0};
    struct msg_event msg;
    struct event ev = {.seq = u->lab.m.seq + 1,
                       .t = {.ms = u->lab.now.ms + MS_PER_S},
                       .kind = kind,
                       .job = job,
                       .body = body};
    event_to_msg(&ev, &msg);
    event_each_touched(&u->lab.m, &ev, note_touched, &touched);
    lab_must(&u->lab, kind, job, body);
    u->mono = mono_add_ms(u->mono, 1000);
    if (u->own)
        push_rows(u, &touched);
    else
        uilab_feed(u, MSG_EVENT, 0, &msg);
    rec_fini(&msg_event_rec, &msg);
    idmap_fini(&touched);
}

void uilab_result(struct uilab *u, enum msg_kind to, enum refusal refusal, const char *text, uint32_t count)
{
    const struct uilab_sent *s = uilab_sent(u, to);
    if (!s)
        fail_msg("no %s was sent", msg_name(to));
    char *copy = xstrdup(text);
    struct msg_result r = {.refusal = refusal, .text = copy, .count = count};
    uilab_feed(u, MSG_RESULT, s->tag, &r);
    free(copy);
}

void uilab_wait(struct uilab *u, int64_t ms)
{
    u->lab.now.ms += ms;
    u->mono = mono_add_ms(u->mono, ms);
    app_set_time(u->app, u->lab.now, u->mono);
    app_tick(u->app);
}

/* --- inputs --- */

bool uilab_next_key(const char **keys, struct input *ret)
{
    uint32_t key = 0;
    size_t len = utf8_decode(*keys, strlen(*keys), &key);
    const char *end = **keys == '<' ? strchr(*keys, '>') : NULL;
    if (!**keys)
        return false;
    if (end) {
        char *name = xstrndup(*keys + 1, (size_t)(end - *keys - 1));
        key = str_eq(name, "lt") ? '<' : key_parse(name);
        if (!key)
            fail_msg("'%s' is not a key", name);
        free(name);
        len = (size_t)(end - *keys) + 1;
    }
    *ret = input_key(key);
    *keys += len;
    return true;
}

void uilab_keys(struct uilab *u, const char *keys)
{
    struct input in;
    while (uilab_next_key(&keys, &in)) {
        app_set_time(u->app, u->lab.now, u->mono);
        app_input(u->app, &in);
        for (int i = 0; i < 10000 && app_work(u->app); i++)
            ;
    }
}

void uilab_paste(struct uilab *u, const char *text)
{
    struct input in = {.kind = INPUT_PASTE, .text = text};
    app_input(u->app, &in);
}

void uilab_mouse(struct uilab *u, enum mouse_what what, int y, int x)
{
    struct input in = {.kind = INPUT_MOUSE, .what = what, .y = y, .x = x};
    app_input(u->app, &in);
}

/* --- pictures --- */

void uilab_draw(struct uilab *u, int rows, int cols)
{
    canvas_resize(&u->canvas, rows, cols);
    app_draw(u->app, &u->canvas);
}

const char *uilab_text(struct uilab *u)
{
    str_clear(&u->text);
    for (int y = 0; y < u->canvas.rows; y++) {
        canvas_row_text(&u->canvas, y, &u->text);
        str_append_char(&u->text, '\n');
    }
    return u->text.s;
}

int uilab_find(struct uilab *u, const char *part)
{
    for (int y = 0; y < u->canvas.rows; y++) {
        str_clear(&u->text);
        canvas_row_text(&u->canvas, y, &u->text);
        if (strstr(u->text.s, part))
            return y;
    }
    return -1;
}

/* A letter for each look, in the order in which they come, and what the letters mean. */
static void looks(const struct uilab *u, struct str *out)
{
    static const char letters[] = ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    struct style seen[sizeof letters] = {{0}};
    size_t n = 1;
    for (int y = 0; y < u->canvas.rows; y++) {
        size_t keep = out->len;
        for (int x = 0; x < u->canvas.cols; x++) {
            const struct canvas_cell *cell = canvas_at(&u->canvas, y, x);
            uint32_t shown;
            struct style s = canvas_look(cell, &u->theme, &shown);
            size_t i = 0;
            while (i < n && memcmp(&seen[i], &s, sizeof s))
                i++;
            if (i == n && n < sizeof letters - 1)
                seen[n++] = s;
            str_append_char(out, letters[i]);
            if (i)
                keep = out->len;
        }
        str_truncate(out, keep);
        str_append_char(out, '\n');
    }
    for (size_t i = 1; i < n; i++) {
        str_appendf(out, "%c = ", letters[i]);
        style_format(seen[i], out);
        str_append_char(out, '\n');
    }
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    struct str s = STR_INIT;
    char buf[4096];
    size_t n;
    while (f && (n = fread(buf, 1, sizeof buf, f)) > 0)
        str_append_n(&s, buf, n);
    if (f)
        fclose(f);
    return str_take(&s);
}

static void compare_file(const char *path, const struct str *got)
{
    const char *update = getenv("UPDATE");
    if (update && *update) {
        FILE *f = fopen(path, "w");
        if (!f || fwrite(got->s, 1, got->len, f) != got->len || fclose(f))
            fail_msg("%s: %s", path, strerror(errno));
        return;
    }
    char *want = read_file(path);
    if (strcmp(want, got->s) != 0) {
        size_t i = 0, line = 1;
        for (; want[i] && want[i] == got->s[i]; i++)
            line += want[i] == '\n';
        printf("--- %s differs from line %zu on; now it is\n%s", path, line, got->s);
        fail_msg("%s differs in line %zu; UPDATE=1 takes it as it is now", path, line);
    }
    free(want);
}

void uilab_compare_golden(const char *name, int rows, int cols, const struct str *got)
{
    char *path = xasprintf("tests/screen/golden/%s-%dx%d.txt", name, cols, rows);
    compare_file(path, got);
    free(path);
}

static void picture_as_text(struct uilab *u, int rows, int cols, struct str *out)
{
    uilab_draw(u, rows, cols);
    str_append(out, uilab_text(u));
    str_append(out, "----\n");
    looks(u, out);
}

void uilab_golden(struct uilab *u, const char *name, int rows, int cols)
{
    struct str got = STR_INIT;
    picture_as_text(u, rows, cols, &got);
    uilab_compare_golden(name, rows, cols, &got);
    str_fini(&got);
}

void uilab_golden_in_all(struct uilab *u, const char *name, int rows, int cols)
{
    static const struct {
        int colors;
        const char *title;
    } others[] = {{0, "mono"}, {8, "8 colours"}};
    struct theme usual = u->theme;
    struct str got = STR_INIT;
    picture_as_text(u, rows, cols, &got);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        theme_init(&u->theme, others[i].colors);
        str_appendf(&got, "---- %s\n", others[i].title);
        looks(u, &got);
    }
    u->theme = usual;
    uilab_compare_golden(name, rows, cols, &got);
    str_fini(&got);
}

/* For the eye: each picture in all sizes and themes, as PICTURES/NAME-THEME-WxH.svg. */
static void picture_in_all(struct ui *app, struct canvas *c, const char *name, const char *dir)
{
    static const int sizes[][2] = {{24, 80}, {43, 132}, {50, 200}};
    static const char *const themes[] = {"dark", "light", "colourblind"};
    struct theme look;
    for (size_t i = 0; i < 9; i++) {
        struct str got = STR_INIT;
        struct errtext err = {""};
        char *theme = xasprintf("themes/%s.theme", themes[i / 3]);
        char *path =
            xasprintf("%s/%s-%s-%dx%d.svg", dir, name, themes[i / 3], sizes[i % 3][1], sizes[i % 3][0]);
        theme_init(&look, COLORS_TRUE);
        if (theme_load(&look, theme, &err) < 0)
            fail_msg("%s", err.s);
        canvas_resize(c, sizes[i % 3][0], sizes[i % 3][1]);
        app_draw(app, c);
        canvas_to_svg(c, &look, &got);
        FILE *f = fopen(path, "w");
        if (!f || fwrite(got.s, 1, got.len, f) != got.len || fclose(f))
            fail_msg("%s: %s", path, strerror(errno));
        free(path);
        free(theme);
        str_fini(&got);
    }
}

/* A picture of that size is there, whatever it shows; with UPDATE=1 it becomes this one. */
static void compare_size(const char *path, const struct str *got)
{
    const char *update = getenv("UPDATE"), *end = strchr(got->s, '>');
    if (update && *update) {
        compare_file(path, got);
        return;
    }
    char *want = read_file(path);
    if (!end || strncmp(want, got->s, (size_t)(end - got->s)) != 0)
        fail_msg("%s is not there or has another size; `make screens` takes it", path);
    free(want);
}

/* The texts of a row of a picture, between bars; *ret_digit: there are digits among them. */
static char *picture_row(const char *svg, int row, bool *ret_digit)
{
    struct str words = STR_INIT;
    char *y = xasprintf(" y=\"%d\" textLength", 23 + 18 * row);
    *ret_digit = false;
    for (const char *p = svg; (p = strstr(p, y));) {
        const char *from = strchr(p, '>') + 1, *to = strchr(from, '<');
        for (const char *k = from; k < to; k++)
            *ret_digit |= *k >= '0' && *k <= '9';
        str_append_n(&words, from, (size_t)(to - from));
        str_append_char(&words, '|');
        p = to;
    }
    free(y);
    return str_take(&words);
}

#define HEADINGS_ROW 3 /* of a list, below header and title */

/* A picture whose list has other headings than the screen is old. What else it shows depends on every part
 * of the system; a row with digits in it does not consist of headings. */
static void compare_headings(const char *path, const struct str *got)
{
    bool digit, other;
    char *want = read_file(path), *is = picture_row(got->s, HEADINGS_ROW, &digit),
         *was = picture_row(want, HEADINGS_ROW, &other);
    if (!digit && !other && strcmp(is, was) != 0)
        fail_msg("%s is older than the screens, make screens takes it: %s was %s", path, is, was);
    free(is);
    free(was);
    free(want);
}

void uilab_app_picture(struct ui *app, struct canvas *c, const struct picture *p)
{
    struct str got = STR_INIT;
    const char *dir = getenv("PICTURES");
    if (dir && *dir) {
        picture_in_all(app, c, p->name, dir);
        return;
    }
    canvas_resize(c, p->rows, p->cols);
    app_draw(app, c);
    canvas_to_svg(c, p->theme, &got);
    char *path = xasprintf("docs/screens/%s.svg", p->name);
    p->exact ? compare_file(path, &got) : compare_size(path, &got);
    if (!p->exact)
        compare_headings(path, &got);
    free(path);
    str_fini(&got);
}

void uilab_picture(struct uilab *u, const char *name, int rows, int cols)
{
    struct picture p = {.name = name, .theme = &u->theme, .rows = rows, .cols = cols, .exact = true};
    uilab_app_picture(u->app, &u->canvas, &p);
}
