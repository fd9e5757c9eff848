/* cause_template.h - templates of sentences (src/text/cause_text.h has their syntax), filled in from a
 * cause. */
#ifndef STOKER_TEXT_CAUSE_TEMPLATE_H
#define STOKER_TEXT_CAUSE_TEMPLATE_H

#include "src/text/cause_reader.h"

/* Appends a cause in full: how {parts} is written. */
typedef void (*template_part)(struct str *out, const struct cause *c, const struct cause_reader *r);

void template_append(struct str *out, const char *template, const struct cause *c,
                     const struct cause_reader *r, template_part part);

/* The parts from the first, skipping those before it, with that separator. */
void template_append_parts(struct str *out, const struct cause *c, size_t first, const char *separator,
                           const struct cause_reader *r, template_part part);

/* Whether the reader is that user. */
bool cause_is_reader(const struct cause_reader *r, const char *user);

/* NULL, or the first word in braces that names no member, or a bracket that is not closed. */
const char *template_fault(const char *template);

#endif
