/* exe_path.h - where this program lies, and the ones that came with it. */
#ifndef STOKER_OS_EXE_PATH_H
#define STOKER_OS_EXE_PATH_H

/* The path of the running program (what the kernel says, links resolved); NULL where /proc does not tell.
 * Caller frees. */
char *exe_path(void);

/* The directory of the running program; NULL where /proc does not tell. Caller frees. */
char *exe_path_dir(void);

/* The executable file `name` in the directory of the running program, as they lie in the build and where
 * they are installed; NULL where there is none. Caller frees. */
char *exe_path_sibling(const char *name);

/* That program, or its name alone where it is not there, which is then looked for in PATH. Caller frees. */
char *exe_path_program(const char *name);

/* Becomes the program `name`: the one beside us, else the one in PATH. Returns a negative errno where it
 * cannot be started. */
int exe_path_exec(const char *name, char *const argv[]);

#endif
