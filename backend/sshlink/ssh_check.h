/* ssh_check.h - stoker-link check: can this machine be a node? One line for each thing that must be right.
 *
 *     WHAT <tab> ok | note | fail <tab> TEXT <tab> CURE
 *
 * Options: node= address= port= user= identity= (several) known_hosts= shared= (a file that is there where
 * the file system is shared) accept= (a fingerprint: a new host key that has it is written into
 * known_hosts) keys= (started by root: the directory whose owner logs in and writes known_hosts).
 */
#ifndef STOKER_BACKEND_SSHLINK_SSH_CHECK_H
#define STOKER_BACKEND_SSHLINK_SSH_CHECK_H

/* 0: every line is ok or a note; 1: one failed, and nothing behind it was looked at; 2: usage. */
int check_run(int argc, char **argv);

#endif
