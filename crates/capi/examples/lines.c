/* Prints the digest of each line of standard input, as `sha256sum` would of files with these
 * contents. Usage: lines [ALGORITHM] [THREADS] */
#include <manylane.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *memory, size_t size)
{
    void *larger = realloc(memory, size);
    if (larger == NULL) {
        fputs("lines: no memory\n", stderr);
        exit(1);
    }
    return larger;
}

int main(int argc, char **argv)
{
    const char *algorithm = argc > 1 ? argv[1] : "sha256";
    manylane_options options = MANYLANE_OPTIONS;
    size_t digest_bytes = manylane_digest_bytes(algorithm);
    char *text = NULL;
    uint64_t *offsets = NULL;
    unsigned char *digests;
    size_t size = 0, room = 0, read, lines = 0, i, j;
    char *lines_end;

    if (digest_bytes == 0) {
        fprintf(stderr, "lines: %s\n", manylane_last_error());
        return 1;
    }
    if (argc > 2)
        options.threads = strtoul(argv[2], NULL, 10);

    do {
        if (size == room)
            text = grown(text, room = 2 * room + 4096);
        read = fread(text + size, 1, room - size, stdin);
        size += read;
    } while (read > 0);

    /* The lines are messages without their ends, so the ends are taken out of the text. */
    offsets = grown(offsets, (size + 2) * sizeof *offsets);
    offsets[0] = 0;
    lines_end = text;
    for (i = 0; i < size; i++) {
        if (text[i] != '\n')
            *lines_end++ = text[i];
        if (text[i] == '\n' || i + 1 == size)
            offsets[++lines] = (uint64_t)(lines_end - text);
    }

    digests = grown(NULL, lines * digest_bytes + 1);
    if (manylane_hash_offsets(algorithm, &options, text, (size_t)(lines_end - text), offsets, lines,
                              digests, lines * digest_bytes)
        != MANYLANE_STATUS_OK) {
        fprintf(stderr, "lines: %s\n", manylane_last_error());
        return 1;
    }
    for (i = 0; i < lines; i++) {
        for (j = 0; j < digest_bytes; j++)
            printf("%02x", digests[i * digest_bytes + j]);
        putchar('\n');
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("lines: standard output");
        return 1;
    }
    free(digests);
    free(offsets);
    free(text);
    return 0;
}
