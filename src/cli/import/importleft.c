/* importleft.c - what of a slurm.conf is not carried over, and why. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/cli/import/import_internal.h"
#include "src/lang/lang.h"

/* X(key in lower case, why it is not needed or not there): keys that mean nothing here are said once. */
#define NO_EQUALS(X)                                                                                           \
    X("authtype", "users are identified by the kernel, nodes by SSH: munge is not needed")                            \
    X("authinfo", "users are identified by the kernel, nodes by SSH: munge is not needed")                            \
    X("credtype", "users are identified by the kernel, nodes by SSH: munge is not needed")                            \
    X("accountingstoragetype", "finished jobs are always kept, in the controller's own database")             \
    X("accountingstoragehost", "finished jobs are always kept, in the controller's own database")             \
    X("accountingstorageenforce", "limits hold wherever they are written")                                    \
    X("accountingstoragetres", "CPUs, memory and GPUs are always accounted")                                  \
    X("jobacctgathertype", "use is measured by the supervisor of each task")                                  \
    X("jobacctgatherfrequency", "use is measured by the supervisor of each task")                             \
    X("jobcomptype", "finished jobs are always kept, in the controller's own database")                       \
    X("slurmctldhost", "the controller runs where stokerd is started")                                        \
    X("controlmachine", "the controller runs where stokerd is started")                                       \
    X("backupcontroller", "there is one controller: after a failure it is started elsewhere on a backup")     \
    X("slurmctldport", "there is no TCP port: clients use a local socket, nodes SSH")                         \
    X("slurmdport", "there is no TCP port: clients use a local socket, nodes SSH")                            \
    X("slurmuser", "the controller runs under the account that starts it")                                                    \
    X("statesavelocation", "the state lies under STOKER_HOME")                                                \
    X("slurmdspooldir", "the agent's directory lies on its node by itself")                                   \
    X("slurmctldpidfile", "files lie under STOKER_HOME")                                                      \
    X("slurmdpidfile", "files lie under STOKER_HOME")                                                         \
    X("slurmctldlogfile", "logs lie under STOKER_HOME")                                                       \
    X("slurmdlogfile", "logs lie under STOKER_HOME")                                                          \
    X("slurmctlddebug", "logs lie under STOKER_HOME")                                                         \
    X("slurmddebug", "logs lie under STOKER_HOME")                                                            \
    X("proctracktype", "a subreaper and control groups are used where they are there")                        \
    X("taskplugin", "CPUs are bound and memory is kept to by the agent")                                      \
    X("selecttype", "CPUs, memory and GPUs are always given out separately")                                  \
    X("selecttypeparameters", "CPUs, memory and GPUs are always given out separately")                        \
    X("grestypes", "GPUs are the generic resource there is")                                                  \
    X("returntoservice", "a node that is back is used again")                                                 \
    X("mpidefault", "srun --mpi=pmi2 is served; the default is none")                                         \
    X("switchtype", "there is no plugin for switches")                                                        \
    X("topologyplugin", "give topology.conf too: the switches of nodes become groups of nodes")               \
    X("prolog", "there are no prologs and epilogs: put it into the users' start files or a wrapper")          \
    X("epilog", "there are no prologs and epilogs: put it into the users' start files or a wrapper")          \
    X("prologslurmctld", "there are no prologs and epilogs")                                                  \
    X("epilogslurmctld", "there are no prologs and epilogs")                                                  \
    X("taskprolog", "there are no prologs and epilogs")                                                       \
    X("taskepilog", "there are no prologs and epilogs")                                                       \
    X("prologflags", "there are no prologs and epilogs")                                                      \
    X("jobsubmitplugins", "there are no plugins: use limits and allow_* of partitions")                       \
    X("preempttype", "set priority_tier and qos.preempt instead")                        \
    X("preemptmode", "partitions and QOS say what happens to their jobs: preempt_mode")                       \
    X("schedulertype", "there is one scheduler")                                                              \
    X("prioritytype", "there is one formula of priorities: see priority")                                     \
    X("burstbuffertype", "burst buffers are not supported")                                                   \
    X("federationparameters", "federations are not supported")                                                \
    X("suspendprogram", "nodes are not switched off")                                                         \
    X("resumeprogram", "nodes are not switched on")                                                           \
    X("healthcheckprogram", "the agent says what is wrong with its node; others drain it by scontrol")

static const char *reason_of(const char *key)
{
    static const struct {
        const char *key, *why;
    } reasons[] = {
#define X(k, w) {.key = k, .why = w},
        NO_EQUALS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (str_ieq(reasons[i].key, key))
            return reasons[i].why;
    return "it has no equal here";
}

void import_leave(struct import *m, const struct conf_line *l, const char *what, const char *why)
{
    str_appendf(&m->left, "%s:%u: %s: %s\n", l->file, l->number, what, tr(why));
    m->n_left++;
}

void import_list_unused(struct import *m, struct slurmconf *c)
{
    vec_for_each (&c->lines, i) {
        struct conf_line *l = &c->lines.v[i];
        vec_for_each (&l->pairs, k) {
            const struct conf_pair *p = &l->pairs.v[k];
            if (p->used)
                continue;
            char *what = xasprintf("%s=%s", p->key, p->value);
            import_leave(m, l, what, reason_of(p->key));
            free(what);
        }
    }
}
