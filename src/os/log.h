/* log.h - the daemons' log: one line an entry, key=value, user text escaped and quoted.
 *
 * Only daemons and mains log; libraries return errors. Never blocks on a full disk: a line that cannot be
 * written is counted, and the count is told by the next line that can.
 *
 *     2026-11-21T04:30:00.123 stokerd info connected peer=12 name="a\"b"
 *
 * The one module beside backend/loop that looks at a clock: what it reads goes into the line and nowhere
 * else. Its state belongs to the process: set once by main, before there are threads.
 */
#ifndef STOKER_OS_LOG_H
#define STOKER_OS_LOG_H

enum log_level { LOG_LVL_ERROR, LOG_LVL_WARN, LOG_LVL_INFO, LOG_LVL_DEBUG };

/* fd < 0: standard error. name, which must outlive the log, goes into each line.
 * STOKER_LOG=debug|info|warn|error in the environment overrides level. */
void log_open(const char *name, int fd, enum log_level level);
struct str;
/* The same for a program that decodes no UTF-8: append writes a text that others may have chosen. NULL: all
 * but printable ASCII as \xNN. */
void log_open_with(const char *name, int fd, enum log_level level,
                   void (*append)(struct str *line, const char *text));
/* One line; control characters that the arguments bring are escaped. */
void log_msg(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
enum log_level log_level_now(void);

#define log_error(...) log_msg(LOG_LVL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_msg(LOG_LVL_WARN, __VA_ARGS__)
#define log_info(...)  log_msg(LOG_LVL_INFO, __VA_ARGS__)
#define log_debug(...)                           \
    do {                                         \
        if (log_level_now() >= LOG_LVL_DEBUG)    \
            log_msg(LOG_LVL_DEBUG, __VA_ARGS__); \
    } while (0)

#endif
