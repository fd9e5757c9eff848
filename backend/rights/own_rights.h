/* own_rights.h - an agent that is root keeps the capabilities that it uses, and no others. */
#ifndef STOKER_BACKEND_RIGHTS_OWN_RIGHTS_H
#define STOKER_BACKEND_RIGHTS_OWN_RIGHTS_H

#include <stdbool.h>

/* Drops the others, of this process alone: a program of uid 0 that it starts has what the bounding set
 * leaves. service: the agent obeys another account, so what no task of an ordinary user needs, not even
 * through setuid programs, leaves the bounding set as well, for the agent and all tasks. */
void own_rights_reduce(bool service);

#endif
