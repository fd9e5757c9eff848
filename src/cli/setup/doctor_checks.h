/* doctor_checks.h - the checks of stoker doctor, a file for each group. */
#ifndef STOKER_CLI_DOCTOR_CHECKS_H
#define STOKER_CLI_DOCTOR_CHECKS_H

#include "src/cli/setup/doctor_report.h"

/* This machine: directories, disk, cgroups, login sessions. */
void doctor_check_machine(struct doctor *d);
/* The way to the nodes: services, keys. */
void doctor_check_nodes(struct doctor *d);
/* What the controller knows: nodes that do not answer, GPUs, names in its configuration, mail. */
void doctor_check_cluster(struct doctor *d);

#endif
