#include "src/cli/setup/initunits.h"

const char init_policy[] = "# What Stoker may do on this machine, whatever its controller says. systemctl "
                           "reload stoker-agent reads it again.\n"
                           "allow_root = no\n"
                           "min_uid = 1000\n"
                           "# users = alice, bob\n"
                           "# groups = gpu, staff\n"
                           "# deny_groups = docker, sudo\n"
                           "# workdirs = /home, /scratch\n"
                           "# max_tasks = 200\n"
                           "# max_processes = 5000\n"
                           "# spool_max = 1G\n"
                           "# spool_user_max = 4G\n"
                           "# close_gpus = no\n"; /* not said: closed to all but root */

/* What neither the controller nor link ever need. */
static const char closed_up[] = "NoNewPrivileges=yes\n"
                                "ProtectSystem=strict\n"
                                "ProtectHome=yes\n"
                                "PrivateTmp=yes\n"
                                "PrivateDevices=yes\n"
                                "ProtectProc=invisible\n"
                                "ProtectClock=yes\n"
                                "ProtectHostname=yes\n"
                                "ProtectKernelLogs=yes\n"
                                "ProtectKernelTunables=yes\n"
                                "ProtectKernelModules=yes\n"
                                "ProtectControlGroups=yes\n"
                                "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n"
                                "RestrictNamespaces=yes\n"
                                "RestrictRealtime=yes\n"
                                "RestrictSUIDSGID=yes\n"
                                "RemoveIPC=yes\n"
                                "LockPersonality=yes\n"
                                "MemoryDenyWriteExecute=yes\n"
                                "SystemCallArchitectures=native\n"
                                "SystemCallFilter=@system-service\n"
                                "SystemCallFilter=~@privileged @keyring\n"
                                "SystemCallErrorNumber=EPERM\n"
                                "CapabilityBoundingSet=\n"
                                "LimitCORE=0\n"
                                "LimitNOFILE=65536\n"
                                "UMask=0077\n";

void init_unit_controller(struct str *out, const char *bin, const char *user)
{
    str_appendf(out,
                "[Unit]\n"
                "Description=Stoker, the controller\n"
                "Documentation=man:stoker(1)\n"
                "After=network.target nss-user-lookup.target stoker-agent.service stoker-link.service\n"
                "Wants=stoker-agent.service stoker-link.service\n"
                "\n"
                "[Service]\n"
                "User=%s\n"
                "ExecStart=%s/stokerd --foreground --shared\n"
                "ExecReload=/bin/kill -HUP $MAINPID\n"
                "Restart=on-failure\n"
                "RestartSec=2\n"
                "RestartPreventExitStatus=3\n"
                "StateDirectory=stoker\n"
                "StateDirectoryMode=0700\n"
                "RuntimeDirectory=stoker\n"
                "LogsDirectory=stoker\n"
                "LogsDirectoryMode=0750\n"
                "# What all users together can make it keep.\n"
                "MemoryMax=50%%\n"
                "TasksMax=256\n"
                "# It needs no network itself; mail_program and some name services do. Where they do not:\n"
                "#IPAddressDeny=any\n"
                "%s"
                "\n"
                "[Install]\n"
                "WantedBy=multi-user.target\n",
                user, bin, closed_up);
}

void init_unit_link(struct str *out, const char *bin, const char *user, const char *link_user)
{
    str_appendf(out,
                "[Unit]\n"
                "Description=Stoker, the way to its nodes\n"
                "Documentation=man:stoker(1)\n"
                "After=network.target nss-user-lookup.target\n"
                "\n"
                "[Service]\n"
                "User=%s\n"
                "ExecStart=%s/stoker-link listen " LINK_SOCKET " " LINK_KEYS " %s\n"
                "Restart=always\n"
                "RestartSec=1\n"
                "StateDirectory=stoker-link\n"
                "RuntimeDirectory=stoker-link\n"
                "MemoryMax=25%%\n"
                "TasksMax=1024\n"
                "%s"
                "\n"
                "[Install]\n"
                "WantedBy=multi-user.target\n",
                link_user, bin, user, closed_up);
}

/* Tasks outlive it: only the agent itself is ended, and nothing is taken from it that tasks may need. So no
 * mount namespace, which would hide what tasks mount, no filter of system calls, and no ProtectClock, which
 * closes all devices that it does not name. */
void init_unit_agent(struct str *out, const char *bin, const char *user, const char *node, bool login)
{
    str_appendf(out,
                "[Unit]\n"
                "Description=Stoker, the agent of node %s\n"
                "Documentation=man:stoker(1)\n"
                "After=network.target nss-user-lookup.target remote-fs.target\n"
                "\n"
                "[Service]\n"
                "ExecStart=%s/stoker-agent --node %s --dir " AGENT_DIR " --socket " AGENT_SOCKET
                " --policy " POLICY_FILE " --controller %s%s\n"
                "ExecReload=/bin/kill -HUP $MAINPID\n"
                "Restart=always\n"
                "RestartSec=1\n"
                "KillMode=process\n"
                "Delegate=yes\n"
                "TasksMax=infinity\n"
                "LimitNOFILE=65536\n"
                "UMask=0077\n"
                "CapabilityBoundingSet=~CAP_SYS_TIME CAP_WAKE_ALARM CAP_SYS_BOOT CAP_SYSLOG CAP_SYS_RAWIO "
                "CAP_SYS_PACCT CAP_SYS_TTY_CONFIG CAP_MAC_ADMIN CAP_MAC_OVERRIDE CAP_AUDIT_CONTROL "
                "CAP_AUDIT_READ CAP_BLOCK_SUSPEND CAP_LINUX_IMMUTABLE CAP_LEASE\n"
                "RuntimeDirectory=stoker-agent\n"
                "RuntimeDirectoryPreserve=restart\n"
                "\n"
                "[Install]\n"
                "WantedBy=multi-user.target\n",
                node, bin, node, user, login ? " --clients /run/stoker/controller.sock" : "");
}

void init_key_line(struct str *out, const char *bin, const char *key)
{
    str_appendf(out, "restrict,command=\"%s/stoker-agent --bridge --socket " AGENT_SOCKET "\" %s\n", bin,
                key);
}
