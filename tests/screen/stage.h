/* stage.h - the scene on the screens, ready to be played with: what the tests of the screens begin with. */
#ifndef STOKER_TESTS_SCREEN_STAGE_H
#define STOKER_TESTS_SCREEN_STAGE_H

#include "tests/lib/scene.h"
#include "tests/lib/uilab.h"

struct stage {
    struct uilab u;
    struct scene s;
};

static inline int stage_up(void **state)
{
    static struct stage g;
    uilab_init(&g.u);
    scene_build(&g.u.lab, &g.s);
    uilab_connect(&g.u);
    uilab_draw(&g.u, 24, 80);
    *state = &g;
    return 0;
}

static inline int stage_down(void **state)
{
    uilab_fini(&((struct stage *)*state)->u);
    return 0;
}

/* What stands on a screen of 80x24 now. */
#define must_show(u, part)                                                     \
    do {                                                                       \
        if (uilab_find(u, part) < 0)                                           \
            fail_msg("\"%s\" is not on the screen:\n%s", part, uilab_text(u)); \
    } while (0)
#define must_not_show(u, part)                                             \
    do {                                                                   \
        if (uilab_find(u, part) >= 0)                                      \
            fail_msg("\"%s\" is on the screen:\n%s", part, uilab_text(u)); \
    } while (0)

#define keys_show(u, keys, part)  \
    do {                          \
        uilab_keys(u, keys);      \
        uilab_draw(u, 24, 80);    \
        must_show(u, part);       \
    } while (0)

#define STAGE_CASE(f) cmocka_unit_test_setup_teardown(f, stage_up, stage_down)

#endif
