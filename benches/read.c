/* Reads files and does nothing with them: what a hasher of files cannot be faster than.
 *
 *     cc -O2 -pthread read.c -o read && read THREADS FILE...
 *
 * As `manylane sum` does, each file is opened, asked for its size and times before and after, read
 * to its end and closed; the buffer of a thread stays in its second-level cache. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 256 << 10, CLAIM = 16, MOST_THREADS = 64 };

static char **names;
static int count;
static atomic_int next;

static void *work(void *unused)
{
    (void)unused;
    char *buffer = aligned_alloc(4096, BUFFER);
    if (!buffer)
        abort();
    for (int first; (first = atomic_fetch_add(&next, CLAIM)) < count;) {
        for (int i = first; i < count && i < first + CLAIM; i++) {
            struct stat about;
            int file = open(names[i], O_RDONLY | O_CLOEXEC);
            if (file < 0 || fstat(file, &about)) {
                perror(names[i]);
                exit(1);
            }
            while (read(file, buffer, BUFFER) == BUFFER)
                ;
            fstat(file, &about);
            close(file);
        }
    }
    free(buffer);
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 0;
    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: read THREADS FILE...\n");
        return 1;
    }
    names = argv + 2;
    count = argc - 2;
    pthread_t all[MOST_THREADS];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&all[i], NULL, work, NULL))
            return 1;
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    return 0;
}
