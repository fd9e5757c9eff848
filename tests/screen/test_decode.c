/* test_decode.c - what a terminal sends becomes the keys that were pressed, and never other ones. */
#include <string.h>

#include "src/base/xalloc.h"
#include "tests/screen/ui_fixture.h"
#include "ui/keys/key_decode.h"

struct typed {
    struct key_decoder d;
    int64_t now;
    struct str got; /* the names of keys, "<paste TEXT>", "<click Y X>" */
};

static void begin(struct typed *t)
{
    decoder_init(&t->d);
    str_init(&t->got);
    t->now = 1000;
}

static void end(struct typed *t)
{
    decoder_fini(&t->d);
    str_fini(&t->got);
}

static void take(struct typed *t)
{
    static const char *const mouse[] = {"click", "double", "up", "down", "right", "drag", "release"};
    struct input in;
    while (decoder_next(&t->d, t->now, &in)) {
        if (in.kind == INPUT_PASTE)
            str_appendf(&t->got, "<paste %s>", in.text);
        else if (in.kind == INPUT_MOUSE)
            str_appendf(&t->got, "<%s %d %d>", mouse[in.what], in.y, in.x);
        else if (key_is_text(in.key) && in.key != ' ') {
            key_format(in.key, &t->got);
        } else {
            str_append_char(&t->got, '<');
            key_format(in.key, &t->got);
            str_append_char(&t->got, '>');
        }
        if (in.burst)
            str_append_char(&t->got, '!');
    }
}

static void feed(struct typed *t, const char *s, size_t n)
{
    decoder_feed(&t->d, s, n, t->now);
    take(t);
}

/* As the loop does it: it reads where the decoder says that it may give something now, and only there. */
static void wait(struct typed *t, int64_t ms)
{
    int64_t until = t->now + ms;
    for (;;) {
        int next = decoder_wait_ms(&t->d, t->now);
        if (next < 0 || t->now + next > until)
            break;
        t->now += next ? next : 1;
        if (decoder_wait_ms(&t->d, t->now) == 0)
            take(t);
    }
    t->now = until;
}

/* What those bytes become at once, byte for byte 60 ms apart, and with another key a second later. */
static void must_give(const char *bytes, size_t n, const char *want)
{
    struct typed t;
    begin(&t);
    feed(&t, bytes, n);
    wait(&t, 2000);
    if (!str_eq(t.got.s, want))
        fail_msg("%s at once: %s, not %s", bytes + (bytes[0] == '\033'), t.got.s, want);
    str_clear(&t.got);
    feed(&t, "j", 1);
    wait(&t, 2000);
    if (!str_eq(t.got.s, "j"))
        fail_msg("%s and then j: %s", bytes + (bytes[0] == '\033'), t.got.s);
    str_clear(&t.got);
    for (size_t i = 0; i < n; i++) {
        feed(&t, bytes + i, 1);
        wait(&t, i + 1 < n ? 60 : 2000);
    }
    if (!str_eq(t.got.s, want))
        fail_msg("%s in pieces: %s, not %s", bytes + (bytes[0] == '\033'), t.got.s, want);
    end(&t);
}

#define GIVES(bytes, want) must_give(bytes, sizeof(bytes) - 1, want)

static void keys_in_both_forms(void **state)
{
    (void)state;
    static const char names[][2][8] = {{"A", "<Up>"},   {"B", "<Down>"}, {"C", "<Right>"}, {"D", "<Left>"},
                                       {"H", "<Home>"}, {"F", "<End>"},  {"P", "<F1>"},    {"S", "<F4>"}};
    for (size_t i = 0; i < N_OF(names); i++) {
        char csi[] = {'\033', '[', names[i][0][0], '\0'}, ss3[] = {'\033', 'O', names[i][0][0], '\0'};
        must_give(csi, 3, names[i][1]);
        must_give(ss3, 3, names[i][1]);
    }
    GIVES("\033[1~", "<Home>");
    GIVES("\033[7~", "<Home>");
    GIVES("\033[4~", "<End>");
    GIVES("\033[8~", "<End>");
    GIVES("\033[5~\033[6~\033[2~\033[3~", "<PgUp><PgDn><Ins><Del>");
    GIVES("\033[11~\033[15~\033[17~\033[21~\033[24~", "<F1><F5><F6><F10><F12>");
    GIVES("\033[[A\033[[E", "<F1><F5>");
    GIVES("\033[Z\033OM", "<S-Tab><Enter>");
    GIVES("\r\n\t\177\b", "<Enter><Enter><Tab><Backspace><Backspace>");
    GIVES("\033", "<Esc>");
}

