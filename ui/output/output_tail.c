/* output_tail.c - the last line of an output. */
#include "ui/output/output_tail.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "ui/widget/linetext.h"

#define TAIL_BYTES 4096
#define TEXT_MAX   512 /* bytes of the line that are kept */

void output_tail_fini(struct output_tail *t)
{
    free(t->line);
    *t = (struct output_tail){.size = 0};
}

static bool is_blank(const char *s)
{
    return s[strspn(s, " \t")] == '\0';
}

/* How its task was ended, which the state of the job says too. */
static bool is_of_supervisor(const char *s)
{
    return str_starts(s, "slurmstepd: error: *** ") ||
           str_starts(s, "slurmstepd: error: Detected 1 oom_kill event");
}

/* Cut between two characters. */
static char *text_of(const struct linetext *line)
{
    size_t n = line->text.len;
    if (n > TEXT_MAX)
        for (n = TEXT_MAX; n && ((unsigned char)line->text.s[n] & 0xc0) == 0x80;)
            n--;
    return xstrndup(line->text.s, n);
}

static char *tail_last_line(const char *s, size_t n)
{
    struct linetext line;
    char *found = NULL;
    linetext_init(&line);
    while (n && !found) {
        const char *nl = memrchr(s, '\n', n);
        size_t from = nl ? (size_t)(nl - s) + 1 : 0;
        linetext_set(&line, s + from, n - from);
        if (!is_blank(line.text.s) && !is_of_supervisor(line.text.s))
            found = text_of(&line);
        n = from ? from - 1 : 0;
    }
    linetext_fini(&line);
    return found ? found : xstrdup("");
}

bool output_tail_read(struct output_tail *t, struct stream *s)
{
    char buf[TAIL_BYTES];
    bool there = stream_is_there(s), was_settled = t->settled;
    int64_t size = there ? stream_size(s) : 0, from = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
    t->settled = there || s->refused;
    if (!there || (t->line && t->size == size))
        return t->settled != was_settled;
    char *line = tail_last_line(buf, stream_read(s, from, buf, (size_t)(size - from)));
    bool other = !str_eq(line, t->line);
    free(t->line);
    t->line = line;
    t->size = size;
    return other || t->settled != was_settled;
}
