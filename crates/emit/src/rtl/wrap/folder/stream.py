"""Messages through {top} on AXI4-Stream: beats of all contexts mixed, both sides pausing.

Digests are held to those of messages.txt and, if Python has the hash, to hashlib's. Beats without
bytes are to change nothing, and beats whose bytes are in the wrong place to mark their digest.
"""

import hashlib
import pathlib
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

# By mode, if there are several.
NAMES = {names}
CLEARS = {clears}
CONTEXTS, WIDTH, BLOCK = {contexts}, {bytes}, {block}
MODE_BITS = (len(NAMES) - 1).bit_length()
FULL = 2**WIDTH - 1


def reference(mode, message):
    """The digest by hashlib, or None."""
    try:
        return hashlib.new(NAMES[mode], message).digest()
    except (ValueError, TypeError):
        return None


def messages():
    """Modes, messages and digests: those of the file, then random ones."""
    lines = pathlib.Path(__file__).with_name("messages.txt").read_text().splitlines()
    split = [line.split(":") for line in lines]
    known = [(int(mode), bytes.fromhex(message), bytes.fromhex(digest))
             for mode, message, digest in split]
    if any(reference(mode, message) != digest for mode, message, digest in known):
        return known
    lengths = [random.randrange(3 * BLOCK) for _ in range(40)]
    others = [random.randbytes(length) for length in lengths]
    modes = [random.randrange(len(NAMES)) for _ in others]
    return known + [(mode, message, reference(mode, message))
                    for mode, message in zip(modes, others)]


def beats(mode, message):
    """User, data, keep, last; an empty message is one beat without bytes."""
    parts = [message[i : i + WIDTH] for i in range(0, len(message), WIDTH)] or [b""]
    last = len(parts) - 1
    # The mode counts in the first beat.
    return [(0 if i else mode, int.from_bytes(part, "little"), 2 ** len(part) - 1, i == last)
            for i, part in enumerate(parts)]


def with_gaps(beats):
    """The same beats, and before each one without bytes, which is to be skipped."""
    return [beat for right in beats for beat in ((0, random.getrandbits(8), 0, False), right)]


def spoiled(beats):
    """A beat of them short though others follow, or with bytes that do not follow each other."""
    place = random.randrange(len(beats))
    mode, data, keep, last = beats[place]
    wrong = [FULL << 1 & FULL, FULL & ~2] + ([] if last else [FULL >> 1, 1])
    return beats[:place] + [(mode, data, random.choice(wrong), last)] + beats[place + 1 :]


async def reset(dut):
    dut.rst.value = 1
    dut.s_axis_tvalid.value = 0
    dut.m_axis_tready.value = 0
    if CLEARS:
        dut.clear.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


async def send(dut, queues, pauses):
    while any(queues):
        number = random.choice([i for i, queue in enumerate(queues) if queue])
        mode, data, keep, last = queues[number].popleft()
        while random.random() < pauses:
            await RisingEdge(dut.clk)
        dut.s_axis_tvalid.value = 1
        dut.s_axis_tid.value = number
        dut.s_axis_tdata.value = data
        dut.s_axis_tkeep.value = keep
        dut.s_axis_tlast.value = int(last)
        if len(NAMES) > 1:
            dut.s_axis_tuser.value = mode
        await RisingEdge(dut.clk)
        while not dut.s_axis_tready.value:
            await RisingEdge(dut.clk)
        dut.s_axis_tvalid.value = 0


async def receive(dut, due, pauses):
    digest = b""
    while any(due):
        dut.m_axis_tready.value = int(random.random() >= pauses)
        await RisingEdge(dut.clk)
        if not (dut.m_axis_tvalid.value and dut.m_axis_tready.value):
            continue
        kept = int(dut.m_axis_tkeep.value).bit_length()
        digest += int(dut.m_axis_tdata.value).to_bytes(WIDTH, "little")[:kept]
        if dut.m_axis_tlast.value:
            number = int(dut.m_axis_tid.value)
            mode, expected, wrong = due[number].popleft()
            assert digest == expected, f"a digest of context {number}"
            assert dut.m_axis_tuser.value == wrong << MODE_BITS | mode, f"tuser of context {number}"
            digest = b""


async def start(dut):
    random.seed(1)
    cocotb.start_soon(Clock(dut.clk, 10, units="ns").start())
    await reset(dut)


async def run(dut, pauses, sent, odd=False):
    queues = [deque() for _ in range(CONTEXTS)]
    due = [deque() for _ in range(CONTEXTS)]
    for i, (mode, message, digest) in enumerate(sent):
        queue, expected, right = queues[i % CONTEXTS], due[i % CONTEXTS], beats(mode, message)
        if odd and i % 2:
            queue.extend(spoiled(right))
            expected.append((mode, bytes(len(digest)), 1))
        queue.extend(with_gaps(right) if odd else right)
        expected.append((mode, digest, 0))
    sender = cocotb.start_soon(send(dut, queues, pauses))
    await receive(dut, due, pauses)
    await sender


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def at_full_speed(dut):
    await start(dut)
    await run(dut, 0, messages())


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def with_pauses(dut):
    await start(dut)
    await run(dut, 0.3, messages())


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def with_odd_beats(dut):
    await start(dut)
    await run(dut, 0.3, messages()[: 4 + 2 * CONTEXTS], odd=True)


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def a_reset_forgets(dut):
    """Begun messages, a wrong one among them, and blocks that are computed."""
    await start(dut)
    begun = [deque(beats(0, bytes(3 * BLOCK))[:-1]) for _ in range(CONTEXTS)]
    begun[0].appendleft((0, 0, 1, False))
    sender = cocotb.start_soon(send(dut, begun, 0))
    for _ in range(3 * BLOCK // WIDTH):
        await RisingEdge(dut.clk)
    sender.kill()
    await reset(dut)
    await run(dut, 0, messages()[: 2 * CONTEXTS])