static bool is_one_of(const char *got, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(got, list[i]))
            return true;
    return false;
}

/* Every final byte, with whatever before it. */
static void unknown_sequences_are_dropped_whole(void **state)
{
    (void)state;
    static const char *const named[] = {"",       "<Up>",   "<Down>", "<Right>", "<Left>", "<Home>",
                                        "<End>",  "<F1>",   "<F2>",   "<F3>",    "<F4>",   "<S-Tab>",
                                        "<PgUp>", "<PgDn>", "<Ins>",  "<Del>",   "<Enter>"};
    static const char *const before[] = {
        "\033[",         "\033[1;5", "\033[27;5;99", "\033[?1;2",
        "\033[>0;276;0", "\033[2 ",  "\033[?25$",    "\033[99;5",
        "\033O",         "\033O5",   "\033\033[",    "\033\033O",
        "\033[25",       "\033[1;1", "\033[<0;1;",   "\302\233",
        "\233",          "\217",     "\033[1;2:3",   "\033[999999999999999999999999999999999999999"};
    for (size_t b = 0; b < N_OF(before); b++)
        for (int final = 0x40; final <= 0x7e; final++) {
            struct typed t;
            begin(&t);
            feed(&t, before[b], strlen(before[b]));
            char c = (char) final;
            wait(&t, 60);
            feed(&t, &c, 1);
            wait(&t, 3000);
            if (!is_one_of(t.got.s, named, N_OF(named)))
                fail_msg("%s%c gives %s", before[b] + 1, final, t.got.s);
            if (b && strlen(before[b]) > 3 && *t.got.s && !strstr(before[b], "\033\033"))
                fail_msg("%s%c gives %s, though it has a modifier", before[b] + 1, final, t.got.s);
            end(&t);
        }
    GIVES("\033[a\033Oa\033[25~\033[34~\033[3$\033[3^\033[200$", "");
    GIVES("\033[1;5C\033[1;2H\033[27;5;99~\033[99;5u", "");
    GIVES("\033[I\033[O", ""); /* focus */
}

static void answers_of_the_terminal_are_no_keys(void **state)
{
    (void)state;
    GIVES("\033[?62;1;6c\033[>0;276;0c\033[24;80R\033[?2026;2$y", "");
    GIVES("\033]11;rgb:0000/0000/0000\033\\", "");
    GIVES("\033]11;rgb:1c1c/1c1c/1c1c\a", "");
    GIVES("\033P1+r436f=323536\033\\", "");
    GIVES("\033P>|cCHRS(1)\033\\\033_Gi=1;OK\033\\\033^mmm\033\\\033Xccc\033\\", "");
    GIVES("\033P never ends SHc", "");
    GIVES("\033]0;cut off\030", "");
    GIVES("\033]0;cut off\033[A", "<Up>");
    GIVES("\302\235"
          "11;rgb:c/H/S\a",
          "");
}

static void alt_with_a_key_is_no_key(void **state)
{
    (void)state;
    for (int c = 1; c < 0x80; c++) {
        struct typed t;
        begin(&t);
        char bytes[] = {'\033', (char)c};
        feed(&t, bytes, 2);
        wait(&t, 3000);
        if (*t.got.s && !str_eq(t.got.s, "<Esc><Esc>"))
            fail_msg("Alt-%c gives %s", c, t.got.s);
        end(&t);
    }
    GIVES("j\303\251", "j\303\251");
    struct typed t;
    begin(&t);
    feed(&t, "\033\303\251", 3);
    wait(&t, 3000);
    assert_string_equal(t.got.s, "");
    feed(&t, "\033", 1); /* pressed one after the other they are two keys */
    wait(&t, 60);
    feed(&t, "q", 1);
    wait(&t, 10);
    assert_string_equal(t.got.s, "<Esc>q");
    end(&t);
}

/* The line stood still for longer than anybody waits for the rest of a key. */
static void a_late_rest_is_no_key(void **state)
{
    (void)state;
    struct typed t;
    begin(&t);
    feed(&t, "\033", 1);
    wait(&t, 300);
    feed(&t, "[B", 2);
    wait(&t, 300);
    assert_string_equal(t.got.s, "<Esc><Down>");
    str_clear(&t.got);
    feed(&t, "\033", 1);
    wait(&t, 300);
    feed(&t, "OH", 2);
    wait(&t, 300);
    feed(&t, "[", 1); /* by itself it is a key */
    wait(&t, 300);
    assert_string_equal(t.got.s, "<Esc><Home>[");
    end(&t);
}

