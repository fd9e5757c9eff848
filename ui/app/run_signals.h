/* run_signals.h - signals of the screens' process. */
#ifndef UI_APP_RUN_SIGNALS_H
#define UI_APP_RUN_SIGNALS_H

/* Returns a descriptor that reads WINCH, and TERM and HUP while they are blocked. */
int run_signals_block(void);
/* Ends the process as sig would have. */
void run_signals_end_by(int sig);

#endif
