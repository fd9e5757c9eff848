/* roles.h - what a piece of text is, not what it looks like: one table, from which the enum, the names in
 * theme files, the built-in looks and the completeness test come.
 *
 * X(enum member, name in a theme file, built-in look, look without colours). "#7fc97f | green" is one
 * for terminals of 256 colours or more, and one in the sixteen colours of the terminal's palette. No two
 * meanings may hang on colour alone: a state has its sign, a part of a bar its character (bar_sign).
 */
#ifndef UI_THEME_ROLES_H
#define UI_THEME_ROLES_H

/* clang-format off */
#define ROLES(X)                                                                                              \
    X(NORMAL, "normal", "", "")                                                                               \
    X(DIM, "dim", "#7a8496 | dim", "dim")                                                                     \
    X(STRONG, "strong", "bold", "bold")                                                                       \
    X(HEADER, "header", "", "")                                                                               \
    X(CLUSTER, "cluster", "bold #0d1117 on #4fc1cf | bold black on cyan", "bold reverse")                     \
    X(TAB, "tab", "#7a8496 | dim", "dim")                                                                     \
    X(TAB_ON, "tab_on", "bold #f0f3f8 on #3a4353 | bold reverse", "bold reverse")                             \
    X(TITLE, "title", "bold", "bold")                                                                         \
    X(HEAD, "head", "#7a8496 | dim", "dim")                                                                   \
    X(HEAD_SORT, "head_sort", "bold", "bold")                                                                 \
    X(FOOTER, "footer", "#8d96a7 | dim", "")                                                                  \
    X(KEY, "key", "bold #4fc1cf | bold cyan", "bold")                                                         \
    X(RULE, "rule", "#3a4353 | dim", "dim")                                                                   \
    X(LABEL, "label", "#7a8496 | dim", "dim")                                                                 \
    X(LINK, "link", "#4fc1cf | cyan", "underline")                                                            \
    X(OWN, "own", "#4fc1cf | cyan", "bold")                                                                   \
    X(WHEN, "when", "bold #e5c07b | bold yellow", "bold")                                                     \
    X(CURSOR, "cursor", "on #24435c | black on cyan", "reverse")                                              \
    X(CURSOR_IDLE, "cursor_idle", "underline", "underline")                                                   \
    X(MARK, "mark", "bold #e5c07b | bold yellow", "bold")                                                     \
    X(MATCH, "match", "black on #e5c07b | black on yellow", "reverse")                                        \
    X(MATCH_ON, "match_on", "bold black on #7fc97f | bold black on green", "bold reverse underline")                 \
    X(RUNNING, "running", "bold #7fc97f | bold green", "bold")                                                \
    X(WAITING, "waiting", "#e5c07b | yellow", "")                                                             \
    X(HELD, "held", "#e5c07b | yellow", "underline")                                                          \
    X(ENDING, "ending", "#7fc97f | green", "")                                                                \
    X(DONE, "done", "#7a8496 | dim", "dim")                                                                   \
    X(FAILED, "failed", "bold #e8646f | bold red", "bold")                                                    \
    X(CANCELLED, "cancelled", "#7a8496 | dim", "dim")                                                         \
    X(PREEMPTED, "preempted", "bold #c58af9 | bold magenta", "underline")                                     \
    X(NODE_FREE, "node_free", "#7fc97f | green", "")                                                          \
    X(NODE_PART, "node_part", "#6cabf7 | cyan", "")                                                           \
    X(NODE_FULL, "node_full", "bold #6cabf7 | bold cyan", "bold")                                             \
    X(NODE_OUT, "node_out", "bold #e8646f | bold red", "reverse")                                             \
    X(NODE_DRAIN, "node_drain", "#e0965c | yellow", "reverse")                                                \
    X(BAR_USED, "bar_used", "#6fb56f | green", "")                                                            \
    X(BAR_IDLE, "bar_idle", "#e0965c | yellow", "")                                                           \
    X(BAR_RUN, "bar_run", "#6cabf7 | blue", "")                                                               \
    X(BAR_FREE, "bar_free", "#363d4b | dim", "dim")                                                           \
    X(BAR_OUT, "bar_out", "#e8646f | red", "")                                                                \
    X(BAR_FAIL, "bar_fail", "#e8646f | red", "")                                                              \
    X(BAR_GONE, "bar_gone", "#5d6675 | dim", "dim")                                                           \
    X(BAR_FOREIGN, "bar_foreign", "#c58af9 | magenta", "")                                                    \
    X(BAR_TEXT, "bar_text", "#f0f3f8 | black", "")                                                            \
    X(BAR_OWN, "bar_own", "bold #ffffff | bold black", "bold")                                                \
    X(OWNER_1, "owner_1", "#3f7fbf | blue", "")                                                               \
    X(OWNER_2, "owner_2", "#8a63c7 | magenta", "")                                                            \
    X(OWNER_3, "owner_3", "#3d9a86 | cyan", "")                                                               \
    X(OWNER_4, "owner_4", "#b0793a | yellow", "")                                                             \
    X(OWNER_5, "owner_5", "#a8527a | bright_magenta", "")                                                     \
    X(OWNER_6, "owner_6", "#6b8e3d | green", "")                                                              \
    X(WARM, "warm", "#e0965c | yellow", "")                                                                   \
    X(HOT, "hot", "bold #e0965c | bold yellow", "bold")                                                       \
    X(GOOD, "good", "#7fc97f | green", "")                                                                    \
    X(WARN, "warn", "bold #e0965c | bold yellow", "bold")                                                     \
    X(ERROR, "error", "#e8646f | bold red", "bold")                                                           \
    X(INPUT, "input", "on #2a3347 | underline", "underline")                                                  \
    X(FIELD, "field", "on #1d2431 | underline", "underline")                                                  \
    X(BUTTON, "button", "on #2a3347 | reverse", "reverse")                                                    \
    X(BUTTON_MAIN, "button_main", "bold #0d1117 on #7fc97f | bold black on green", "bold reverse")            \
    X(BOX, "box", "", "")                                                                                     \
    X(BOX_FRAME, "box_frame", "#4fc1cf | cyan", "")                                                           \
    X(BOX_DANGER, "box_danger", "bold #e8646f | bold red", "bold")
/* clang-format on */

enum role {
#define X(name, text, look, mono) ROLE_##name,
    ROLES(X)
#undef X
        ROLE_N
};

#endif
