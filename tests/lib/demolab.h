/* demolab.h - the screens of a made-up cluster in memory: the demo's controller, nodes and users in the
 * same process, a clock that stands still between keys, pictures that are the same each time.
 *
 *     demolab_open(&d, "2026-11-23T14:20:00");
 *     demolab_keys(&d, "2jj");
 *     demolab_play(&d, 60000);
 *     demolab_draw(&d, 30, 132);
 *
 * A program that uses it defines mono_read and wall_read by demolab_mono and demolab_wall.
 */
#ifndef STOKER_TESTS_LIB_DEMOLAB_H
#define STOKER_TESTS_LIB_DEMOLAB_H

#include "backend/demo/demo.h"
#include "src/client/client.h"
#include "ui/app/app.h"

struct demolab {
    char *dir; /* the demo's; it goes with demolab_close */
    struct loop *loop;
    struct demo *demo;
    struct client *client;
    struct client_rows rows;
    struct ui *app;
    struct ui_options options;
    struct prefs prefs;
    struct theme theme;
    struct canvas canvas;
    int log_fd;
};

/* Plays the past of the demo with seed 1 up to that time and opens the screens of its user. */
void demolab_open(struct demolab *d, const char *at);
void demolab_close(struct demolab *d);

/* As uilab_keys; each key is answered by the cluster before the next one. */
void demolab_keys(struct demolab *d, const char *keys);
/* Lets so much time pass, for the cluster and the screens, in steps of a second. */
void demolab_play(struct demolab *d, int64_t ms);
void demolab_draw(struct demolab *d, int rows, int cols);
/* Draws and compares its size with docs/screens/NAME.svg; UPDATE=1 writes it. PICTURES=DIR: writes it there
 * in all sizes and themes. */
void demolab_picture(struct demolab *d, const char *name, int rows, int cols);

struct mono demolab_mono(void);
struct wall demolab_wall(void);

#endif
