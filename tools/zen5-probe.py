#!/usr/bin/env python3
"""Measures on this CPU what the port limits of tools/ports.py rest on: the latency of vector
instructions, one waiting for the other, and how many independent ones a cycle takes.

  tools/zen5-probe.py      needs cc, and a CPU with AVX-512, SHA-NI and GFNI

A cycle is the time of one dependent addition of integers, measured beside each row, so that the
clock's frequency does not matter; of 31 measurements the median counts.

The next rows show how much code stays decoded: steps of 48 additions, over and over, as many as are
9 to 45 KiB of instructions.

Then come rows that show that messages evict code from the second-level cache: 18 KiB of code take
longer if each step prefetches a line of one of 64 messages (16 MiB in all), and nearly as long as
before if each turn prefetches eight lines of the code itself, too.

The last row tells whether the core has a neighbour that takes the same ports, as another virtual
machine on the same core does: additions a cycle in 100 moments of five seconds. A core without a
neighbour has four in all of them.
"""
import pathlib
import subprocess
import tempfile

# {d} is written and {a} read; registers 30 and 31 are only read.
INSTRUCTIONS = {
    "vpaddd": "vpaddd %zmm{a}, %zmm31, %zmm{d}",
    "vpxord": "vpxord %zmm{a}, %zmm31, %zmm{d}",
    "vpternlogd": "vpternlogd $0x96, %zmm{a}, %zmm31, %zmm{d}",
    "vprold": "vprold $7, %zmm{a}, %zmm{d}",
    "vpsrlq": "vpsrlq $7, %zmm{a}, %zmm{d}",
    "vpunpckldq": "vpunpckldq %zmm{a}, %zmm31, %zmm{d}",
    "vpshufb": "vpshufb %zmm31, %zmm{a}, %zmm{d}",
    "vshufi32x4": "vshufi32x4 $0x88, %zmm{a}, %zmm31, %zmm{d}",
    "vpermt2d": "vpermt2d %zmm30, %zmm31, %zmm{d}",
    "vinserti64x4 memory": "vinserti64x4 $1, 64(%rdi), %zmm{a}, %zmm{d}",
    "vgf2p8affineinvqb": "vgf2p8affineinvqb $99, %zmm31, %zmm{a}, %zmm{d}",
    "vpaddd memory": "vpaddd 64(%rdi), %zmm{a}, %zmm{d}",
    "vmovdqu64 load": "vmovdqu64 64(%rdi), %zmm{d}",
    "vmovdqu64 store": "vmovdqu64 %zmm{a}, 64(%rdi)",
    "sha256rnds2": "sha256rnds2 %xmm0, %xmm15, %xmm{d}",
    "sha256msg1": "sha256msg1 %xmm15, %xmm{d}",
    "sha256msg2": "sha256msg2 %xmm15, %xmm{d}",
    "sha1rnds4": "sha1rnds4 $1, %xmm15, %xmm{d}",
    "sha1nexte": "sha1nexte %xmm15, %xmm{d}",
}
# Three-input logic that overwrites all its registers, in groups of twelve that do not wait for one
# another.
CHANGING = "vpternlogd $0x96, %zmm{a}, %zmm{b}, %zmm{d}"
# Instructions of several kinds at once, all independent: whether they share ports.
TOGETHER = {
    "vpaddd, vprold": ["vpaddd", "vprold"],
    "vpshufb, vprold": ["vpshufb", "vprold"],
    "sha256rnds2, 3 × vpaddd": ["sha256rnds2", "vpaddd", "vpaddd", "vpaddd"],
    "sha256rnds2, sha256msg2": ["sha256rnds2", "sha256msg2"],
}
COUNT = 48
MESSAGES = 64
# Bytes from a message to the next.
STRIDE = 16384 + 64
# Steps in code of 9, 18, 27, 36 and 45 KiB.
CODES = [32, 64, 96, 128, 160]

