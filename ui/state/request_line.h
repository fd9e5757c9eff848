/* request_line.h - the command line that does in a shell what a request of the screens does. */
#ifndef UI_STATE_REQUEST_LINE_H
#define UI_STATE_REQUEST_LINE_H

#include "src/client/client.h"

enum request_line_kind {
    REQUEST_ASKS,    /* it changes nothing: there is no line */
    REQUEST_CHANGES, /* the line is told */
    REQUEST_UNNAMED, /* it changes something, and its line is not known here */
};

/* Appends the line: words for a shell, quoted as they need it. admin: the user is an administrator. A job
 * in steps is REQUEST_UNNAMED: its file is known to the form alone. Pure. */
enum request_line_kind request_line(enum msg_kind kind, const void *body, bool admin, struct str *out);

/* A here-document of text for a shell, begun on the present line: " <<'EOF'", the text, "EOF". Its
 * delimiter differs from each line of the text. */
void request_line_append_document(struct str *out, const char *text);

#endif
