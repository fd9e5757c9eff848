/* keymap.h - which key does what: the table of actions with the user's changes on top. */
#ifndef UI_KEYS_KEYMAP_H
#define UI_KEYS_KEYMAP_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/err.h"
#include "src/base/str.h"
#include "ui/keys/action.h"

#define KEYS_MAX 4

struct action_info {
    enum scope scope;
    const char *name, *keys, *label, *help;
};

struct keymap {
    uint32_t keys[ACTION_N][KEYS_MAX]; /* 0: no more */
};

const struct action_info *action_info(enum action a);
enum action action_find(const char *name); /* ACTION_NONE: no such name */
const char *scope_title(enum scope s);

void keymap_init(struct keymap *km);
/* Binds the keys of a list like "j Down" to a, taking them away from the other actions of its scope. "":
 * unbinds it. Errors: -EINVAL. */
int keymap_bind(struct keymap *km, enum action a, const char *keys, struct errtext *err)
    __attribute__((warn_unused_result));
/* What key means in these scopes, most special first. */
enum action keymap_find(const struct keymap *km, const enum scope *scopes, size_t n, uint32_t key);
/* Whether a has lost all keys that the table gives it; *ret_taker: who has the first of them now. */
bool keymap_is_bare(const struct keymap *km, enum action a, enum action *ret_taker);
/* An action that a shares a key with, though both are used in the same places, so that one hides the other
 * (unless the table has it so); *ret_key: which. ACTION_NONE: none does. */
enum action keymap_clash(const struct keymap *km, enum action a, uint32_t *ret_key);
/* "j Down"; "" where it is unbound. first_only: the first one. */
void keymap_format(const struct keymap *km, enum action a, bool first_only, struct str *out);
/* The keys that the table itself gives it: "j Down". before, after: what stands around each. */
void keymap_own_keys(enum action a, const char *before, const char *after, struct str *out);
/* docs/KEYS.md: the whole table. */
void keymap_manual(struct str *out);

#endif
