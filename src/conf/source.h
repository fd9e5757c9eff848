/* source.h - the text of a configuration file with its includes in place, and where each line comes from.
 *
 * libconfig gets one text. It would cut integers over 32 bits silently, include relative to nothing in
 * particular, and refuse absolute paths there: hence includes and integers are seen to here.
 */
#ifndef STOKER_CONF_SOURCE_H
#define STOKER_CONF_SOURCE_H

#include <libconfig.h>

#include "src/base/err.h"
#include "src/base/str.h"
#include "src/base/vec.h"

#define SOURCE_MAX       (4u << 20) /* bytes of all files together */
#define SOURCE_MAX_DEPTH 10         /* files within files */

struct source_line {
    size_t file; /* index of files */
    unsigned line;
};

struct conf_source {
    struct str text;
    struct strv files;             /* as named in errors; the main file first */
    VEC(struct source_line) lines; /* of text, counted from 0 */
};

/* Reads path and what it includes; "@include" alone on its line, its path relative to path's directory.
 * Errors: -ENOENT ... where a file cannot be read, -EINVAL; the text names file and line. */
int source_read(const char *path, struct conf_source *ret, struct errtext *err)
    __attribute__((warn_unused_result));
/* The same for a text in memory, called name in errors. */
int source_from_text(const char *name, const char *text, struct conf_source *ret, struct errtext *err)
    __attribute__((warn_unused_result));
void source_fini(struct conf_source *s);

/* Parses the text into cfg, which the caller destroys in any case. */
int source_parse(const struct conf_source *s, config_t *cfg, struct errtext *err)
    __attribute__((warn_unused_result));

int source_verror(const struct conf_source *s, unsigned line, struct errtext *err, const char *fmt,
                  va_list ap) __attribute__((format(printf, 4, 0)));

/* Appends a regular file of at most max bytes to ret; an error calls it longer than max_mib. */
int source_read_file(const char *path, size_t max, unsigned max_mib, struct str *ret, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
