/* roles.h - what a piece of text is, not what it looks like: one table, from which the enum, the names in
 * theme files, the built-in looks and the completeness test come.
 *
 * X(enum member, name in a theme file, built-in look, look without colours). No two meanings may hang on
 * colour alone: a state has its glyph, a bar its characters. Colours are the 16 of the terminal, so that
 * the user's palette decides.
 */
#ifndef UI_THEME_ROLES_H
#define UI_THEME_ROLES_H

/* clang-format off */
#define ROLES(X)                                                                                             \
    X(NORMAL, "normal", "", "")                                                                              \
    X(DIM, "dim", "dim", "dim")                                                                              \
    X(STRONG, "strong", "bold", "bold")                                                                      \
    X(HEADER, "header", "", "")                                                                              \
    X(CLUSTER, "cluster", "bold cyan", "bold")                                                               \
    X(TAB, "tab", "dim", "dim")                                                                              \
    X(TAB_ON, "tab_on", "bold reverse", "bold reverse")                                                      \
    X(TITLE, "title", "bold", "bold")                                                                        \
    X(HEAD, "head", "underline dim", "underline")                                                            \
    X(HEAD_SORT, "head_sort", "underline bold", "underline bold")                                            \
    X(FOOTER, "footer", "dim", "")                                                                           \
    X(KEY, "key", "bold cyan", "bold")                                                                       \
    X(RULE, "rule", "dim", "dim")                                                                            \
    X(LABEL, "label", "dim", "dim")                                                                          \
    X(LINK, "link", "cyan", "underline")                                                                     \
    X(CURSOR, "cursor", "black on cyan", "reverse")                                                          \
    X(CURSOR_IDLE, "cursor_idle", "underline", "underline")                                                  \
    X(MARK, "mark", "bold yellow", "bold")                                                                   \
    X(MATCH, "match", "black on yellow", "reverse")                                                          \
    X(RUNNING, "running", "bold green", "bold")                                                              \
    X(WAITING, "waiting", "yellow", "")                                                                      \
    X(HELD, "held", "yellow", "underline")                                                                   \
    X(ENDING, "ending", "green", "")                                                                         \
    X(DONE, "done", "dim", "dim")                                                                            \
    X(FAILED, "failed", "bold reverse red", "bold reverse")                                                  \
    X(CANCELLED, "cancelled", "dim", "dim")                                                                  \
    X(PREEMPTED, "preempted", "underline magenta", "underline")                                              \
    X(NODE_FREE, "node_free", "green", "")                                                                   \
    X(NODE_PART, "node_part", "cyan", "")                                                                    \
    X(NODE_FULL, "node_full", "bold cyan", "bold")                                                           \
    X(NODE_OUT, "node_out", "reverse red", "reverse")                                                        \
    X(NODE_DRAIN, "node_drain", "reverse yellow", "reverse")                                                 \
    X(BAR_USED, "bar_used", "green", "")                                                                     \
    X(BAR_IDLE, "bar_idle", "yellow", "")                                                                    \
    X(BAR_FREE, "bar_free", "dim", "dim")                                                                    \
    X(BAR_OUT, "bar_out", "red", "")                                                                         \
    X(WARM, "warm", "yellow", "")                                                                            \
    X(HOT, "hot", "bold red", "bold")                                                                        \
    X(GOOD, "good", "green", "")                                                                             \
    X(WARN, "warn", "bold yellow", "bold")                                                                   \
    X(ERROR, "error", "bold red", "bold reverse")                                                            \
    X(INPUT, "input", "underline", "underline")                                                              \
    X(BOX, "box", "", "")                                                                                    \
    X(BOX_FRAME, "box_frame", "cyan", "")                                                                    \
    X(BOX_DANGER, "box_danger", "bold red", "bold")
/* clang-format on */

enum role {
#define X(name, text, look, mono) ROLE_##name,
    ROLES(X)
#undef X
        ROLE_N
};

#endif
