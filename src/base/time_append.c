/* time_append.c - instants at the end of a text. */
#include "src/base/str.h"
#include "src/base/time.h"

void wall_append_iso(struct str *out, struct wall w, struct wall now)
{
    char buf[WALL_TEXT_SIZE];
    (void)now;
    str_append(out, wall_format_iso(w, buf));
}
