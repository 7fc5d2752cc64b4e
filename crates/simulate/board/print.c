/* What programs print, the same on every machine. */
#include "board.h"

void board_print(const char *text)
{
    while (*text != '\0') {
        board_put(*text);
        text++;
    }
}

void board_report(const char *name, uint32_t value)
{
    char digits[11];
    unsigned at = 10;

    digits[at] = '\0';
    do {
        at--;
        digits[at] = (char)('0' + (int)(value % 10U));
        value /= 10U;
    } while (value != 0U);
    board_print(name);
    board_put(' ');
    board_print(&digits[at]);
    board_put('\n');
}

void board_report_bytes(const char *name, const void *bytes, uint32_t count)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *at = (const unsigned char *)bytes;

    board_print(name);
    board_put(' ');
    for (; count != 0U; count--, at++) {
        board_put(hex[*at >> 4]);
        board_put(hex[*at & 15U]);
    }
    board_put('\n');
}
