/* Times a batch of the C library beside Rust's, in one process and over the same memory: `make
 * bench-c`. The two take turns, and the one that begins changes; medians of the paired ratios are
 * printed as JSON. Rust has its list of messages beforehand. Fails where C takes more than 1.02
 * times as long.
 * Usage: batch [RUNS] */
#define _POSIX_C_SOURCE 200112L
#include <manylane.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct messages;
const struct messages *direct_messages(const void **starts, const size_t *sizes, size_t count);
bool direct_run(const struct messages *messages, bool md5, size_t threads, uint8_t *digests);

struct cell {
    const char *algorithm;
    size_t count, size, threads;
};

/* No turn takes less than a millisecond. */
static const struct cell CELLS[] = {
    {"sha256", 100000, 64, 1},   {"sha256", 20000, 1024, 1}, {"sha256", 2000, 16384, 1},
    {"sha256", 100000, 64, 2},   {"sha256", 20000, 1024, 2}, {"md5", 100000, 64, 1},
    {"md5", 20000, 1024, 1},     {"md5", 2000, 16384, 1},
};

static void *room(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL) {
        fputs("batch: no memory\n", stderr);
        exit(1);
    }
    return memory;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

static bool measure(const struct cell *cell, size_t runs, bool last)
{
    size_t digest = manylane_digest_bytes(cell->algorithm), all = cell->count * digest, i, turn;
    uint8_t *data = room(cell->count * cell->size), *digests[2];
    const void **starts = room(cell->count * sizeof *starts);
    size_t *sizes = room(cell->count * sizeof *sizes);
    double *times[2], *ratios = room(runs * sizeof *ratios), ratio;
    manylane_options options = MANYLANE_OPTIONS;
    const struct messages *direct;
    bool md5 = strcmp(cell->algorithm, "md5") == 0;

    for (i = 0; i < cell->count * cell->size; i++)
        data[i] = (uint8_t)((i * 2654435761u) >> 24);
    for (i = 0; i < cell->count; i++) {
        starts[i] = data + i * cell->size;
        sizes[i] = cell->size;
    }
    for (i = 0; i < 2; i++) {
        digests[i] = room(all);
        times[i] = room(runs * sizeof *times[i]);
    }
    options.threads = cell->threads;
    direct = direct_messages(starts, sizes, cell->count);
    for (i = 0; i < runs + 1; i++) {
        for (turn = 0; turn < 2; turn++) {
            size_t who = (i + turn) % 2;
            double begin = now(), end;
            bool done = who == 0
                ? manylane_hash_many(cell->algorithm, &options, starts, sizes, cell->count,
                                     digests[0], all)
                    == MANYLANE_STATUS_OK
                : direct_run(direct, md5, cell->threads, digests[1]);
            end = now();
            if (!done) {
                fprintf(stderr, "batch: %s\n", manylane_last_error());
                exit(1);
            }
            /* The first run warms up. */
            if (i > 0)
                times[who][i - 1] = end - begin;
        }
    }
    if (memcmp(digests[0], digests[1], all) != 0) {
        fprintf(stderr, "batch: digests of %s differ\n", cell->algorithm);
        exit(1);
    }
    for (i = 0; i < runs; i++)
        ratios[i] = times[0][i] / times[1][i];
    ratio = median(ratios, runs);
    printf("  {\"hash\": \"%s\", \"messages\": %zu, \"bytes\": %zu, \"threads\": %zu, "
           "\"c_ns\": %.2f, \"rust_ns\": %.2f, \"ratio\": %.4f}%s\n",
           cell->algorithm, cell->count, cell->size, cell->threads,
           median(times[0], runs) / (double)cell->count * 1e9,
           median(times[1], runs) / (double)cell->count * 1e9, ratio, last ? "" : ",");
    fflush(stdout);
    free(data);
    return ratio <= 1.02;
}

int main(int argc, char **argv)
{
    size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 101;
    size_t count = sizeof CELLS / sizeof *CELLS, i;
    bool kept = true;

    printf("{\"runs\": %zu, \"cells\": [\n", runs);
    for (i = 0; i < count; i++)
        kept &= measure(&CELLS[i], runs, i + 1 == count);
    puts("]}");
    if (!kept)
        fputs("batch: C takes more than 1.02 times as long\n", stderr);
    return kept ? 0 : 1;
}
