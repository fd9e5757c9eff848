/* test_pictures.c - the pictures in docs/screens: the demo at one time of day. `make screens` writes them;
 * `make recording` writes the film that opens README. What they show depends on every part of the system,
 * so the tests ask only that they are there, that their lists have the headings of the screens, and that
 * the demo gives the same pictures each time. */
#include <errno.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "tests/lib/check.h"
#include "tests/lib/demolab.h"
#include "tests/lib/film.h"
#include "tests/lib/uilab.h"

#define WHEN     "2026-11-23T14:20:00"
#define FILM     "docs/screens/demo.svg"
#define FILM_MAX (1000 * 1000) /* bytes */

struct mono mono_read(void)
{
    return demolab_mono();
}

struct wall wall_read(void)
{
    return demolab_wall();
}

/* Each begins on the list of all jobs, and leads back there. */
static const struct {
    const char *name, *keys, *back;
    int rows, cols;
    int64_t ms; /* that pass before the picture */
} pictures[] = {
    {"jobs", "jjjjjjjjjjjjjjjj", "g", 40, 132, 0},
    {"jobs-80x24", "", "", 24, 80, 0},
    {"why", "/finetune<Enter>w", "<Esc><Esc>", 34, 132, 0},
    {"job", "/crossval<Enter><Enter>", "<Esc><Esc>", 36, 132, 60000},
    {"array", "/sweep state:run<Enter><Enter>", "<Esc><Esc>", 40, 132, 0},
    {"output-live", "/state:run name:pretrain<Enter>l", "<Esc><Esc>", 24, 132, 0},
    {"cancel", "/sweep<Enter>c", "<Esc><Esc>", 24, 100, 0},
    {"nodes", "2", "1", 30, 132, 60000},
    {"node", "2<Enter>", "<Esc>1", 30, 132, 60000},
    {"gpus", "3", "1", 30, 132, 60000},
    {"timeline", "4t<Right><Right><Right><Right><Right><Right><Right><Right>", "1", 36, 132, 0},
    {"partitions", "5", "1", 24, 100, 0},
    {"history", "6jj", "1", 30, 132, 60000},
    {"usage", "7", "1", 30, 132, 0},
    {"command", ":cancel 1", "<Esc>", 24, 80, 0},
    {"form",
     "s<Tab>source env.sh<Enter>python train.py --epochs 20<Tab><Down><Down>a100:4<Down>16<Down>128G"
     "<Down>3:00:00<Down>gpu<Up>",
     "<Esc>y", 36, 132, 2000},
    {"help", "?", "<Esc>", 43, 132, 0},
};

static void all_pictures(void **state)
{
    struct demolab d;
    (void)state;
    demolab_open(&d, WHEN);
    for (size_t i = 0; i < N_OF(pictures); i++) {
        demolab_keys(&d, pictures[i].keys);
        if (pictures[i].ms)
            demolab_play(&d, pictures[i].ms);
        demolab_picture(&d, pictures[i].name, pictures[i].rows, pictures[i].cols);
        demolab_keys(&d, pictures[i].back);
    }
    demolab_close(&d);
}

/* Seed and time settle what is seen, down to the last cell. */
static void same_pictures_each_time(void **state)
{
    struct str seen[2] = {STR_INIT, STR_INIT};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct demolab d;
        demolab_open(&d, WHEN);
        demolab_draw(&d, 50, 160);
        canvas_to_svg(&d.canvas, &d.theme, &seen[i]);
        demolab_keys(&d, "4t");
        demolab_draw(&d, 50, 160);
        canvas_to_svg(&d.canvas, &d.theme, &seen[i]);
        demolab_close(&d);
    }
    assert_string_equal(seen[0].s, seen[1].s);
    str_fini(&seen[0]);
    str_fini(&seen[1]);
}

/* --- the recording --- */

#define ROWS 36
#define COLS 132

/* What is typed, how long what it leads to is looked at, and how much of the cluster's time passes. */
static const struct scene {
    const char *keys;
    uint32_t ms;
    int64_t passes_ms;
} scenes[] = {
    {"", 2500, 0},
    {"", 700, 3000},
    {"", 700, 3000},
    {"jjjjj", 120, 0},
    {"jjjjjjjj", 90, 0},
    {"", 900, 2000},
    {"w", 4000, 0},
    {"q", 700, 0},
    {"2", 2500, 4000},
    {"3", 2500, 4000},
    {"", 800, 30000},
    {"4", 2200, 0},
    {"t", 2800, 0},
    {"<Right><Right><Right><Right><Right><Right>", 150, 0},
    {"", 1200, 0},
    {"1g", 600, 0},
    {"jjjjj", 90, 0},
    {"<Enter>", 3000, 0},
    {"l", 1500, 0},
    {"", 800, 8000},
    {"", 800, 8000},
    {"q", 300, 0},
    {"q", 600, 0},
    {"s", 900, 0},
    {"python train.py<Down><Down>a100:2<Down>8<Down>64G<Down>1:00:00<Down>gpu", 90, 0},
    {"", 3000, 2000},
};

static void film_scene(struct demolab *d, struct film *f, const struct scene *s)
{
    const char *keys = s->keys;
    struct input in;
    if (s->passes_ms)
        demolab_play(d, s->passes_ms);
    do {
        const char *from = keys;
        if (!uilab_next_key(&keys, &in) && *s->keys)
            break;
        char *key = xstrndup(from, (size_t)(keys - from));
        demolab_keys(d, key);
        free(key);
        demolab_draw(d, f->rows, f->cols);
        demolab_keys(d, "");
        demolab_draw(d, f->rows, f->cols);
        film_add(f, &d->canvas, s->ms);
    } while (*keys);
}

static void the_recording(void **state)
{
    const char *update = getenv("RECORD");
    struct demolab d;
    struct film f;
    struct str svg = STR_INIT;
    (void)state;
    demolab_open(&d, WHEN);
    film_init(&f, ROWS, COLS, &d.theme);
    for (size_t i = 0; i < N_OF(scenes); i++)
        film_scene(&d, &f, &scenes[i]);
    film_to_svg(&f, &svg);
    assert_in_range(svg.len, 1, FILM_MAX);
    if (update && *update) {
        FILE *out = fopen(FILM, "w");
        if (!out || fwrite(svg.s, 1, svg.len, out) != svg.len || fclose(out))
            fail_msg(FILM ": %s", strerror(errno));
    }
    assert_int_equal(access(FILM, R_OK), 0);
    str_fini(&svg);
    film_fini(&f);
    demolab_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_pictures),
                                       cmocka_unit_test(same_pictures_each_time),
                                       cmocka_unit_test(the_recording)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
