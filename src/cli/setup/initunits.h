/* initunits.h - the texts that stoker init --shared writes: units, policy, the line for authorized_keys. */
#ifndef STOKER_CLI_INITUNITS_H
#define STOKER_CLI_INITUNITS_H

#include <stdbool.h>

#include "src/base/str.h"

#define LINK_KEYS     "/var/lib/stoker-link"
#define LINK_SOCKET   "/run/stoker-link/link.sock"
#define AGENT_DIR     "/var/lib/stoker-agent"
#define AGENT_ACCOUNT "stoker-agent"
#define AGENT_SOCKET  "/run/stoker-agent/agent.sock"
#define POLICY_FILE   "/etc/stoker/policy"
#define LOGIN_HOME    "/var/lib/stoker"
#define LOGIN_KEYS    LOGIN_HOME "/.ssh/authorized_keys"

extern const char init_policy[];

/* bin: where the programs lie. user: the controller's account; on a node the one that it logs in as. */
void init_unit_controller(struct str *out, const char *bin, const char *user);
void init_unit_link(struct str *out, const char *bin, const char *user, const char *link_user);
/* login: commands of this machine's users go through it. */
void init_unit_agent(struct str *out, const char *bin, const char *user, const char *node, bool login);
/* The controller's public key may run the way to the agent, and nothing else. */
void init_key_line(struct str *out, const char *bin, const char *key);

#endif
