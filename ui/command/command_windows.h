/* command_windows.h - the verbs of :windows. X(verb, help, function) */
#ifndef UI_COMMAND_COMMAND_WINDOWS_H
#define UI_COMMAND_COMMAND_WINDOWS_H

#define WINDOW_VERBS(X)                                                          \
    X("list", "list all windows", command_windows_show)                          \
    X("add", "NODES KEY=VALUE...: create a window", command_windows_add)         \
    X("change", "NAME KEY=VALUE...: change times, nodes, users, reason", change) \
    X("delete", "NAME...: delete (asks first)", remove_some)                     \
    X("show", "NAME: show one window", command_windows_show)

#endif
