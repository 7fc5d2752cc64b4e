/* Two threads of a computer with POSIX, on two of its processors where there are two.
 *
 * board_cycles reads the time stamp counter of x86, elsewhere nanoseconds; board_own_cycles a
 * counter of the processor, for the thread that asks first, where Linux lets this program have one.
 * With BOARD_DELAYS = "SEED PER_MILLE_0 PER_MILLE_1 LONGEST" in the environment, a third thread
 * interrupts threads 0 and 1 at random, each for up to LONGEST pauses and now and then for a turn
 * of the scheduler: after each sleep of a microsecond or more, thread c with probability
 * PER_MILLE_c / 1000.
 */
#define _GNU_SOURCE
#include "board.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__linux__)
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

static void (*work)(void *);
static void *work_argument;
/* How many workers were started, and how many have returned. */
static uint32_t started;
static uint32_t returned;

static pthread_t threads[2];
static unsigned long seed, per_mille[2], longest;

uint32_t board_cycles(void)
{
#if defined(__i386__) || defined(__x86_64__)
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
    (void)high;
    return low;
#else
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec);
#endif
}

#if defined(__linux__)
/* The counter's file, and why there is none. */
static int counter = -1;
static int refusal = -1;

static void open_counter(void)
{
    struct perf_event_attr asked;

    memset(&asked, 0, sizeof asked);
    asked.type = PERF_TYPE_HARDWARE;
    asked.size = sizeof asked;
    asked.config = PERF_COUNT_HW_CPU_CYCLES;
    asked.exclude_kernel = 1;
    asked.exclude_hv = 1;
    counter = (int)syscall(SYS_perf_event_open, &asked, 0, -1, -1, 0UL);
    refusal = counter < 0 ? errno : 0;
}

uint32_t board_own_cycles(void)
{
    uint64_t count;

    if (refusal < 0) {
        open_counter();
    }
    if (counter >= 0 && read(counter, &count, sizeof count) == (ssize_t)sizeof count) {
        return (uint32_t)count;
    }
    return board_cycles();
}

const char *board_clock(void)
{
    static char text[200];

    (void)board_own_cycles();
    if (counter >= 0) {
        return "cycles of the first thread outside of the kernel, by perf_event_open";
    }
    (void)snprintf(text, sizeof text,
                   "ticks of a clock: Linux gives no counter of cycles (perf_event_open: %s%s)",
                   strerror(refusal),
                   refusal == EACCES || refusal == EPERM   ? "; see kernel.perf_event_paranoid"
                   : refusal == ENOENT || refusal == ENODEV ? "; virtual processors often have none"
                                                            : "");
    return text;
}
#endif

void board_put(char byte)
{
    (void)putchar((unsigned char)byte);
}

void board_watch(const void *from)
{
    (void)from;
}

void board_exit(int status)
{
    (void)fflush(stdout);
    _Exit(status);
}

/* Puts a thread on the processor of this number among those that the program may use. */
static void pin(pthread_t thread, unsigned number)
{
#if defined(__linux__)
    cpu_set_t all, one;
    size_t cpu;

    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) {
        return;
    }
    for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &all) && number-- == 0U) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            (void)pthread_setaffinity_np(thread, sizeof one, &one);
            return;
        }
    }
#else
    (void)thread;
    (void)number;
#endif
}

/* Where two threads share a processor, one that only spins keeps the other from its work. */
static void wait_until(const uint32_t *number, uint32_t value)
{
    uint32_t spins = 0;

    while (__atomic_load_n(number, __ATOMIC_ACQUIRE) != value) {
        board_pause();
        spins++;
        if (spins % 1024U == 0U) {
            (void)sched_yield();
        }
    }
}

static void *serve(void *unused)
{
    uint32_t number = 1;

    (void)unused;
    for (;;) {
        wait_until(&started, number);
        work(work_argument);
        __atomic_store_n(&returned, number, __ATOMIC_RELEASE);
        number++;
    }
    return NULL;
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void interrupted(int signal_number)
{
    static uint32_t states[2];
    uint32_t *state = &states[pthread_equal(pthread_self(), threads[0]) ? 0 : 1];
    uint32_t pauses;

    (void)signal_number;
    if (*state == 0U) {
        *state = (uint32_t)seed * 2654435761U | 1U;
    }
    pauses = next_random(state) % (uint32_t)longest;
    if (pauses % 16U == 0U) {
        (void)sched_yield();
    }
    for (; pauses != 0U; pauses--) {
        board_pause();
    }
}

static void *disturb(void *unused)
{
    uint32_t state = (uint32_t)seed * 2246822519U | 1U;
    const struct timespec tick = {0, 1000};

    (void)unused;
    for (;;) {
        unsigned core;

        (void)nanosleep(&tick, NULL);
        for (core = 0; core < 2U; core++) {
            if (next_random(&state) % 1000U < per_mille[core]) {
                (void)pthread_kill(threads[core], SIGUSR1);
            }
        }
    }
    return NULL;
}

static void make_thread(pthread_t *thread, void *(*run)(void *))
{
    if (pthread_create(thread, NULL, run, NULL) != 0) {
        (void)fputs("board: no thread can be made\n", stderr);
        board_exit(254);
    }
}

static void make_threads(void)
{
    const char *delays = getenv("BOARD_DELAYS");
    pthread_t disturber;

    threads[0] = pthread_self();
    make_thread(&threads[1], serve);
    if (delays != NULL && sscanf(delays, "%lu %lu %lu %lu", &seed, &per_mille[0], &per_mille[1],
                                 &longest) == 4 && longest > 0U) {
        struct sigaction action;

        (void)memset(&action, 0, sizeof action);
        action.sa_handler = interrupted;
        action.sa_flags = SA_RESTART;
        (void)sigaction(SIGUSR1, &action, NULL);
        make_thread(&disturber, disturb);
    }
    pin(threads[0], 0);
    pin(threads[1], 1);
}

void board_start(void (*worker)(void *), void *argument)
{
    if (started == 0U) {
        make_threads();
    }
    board_join();
    work = worker;
    work_argument = argument;
    __atomic_store_n(&started, started + 1U, __ATOMIC_RELEASE);
}

void board_join(void)
{
    wait_until(&returned, started);
}