static void a_paste_ends_with_its_mark(void **state)
{
    (void)state;
    GIVES("\033[200~q2?\033[201~", "<paste q2?>");
    GIVES("\033[200~caf\351 sss\033[201~", "<paste caf sss>");
    GIVES("\033[200~\256\035S\177S\033[201~S", "<paste SS>S");
    GIVES("\033[200~a\033[Ab\033Oc\r\nd\te\033[20\033[201~", "<paste a[AbOc\r\nd\te[20>");
    GIVES("\033[200~\303\251\xe5\xad\xa6\033[201~", "<paste \303\251\xe5\xad\xa6>");
    GIVES("\033[200~no end \033[201", "<paste no end >");
    GIVES("\033[201~", "");
    GIVES("\t\033[200~many letters at once\033[201~c", "<Tab><paste many letters at once>c");
    char *all = xcalloc(1, 300); /* every byte, in the middle of one */
    size_t n = 0;
    n += (size_t)snprintf(all, 20, "\033[200~");
    for (int c = 0; c < 256; c++)
        all[n++] = (char)c;
    memcpy(all + n, "\033[201~", 6);
    struct typed t;
    begin(&t);
    feed(&t, all, n + 6);
    wait(&t, 3000);
    assert_true(str_starts(t.got.s, "<paste "));
    assert_non_null(strchr(t.got.s, '~'));
    assert_true(str_ends(t.got.s, "}~>"));
    free(all);
    end(&t);
}

static void a_long_paste_in_pieces(void **state)
{
    (void)state;
    struct typed t;
    char piece[1000];
    begin(&t);
    memset(piece, 'S', sizeof piece);
    feed(&t, "\033[200~", 6);
    for (int i = 0; i < 1500; i++) {
        feed(&t, piece, sizeof piece);
        wait(&t, 10);
    }
    feed(&t, "\033[2", 3);
    wait(&t, 500);
    assert_string_equal(t.got.s, "");
    feed(&t, "01~x", 4);
    wait(&t, 20);
    assert_true(str_starts(t.got.s, "<paste SSSS"));
    assert_true(str_ends(t.got.s, "SS>x"));
    assert_true(t.got.len <= DECODE_PASTE_MAX + 20);
    end(&t);
}

static void broken_characters_are_skipped(void **state)
{
    (void)state;
    GIVES("a\376\377\300\200b", "ab");
    GIVES("\303", "");
    GIVES("\360\237\230\200", "\xf0\x9f\x98\x80");
}

static void many_at_once_are_a_paste(void **state)
{
    (void)state;
    struct typed t;
    begin(&t);
    feed(&t, "rmW7XiVK5jjq\n", 13);
    wait(&t, 50);
    assert_string_equal(t.got.s, "r!m!W!7!X!i!V!K!5!j!j!q!<Enter>!");
    str_clear(&t.got);
    t.now -= 20;
    feed(&t, "not", 3); /* goes on */
    feed(&t, "c", 1);   /* that is pressed */
    wait(&t, 500);
    feed(&t, "not", 3); /* as these are */
    wait(&t, 50);
    assert_string_equal(t.got.s, "n!o!t!cnot");
    str_clear(&t.got);
    feed(&t, "jjjjjjjjjjjjjjjjjjjjkkkk", 24); /* held down */
    wait(&t, 50);
    assert_string_equal(t.got.s, "jjjjjjjjjjjjjjjjjjjjkkkk");
    str_clear(&t.got);
    feed(&t, "Hol", 3); /* the beginning of more */
    assert_string_equal(t.got.s, "");
    t.now += 3;
    feed(&t, "d the line", 10);
    wait(&t, 50);
    assert_true(str_starts(t.got.s, "H!o!l!d!"));
    str_clear(&t.got);
    wait(&t, 500);
    feed(&t, "jq", 2);
    wait(&t, 50);
    assert_string_equal(t.got.s, "jq");
    end(&t);
}

static void the_mouse_in_both_forms(void **state)
{
    (void)state;
    GIVES("\033[<0;5;3M\033[<32;6;3M\033[<0;6;3m", "<click 2 4><drag 2 5><release 2 5>");
    GIVES("\033[<64;5;3M\033[<65;5;3M", "<up 2 4><down 2 4>");
    GIVES("\033[M !!\033[M`!!", "<click 0 0><up 0 0>");
    GIVES("\033[<2;5;3M\033[<2;5;3m\033[M\"!!", "<right 2 4><right 0 0>");
    GIVES("\033[<1;5;3M\033[<35;5;3M\033[<34;5;3M\033[<0;0;0M\033[<0;5M\033[<0;0;0m", "");
    struct typed t;
    begin(&t);
    feed(&t, "\033[<0;5;3M\033[<0;5;3M\033[<0;5;3M\033[<0;5;4M", 40);
    assert_string_equal(t.got.s, "<click 2 4><double 2 4><click 2 4><click 3 4>");
    end(&t);
}

