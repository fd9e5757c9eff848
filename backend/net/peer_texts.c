#include "backend/net/peer_texts.h"

#include "src/base/utf8.h"

static void peer_texts_clean_one(void *ctx, char **text)
{
    (void)ctx;
    if (*text)
        utf8_clean(*text, PEER_TEXT_MAX);
}

static void peer_texts_clean_list(struct strv *v)
{
    for (size_t i = 0; i < v->n; i++)
        utf8_clean(v->v[i], PEER_TEXT_MAX);
}

void peer_texts_clean(enum msg_kind kind, void *body)
{
    struct msg_agent *m = kind == MSG_AGENT ? body : NULL;
    char *socket = m ? m->client_socket : NULL, *dir = m ? m->bin_dir : NULL;
    if (m)
        m->client_socket = m->bin_dir = NULL;
    rec_each_text(msg_rec(kind), body, peer_texts_clean_one, NULL);
    if (!m)
        return;
    m->client_socket = socket;
    m->bin_dir = dir;
    peer_texts_clean_list(&m->notes);
    peer_texts_clean_list(&m->gpu_notes);
}
