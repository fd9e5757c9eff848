/* mgrlist.h - what sacctmgr lists: fields, rows of them, and how they are printed. */
#ifndef STOKER_CLI_MGRLIST_H
#define STOKER_CLI_MGRLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/vec.h"

/* X(enum member, names in any case, header, width): negative widths are to the left. */
#define FIELDS(X)                                                                                            \
    X(NAME, "name", "Name", 10)                                                                              \
    X(CLUSTER, "cluster", "Cluster", 10)                                                                     \
    X(ACCOUNT, "account acct", "Account", 10)                                                                \
    X(USER, "user", "User", 10)                                                                              \
    X(PARTITION, "partition", "Partition", 10)                                                               \
    X(SHARE, "share fairshare shares", "Share", 9)                                                           \
    X(PRIORITY, "priority", "Priority", 10)                                                                  \
    X(GRP_JOBS, "grpjobs", "GrpJobs", 7)                                                                     \
    X(GRP_TRES, "grptres", "GrpTRES", 13)                                                                    \
    X(GRP_SUBMIT, "grpsubmit grpsubmitjobs", "GrpSubmit", 9)                                                 \
    X(GRP_WALL, "grpwall", "GrpWall", 11)                                                                    \
    X(GRP_TRES_MINS, "grptresmins", "GrpTRESMins", 13)                                                       \
    X(MAX_JOBS, "maxjobs maxjobsperuser maxjobspu", "MaxJobs", 7)                                            \
    X(MAX_TRES, "maxtres maxtresperjob", "MaxTRES", 13)                                                      \
    X(MAX_TRES_NODE, "maxtrespernode", "MaxTRESPerNode", 14)                                                 \
    X(MAX_TRES_USER, "maxtresperuser maxtrespu", "MaxTRESPU", 13)                                            \
    X(MAX_SUBMIT, "maxsubmit maxsubmitjobs maxsubmitjobsperuser", "MaxSubmit", 9)                            \
    X(MAX_WALL, "maxwall maxwalldurationperjob", "MaxWall", 11)                                              \
    X(MAX_TRES_MINS, "maxtresmins", "MaxTRESMins", 13)                                                       \
    X(QOS, "qos qoslevel", "QOS", 20)                                                                        \
    X(DEF_QOS, "defaultqos", "Def QOS", 9)                                                                   \
    X(GRP_TRES_RUN_MINS, "grptresrunmins", "GrpTRESRunMin", 13)                                              \
    X(DEF_ACCOUNT, "defaultaccount", "Def Acct", 10)                                                         \
    X(ADMIN, "adminlevel", "Admin", 9)                                                                       \
    X(DESCR, "description", "Descr", 20)                                                                     \
    X(ORG, "organization", "Org", 20)                                                                        \
    X(COORDS, "coordinators", "Coord Accounts", 20)                                                          \
    X(PARENT, "parentname", "Par Name", 10)                                                                  \
    X(ID, "id", "ID", 6)                                                                                     \
    X(GRACE, "gracetime", "GraceTime", 10)                                                                   \
    X(PREEMPT, "preempt", "Preempt", 10)                                                                     \
    X(PREEMPT_EXEMPT, "preemptexempttime", "PreemptExemptTime", 19)                                          \
    X(PREEMPT_MODE, "preemptmode", "PreemptMode", 11)                                                        \
    X(FLAGS, "flags", "Flags", 40)                                                                           \
    X(USAGE_THRES, "usagethreshold", "UsageThres", 10)                                                       \
    X(USAGE_FACTOR, "usagefactor", "UsageFactor", 11)                                                        \
    X(HOST, "controlhost", "ControlHost", 15)                                                                \
    X(PORT, "controlport", "ControlPort", 12)                                                                \
    X(RPC, "rpc", "RPC", 5)                                                                                  \
    X(TYPE, "type", "Type", 8)                                                                               \
    X(NODE_COUNT, "nodecount", "NodeCount", 9)                                                               \
    X(CLUSTER_NODES, "clusternodes nodenames", "Cluster Nodes", 20)                                          \
    X(TRES, "tres", "TRES", 20)

enum mgr_field {
#define X(name, names, header, width) F_##name,
    FIELDS(X)
#undef X
        F_N
};

struct mgr_row {
    char *v[F_N]; /* NULL: empty */
};

struct mgr_item {
    enum mgr_field field;
    int width; /* negative: to the left */
};

struct mgr_list {
    bool no_header, parsable, parsable2; /* -n, -p, -P */
    VEC(struct mgr_item) items;
    VEC(struct mgr_row) rows;
};

void mgr_list_fini(struct mgr_list *l);

/* "account,user%20": appends to what is printed. The first letters of a name will do. Returns 0, or 1 with
 * the field that is none on standard error. */
int mgr_list_add_fields(struct mgr_list *l, const char *spec) __attribute__((warn_unused_result));
bool mgr_list_has_field(const struct mgr_list *l, enum mgr_field f);

/* An empty row at the end; the pointer holds until the next one is added. */
struct mgr_row *mgr_list_add_row(struct mgr_list *l);
/* value: NULL empties the cell. */
void mgr_row_set(struct mgr_row *r, enum mgr_field f, const char *value);
void mgr_row_set_number(struct mgr_row *r, enum mgr_field f, uint64_t n);
/* Takes away the rows that keep does not want; it is asked in their order, kept: how many are before. */
void mgr_list_keep(struct mgr_list *l,
                   bool (*keep)(const struct mgr_list *l, size_t kept, const struct mgr_row *r));

void mgr_list_print(const struct mgr_list *l);

#endif