static void keys_of_the_terminal_itself(void **state)
{
    (void)state;
    struct typed t;
    begin(&t);
    decoder_know(&t.d, "\033[224z", KEYNAME_F1);
    decoder_know(&t.d, "\033A", KEYNAME_UP);
    decoder_know(&t.d, "\033[M", KEYNAME_F2);
    decoder_know(&t.d, "x", KEYNAME_F3);
    feed(&t, "\033[224z\033A\033Mx", 11);
    wait(&t, 100);
    assert_string_equal(t.got.s, "<F1><Up>x");
    feed(&t, "\033[M", 3);
    wait(&t, 100);
    assert_string_equal(t.got.s, "<F1><Up>x<F2>");
    end(&t);
}

/* Bytes at random, in pieces of any size: what is pasted or broken never becomes an answer to the program
 * itself, and the decoder always comes to rest. */
static void any_bytes(void **state)
{
    (void)state;
    uint64_t dice = 4711;
    struct typed t;
    begin(&t);
    for (int i = 0; i < 200000; i++) {
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        uint32_t r = (uint32_t)(dice >> 33);
        char c = r % 5 == 0 ? '\033' : r % 7 == 0 ? '[' : (char)(r >> 8);
        feed(&t, &c, 1);
        wait(&t, r % 97 == 0 ? 700 : r % 11);
        str_clear(&t.got);
    }
    wait(&t, 5000);
    assert_int_equal(decoder_wait_ms(&t.d, t.now), -1);
    str_clear(&t.got);
    feed(&t, "j", 1);
    wait(&t, 50);
    assert_string_equal(t.got.s, "j");
    end(&t);
}

/* --- the same on the screens --- */

static void burst(struct uilab *u, const char *s)
{
    for (; *s; s++) {
        struct input in = input_key((uint32_t)*s == '\n' ? KEYNAME_ENTER : (uint32_t)*s);
        in.burst = true;
        in.more = s[1] != '\0';
        app_input(u->app, &in);
    }
    uilab_draw(u, 24, 80);
}

static void a_paste_without_brackets_runs_nothing(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_forget_sent(u);
    burst(u, "cancel this\ny\nS\nw\nstart=now");
    must_show(u, "pasted text was ignored");
    must_show(u, "train-resnet");
    uilab_keys(u, "c");
    uilab_draw(u, 24, 80);
    must_show(u, "cancel 1 job");
    burst(u, "yes indeed"); /* a question takes no paste */
    must_show(u, "cancel 1 job");
    assert_null(uilab_sent(u, MSG_ACT));
    uilab_keys(u, "n");
    uilab_keys(u, "2");
    burst(u, "waiting for\nstart=now duration=1h\n");
    assert_null(uilab_sent(u, MSG_WINDOW_SET));
    must_not_show(u, "a window on");
}

static void a_paste_without_brackets_is_text_where_one_types(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, "/");
    burst(u, "train\nc\ny");
    must_show(u, "train c y");
    assert_null(uilab_sent(u, MSG_ACT));
    uilab_keys(u, "<Esc>");
    burst(u, ":hold 4 or\nso\n"); /* a first key that opens a line, and a line's end as the last */
    must_not_show(u, "pasted text was ignored");
    uilab_keys(u, "<Esc><Esc>s");
    burst(u, "python train.py --lr 1");
    must_show(u, "python train.py --lr 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_in_both_forms),
        cmocka_unit_test(unknown_sequences_are_dropped_whole),
        cmocka_unit_test(answers_of_the_terminal_are_no_keys),
        cmocka_unit_test(alt_with_a_key_is_no_key),
        cmocka_unit_test(a_late_rest_is_no_key),
        cmocka_unit_test(a_paste_ends_with_its_mark),
        cmocka_unit_test(a_long_paste_in_pieces),
        cmocka_unit_test(broken_characters_are_skipped),
        cmocka_unit_test(many_at_once_are_a_paste),
        cmocka_unit_test(the_mouse_in_both_forms),
        cmocka_unit_test(keys_of_the_terminal_itself),
        cmocka_unit_test(any_bytes),
        UI_FIXTURE_CASE(a_paste_without_brackets_runs_nothing),
        UI_FIXTURE_CASE(a_paste_without_brackets_is_text_where_one_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