MAIN = """
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
static void add(long turns) {
    __asm__ volatile("1:\\n.rept 100\\nadd %%r8, %%r9\\n.endr\\ndec %0\\njnz 1b"
                     : "+r"(turns) : : "r8", "r9");
}
static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* The median cycles of some work. */
#define CYCLES(work) ({                                        \\
    double cycles[31];                                         \\
    for (int turn = 0; turn < 31; turn++) {                    \\
        double begin = now();                                  \\
        add(20000);                                            \\
        double middle = now();                                 \\
        work;                                                  \\
        cycles[turn] = (now() - middle) / (middle - begin) * 2e6; \\
    }                                                          \\
    qsort(cycles, 31, sizeof *cycles, compare);                \\
    cycles[15];                                                \\
})
static void blocks(void (*run)(char *), char *messages, int code) {
    for (int group = 0; group < 16; group++)
        for (int block = 0; block < 240; block++) {
            for (int line = 0; line < code; line++)
                __builtin_prefetch((char *)run + 64 * ((code * block + line) % 288));
            run(messages + group * MESSAGES * (long)STRIDE + 64 * block);
        }
}
static void stream(const char *name, void (*run)(char *), char *messages, int code) {
    double cycles = CYCLES(blocks(run, messages, code)) / (16 * 240 * MESSAGES);
    printf("%-36s %5.2f cycles a step\\n", name, cycles);
}
static int probe(const char *name) {
    int i = 0;
    while (strcmp(probes[i].name, name)) i++;
    return i;
}
static double additions(void) {
    static int vpaddd = -1;
    if (vpaddd < 0) vpaddd = probe("vpaddd");
    double begin = now();
    add(2000);
    double middle = now();
    probes[vpaddd].run(4000);
    return 4000 * COUNT / ((now() - middle) / (middle - begin) * 2e5);
}
static void neighbour(void) {
    double rates[100];
    struct timespec pause = {0, 50000000};
    for (int i = 0; i < 100; i++) {
        rates[i] = additions();
        nanosleep(&pause, 0);
    }
    qsort(rates, 100, sizeof *rates, compare);
    printf("%-36s %5.2f a cycle, in a tenth of the time at most %.2f, in a tenth at least %.2f\\n",
           "vpaddd in 5 s", rates[50], rates[10], rates[90]);
}
int main(void) {
    for (unsigned i = 0; i < sizeof probes / sizeof *probes; i++) {
        double cycles = CYCLES(probes[i].run(20000)) / 20000 / COUNT;
        printf("%-36s %5.2f cycles each, %5.2f a cycle\\n", probes[i].name, cycles, 1 / cycles);
    }
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        int steps = codes[i].steps;
        double cycles = CYCLES(for (int k = 0; k < 500; k++) codes[i].run(0)) / 500 / steps;
        printf("%2d KiB of code, over and over        %5.2f cycles a step\\n",
               steps * 9 / 32, cycles);
    }
    char *messages = malloc(17 * MESSAGES * (long)STRIDE);
    memset(messages, 1, 17 * MESSAGES * (long)STRIDE);
    stream("18 KiB of code", steps0, messages, 0);
    stream("18 KiB of code, messages", steps1, messages, 0);
    stream("18 KiB of code asked for, messages", steps1, messages, 8);
    neighbour();
}
"""


def function(number, instructions):
    text = "\\n".join(line.replace("%", "%%") for line in instructions)
    clobbers = ", ".join(f'"xmm{i}"' for i in range(32))
    return (
        f"static void probe{number}(long turns) {{ void *p = buffer; __asm__ volatile("
        f'"1:\\n{text}\\ndec %%rsi\\njnz 1b" : "+D"(p), "+S"(turns) : : "memory", {clobbers}); }}\n'
    )


def steps(number, asks, count=MESSAGES):
    """Steps of 288 bytes, which may ask for a line of a message each."""
    lines = []
    for message in range(count):
        lines += [INSTRUCTIONS["vpaddd"].format(a=1 + i % 12, d=1 + i % 12) for i in range(COUNT)]
        lines += [f"prefetcht0 {message * STRIDE + 192}(%rdi)"] * asks
    text = "\\n".join(line.replace("%", "%%") for line in lines)
    clobbers = ", ".join(f'"xmm{i}"' for i in range(32))
    return (
        f"static void steps{number}(char *messages) {{ __asm__ volatile("
        f'"{text}" : "+D"(messages) : : {clobbers}); }}\n'
    )


def main():
    probes = []
    for name, text in INSTRUCTIONS.items():
        if not name.endswith(("load", "store")):
            probes.append((f"{name}, waiting", [text.format(a=1, d=1)] * COUNT))
        registers = range(1, 13)
        probes.append((name, [text.format(a=r, d=r) for r in registers] * (COUNT // 12)))
    changing = []
    for i in range(COUNT):
        written, read = (0, 12) if i // 12 % 2 == 0 else (12, 0)
        of = {"d": written + i % 12, "a": read + (i + 3) % 12, "b": read + (5 * i + 7) % 12}
        changing.append(CHANGING.format(**of))
    probes.append(("vpternlogd, all three change", changing))
    for name, parts in TOGETHER.items():
        texts = [INSTRUCTIONS[part] for part in parts]
        lines = [texts[i % len(texts)].format(a=1 + i % 12, d=1 + i % 12) for i in range(COUNT)]
        probes.append((name, lines))
    source = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
    source += f"#define MESSAGES {MESSAGES}\n#define STRIDE {STRIDE}\n" + steps(0, 0) + steps(1, 1)
    source += f"#define COUNT {COUNT}\nstatic char buffer[4096] __attribute__((aligned(64)));\n"
    source += "".join(function(i, lines) for i, (_, lines) in enumerate(probes))
    source += "".join(steps(count, 0, count) for count in CODES)
    codes = ", ".join(f"{{{count}, steps{count}}}" for count in CODES)
    source += f"static const struct {{ int steps; void (*run)(char *); }} codes[] = {{{codes}}};\n"
    rows = ", ".join(f'{{"{name}", probe{i}}}' for i, (name, _) in enumerate(probes))
    source += (
        f"static const struct {{ const char *name; void (*run)(long); }} probes[] = {{{rows}}};\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "probe")
        command = ["cc", "-O1", "-mavx512f", "-x", "c", "-", "-o", program]
        subprocess.run(command, input=source + MAIN, text=True, check=True)
        subprocess.run([program], check=True)


if __name__ == "__main__":
    main()
