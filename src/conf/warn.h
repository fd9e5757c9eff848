/* warn.h - what a configuration says without effect: no error, but worth a word. */
#ifndef STOKER_CONF_WARN_H
#define STOKER_CONF_WARN_H

#include "src/base/str.h"
#include "src/model/spec.h"

/* Appends a sentence for each rule of preemption that the order of the queue makes ineffective. */
void conf_warnings(const struct cluster_spec *s, struct strv *ret);

#endif
