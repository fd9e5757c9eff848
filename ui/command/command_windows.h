/* command_windows.h - the verbs of :windows. X(verb, help, function) */
#ifndef UI_COMMAND_COMMAND_WINDOWS_H
#define UI_COMMAND_COMMAND_WINDOWS_H

#include "src/lang/lang.h"

#define WINDOW_VERBS(X)                                                          \
    X("list", N_("list all windows"), command_windows_show)                          \
    X("add", N_("NODES KEY=VALUE...: create a window"), command_windows_add)         \
    X("change", N_("NAME KEY=VALUE...: change times, nodes, users, reason"), change) \
    X("delete", N_("NAME...: delete (asks first)"), remove_some)                     \
    X("show", N_("NAME: show one window"), command_windows_show)

#endif
