"""Messages through {top} on AXI4-Stream: beats of all contexts mixed, both sides pausing.

Digests are held to those of messages.txt and, if Python has the hash, to hashlib's.
"""

import hashlib
import pathlib
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

NAME = "{name}"
CONTEXTS, WIDTH, BLOCK = {contexts}, {bytes}, {block}


def reference(message):
    """The digest by hashlib, or None."""
    try:
        return hashlib.new(NAME, message).digest()
    except (ValueError, TypeError):
        return None


def messages():
    """Messages and digests: those of the file, then random ones."""
    lines = pathlib.Path(__file__).with_name("messages.txt").read_text().splitlines()
    known = [tuple(bytes.fromhex(part) for part in line.split(":")) for line in lines]
    if any(reference(message) != digest for message, digest in known):
        return known
    lengths = [random.randrange(3 * BLOCK) for _ in range(40)]
    others = [random.randbytes(length) for length in lengths]
    return known + [(message, reference(message)) for message in others]


def beats(message):
    """Data, keep, last; an empty message is one beat without bytes."""
    parts = [message[i : i + WIDTH] for i in range(0, len(message), WIDTH)] or [b""]
    last = len(parts) - 1
    return [(int.from_bytes(part, "little"), 2 ** len(part) - 1, i == last)
            for i, part in enumerate(parts)]


async def reset(dut):
    cocotb.start_soon(Clock(dut.clk, 10, units="ns").start())
    dut.rst.value = 1
    dut.s_axis_tvalid.value = 0
    dut.m_axis_tready.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


async def send(dut, queues, pauses):
    while any(queues):
        number = random.choice([i for i, queue in enumerate(queues) if queue])
        data, keep, last = queues[number].popleft()
        while random.random() < pauses:
            await RisingEdge(dut.clk)
        dut.s_axis_tvalid.value = 1
        dut.s_axis_tid.value = number
        dut.s_axis_tdata.value = data
        dut.s_axis_tkeep.value = keep
        dut.s_axis_tlast.value = int(last)
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
            assert digest == due[number].popleft(), f"a digest of context {number}"
            digest = b""


async def run(dut, pauses):
    random.seed(1)
    await reset(dut)
    queues = [deque() for _ in range(CONTEXTS)]
    due = [deque() for _ in range(CONTEXTS)]
    for i, (message, digest) in enumerate(messages()):
        queues[i % CONTEXTS].extend(beats(message))
        due[i % CONTEXTS].append(digest)
    sender = cocotb.start_soon(send(dut, queues, pauses))
    await receive(dut, due, pauses)
    await sender


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def at_full_speed(dut):
    await run(dut, 0)


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def with_pauses(dut):
    await run(dut, 0.3)
