/* did.h - what a handler answers with: bits. Only the frame draws. */
#ifndef UI_WIDGET_DID_H
#define UI_WIDGET_DID_H

#define DID_HANDLE 1u /* the input was taken: no other component gets it */
#define DID_REDRAW 2u /* the picture has changed */
#define DID_LEAVE  4u /* close me */

#endif
