/* sim_vfs.h - SQLite's files, with what has been written and not synced kept apart.
 *
 * A layer over SQLite's own file access. The real files are what the page cache would show; beside each
 * stands what its disk has, and the writes since the last sync. A killed process loses nothing of it. When
 * the power fails each 512 bytes of those writes are on the disk or not, as the dice say.
 */
#ifndef STOKER_TESTS_VOPR_SIM_VFS_H
#define STOKER_TESTS_VOPR_SIM_VFS_H

#include <stdbool.h>
#include <stdint.h>

/* Once in a program: SQLite's default from then on. */
void sim_vfs_install(void);
/* Forgets all files: those of another world come. */
void sim_vfs_reset(void);

enum sim_disk_fault { DISK_GOOD, DISK_FULL, DISK_WRITE_FAILS, DISK_SYNC_FAILS };
/* What every write or sync meets from now on. */
void sim_vfs_set_fault(enum sim_disk_fault fault);

/* The process dies with the n-th write, truncation or sync from now; 0: now. From then on no call reaches a
 * file. */
void sim_vfs_die_after(uint32_t n);
bool sim_vfs_is_dead(void);
/* A new process. */
void sim_vfs_revive(void);

/* Makes of the files what a power failure leaves. Only while no file is open. */
void sim_vfs_lose_power(void);
/* The real files have been changed by other hands, and are on the disk as they are. */
void sim_vfs_take_as_found(void);

#endif
