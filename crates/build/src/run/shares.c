/* Runs the two shares of a library for two cores one after the other on core 0: what either waits
 * for is there, so that the times are those of the shares alone. Then gives core 1 jobs in which
 * nothing is done, for what a job takes on the way.
 *
 * LENGTHS is given by the compiler's flags, and MANYLANE_START, which runs a job as soon as it is
 * given. What is done with a message is in calls.h. Accesses to the flags of the last message are
 * watched. Prints where the flags are; for each length, lines `main CYCLES`, `second CYCLES`, `jobs
 * COUNT`; then sums of JOBS: `start` and `finish` of the empty jobs, `seen` from the moment before
 * a core posts until the one that waits has gone on, and `here` for the same if a core waits for
 * what it has posted itself.
 */
#include "board.h"
#include "measured.h"

#include <stddef.h>

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define JOBS 16u

/* How far the counter of a core that does not run is ahead of what it is waited for. */
#define AHEAD UINT32_C(0x40000000)

static const uint32_t lengths[] = { LENGTHS };
static union { uint64_t aligned; uint8_t bytes[MOST]; } message;
#if defined(FLAGS)
/* Hand-overs have flags of their own in the pair. One after the other, both are watched. */
static struct {
    manylane_second second;
    measured_pair pair;
} cores;
#define second cores.second
#define pair cores.pair
#define REPORT_FLAGS(name, field) \
    board_report(name, (uint32_t)((const char *)FLAGS.field - (const char *)&cores)); \
    board_report(name "_count", (uint32_t)COUNT(FLAGS.field))
#else
static measured_pair pair;
static manylane_second second;
#endif
static uint32_t jobs, of_jobs;

#include "calls.h"

/* How far the other core is beyond what this one needs. */
volatile int32_t share_ahead = INT32_MAX;

#if defined(FLAGS)
static uint32_t of_neither;

/* No flag has the number of a call: MANYLANE_MEET waits for another one. Counts for neither
 * core. */
static void forget(void)
{
    const uint32_t from = board_cycles();
    uint32_t i;

    for (i = 0; i < COUNT(FLAGS.posted); i++) {
        FLAGS.posted[i] = 0;
    }
    of_neither += board_cycles() - from;
}
#endif

/* The worker's share, which counts for core 1. */
int share_alone(void *argument);
int share_alone(void *argument)
{
    manylane_second *const core = (manylane_second *)argument;
    const uint32_t from = board_cycles();

    MANYLANE_STORE(&core->given, core->claimed + AHEAD);
    core->worker(core->argument);
    MANYLANE_STORE(&core->posted, core->claimed + AHEAD);
    MANYLANE_STORE(&core->done, MANYLANE_LOAD(&core->asked));
    jobs++;
    of_jobs += board_cycles() - from;
#if defined(FLAGS)
    forget();
#endif
    return 1;
}

static volatile uint32_t entered, left;

static void nothing(void *argument)
{
    (void)argument;
    entered = board_cycles();
    left = board_cycles();
}

/* Answers each hand-over, in other phases of the loop in which core 0 waits. */
static void answer(void *argument)
{
    uint32_t i, from;

    (void)argument;
    for (i = 1; i <= JOBS; i++) {
        (void)MANYLANE_WAIT(&second.given, i);
        for (from = board_cycles(); board_cycles() - from < 64u + 7u * i;) {
        }
        left = board_cycles();
        MANYLANE_POST(&second.posted, i);
    }
}

static void serve(void *argument)
{
    manylane_serve((manylane_second *)argument);
}

int main(void)
{
    uint8_t result[RESULT_BYTES];
    uint32_t i, k, from, took, start = 0, finish = 0, seen = 0, here = 0;

    manylane_second_init(&second);
    measured_pair_init(&pair, &second);
    MANYLANE_STORE(&second.serves, 1u);
    MANYLANE_STORE(&second.posted, AHEAD);
    board_report("offset_serves", (uint32_t)offsetof(manylane_second, serves));
    board_report("offset_asked", (uint32_t)offsetof(manylane_second, asked));
    board_report("offset_done", (uint32_t)offsetof(manylane_second, done));
    board_report("offset_posted", (uint32_t)offsetof(manylane_second, posted));
    board_report("offset_given", (uint32_t)offsetof(manylane_second, given));
#if defined(FLAGS)
    REPORT_FLAGS("flags_given", given);
    REPORT_FLAGS("flags_posted", posted);
#endif
    for (i = 0; i < COUNT(lengths); i++) {
        const uint32_t length = lengths[i];

        jobs = 0;
        of_jobs = 0;
#if defined(FLAGS)
        of_neither = 0;
#endif
        BEFORE
        /* The last one is watched. */
        board_watch(i + 1u == COUNT(lengths) ? &second : NULL);
        from = board_cycles();
        MEASURED
        took = board_cycles() - from;
        board_watch(NULL);
#if defined(FLAGS)
        took -= of_neither;
#endif
        board_report("main", took - of_jobs);
        board_report("second", of_jobs);
        board_report("jobs", jobs);
    }
    (void)k;
    (void)result;
    manylane_second_init(&second);
    board_start(serve, &second);
    while (!MANYLANE_LOAD(&second.serves)) {
        board_pause();
    }
    for (i = 0; i < JOBS; i++) {
        /* Other phases of the loop in which core 1 waits. */
        for (from = board_cycles(); board_cycles() - from < 64u + i;) {
        }
        (void)manylane_start(&second, nothing, NULL);
        from = board_cycles();
        (void)MANYLANE_WAIT(&second.done, MANYLANE_LOAD(&second.asked));
        took = board_cycles();
        start += entered - from;
        finish += took - left;
    }
    MANYLANE_STORE(&second.given, 0u);
    MANYLANE_STORE(&second.posted, 0u);
    (void)manylane_start(&second, answer, NULL);
    for (from = board_cycles(); board_cycles() - from < 200u;) {
    }
    for (i = 1; i <= JOBS; i++) {
        MANYLANE_POST(&second.given, i);
        (void)MANYLANE_WAIT(&second.posted, i);
        seen += board_cycles() - left;
    }
    board_report("seen", seen);
    (void)MANYLANE_WAIT(&second.done, MANYLANE_LOAD(&second.asked));
    for (i = 1; i <= JOBS; i++) {
        left = board_cycles();
        MANYLANE_POST(&second.given, i);
        (void)MANYLANE_WAIT(&second.given, i);
        here += board_cycles() - left;
    }
    board_report("here", here);
    board_report("start", start);
    board_report("finish", finish);
    manylane_stop(&second);
    board_join();
    return 0;
}
