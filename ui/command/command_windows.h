/* command_windows.h - what can be done behind :windows. X(word, what it says, what it does) */
#ifndef UI_COMMAND_COMMAND_WINDOWS_H
#define UI_COMMAND_COMMAND_WINDOWS_H

#define WINDOW_VERBS(X)                                                   \
    X("list", "all there are", command_windows_show)                      \
    X("add", "NODES KEY=VALUE...: a new one", command_windows_add)        \
    X("change", "NAME KEY=VALUE...: times, nodes, for whom, why", change) \
    X("delete", "NAME...: asks first", remove_some)                       \
    X("show", "NAME: all of it", command_windows_show)

#endif
