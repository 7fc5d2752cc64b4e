"""Blocks through {top}: those of vectors.hex, back to back and with both sides pausing.

Each result is held to its line of the file, in the order of the blocks and with its tag.
"""

import pathlib
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

# Ports and their places in a line: name, bits, lowest bit.
INPUTS = [{inputs}]
OUTPUTS = [{outputs}]
# Of a block; if there is more than one, they go in at `word`, one after the other.
WORDS = {words}
TAGS, CLEARS = {tags}, {clears}


def vectors():
    """For each block what goes into the ports and what comes out."""
    lines = pathlib.Path(__file__).with_name("vectors.hex").read_text().split()
    return [{name: int(line, 16) >> low & (1 << bits) - 1 for name, bits, low in INPUTS + OUTPUTS}
            for line in lines]


async def reset(dut):
    cocotb.start_soon(Clock(dut.clk, 10, units="ns").start())
    dut.rst.value = 1
    dut.in_valid.value = 0
    dut.out_ready.value = 0
    if WORDS > 1:
        dut.word_valid.value = 0
    if CLEARS:
        dut.clear.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


async def offer(dut, valid, ready, ports, pauses):
    """Offers what the ports have until it is taken."""
    while random.random() < pauses:
        await RisingEdge(dut.clk)
    for name, value in ports.items():
        getattr(dut, name).value = value
    valid.value = 1
    await RisingEdge(dut.clk)
    while not ready.value:
        await RisingEdge(dut.clk)
    valid.value = 0


async def send(dut, blocks, pauses):
    for number, block in enumerate(blocks):
        ports = {name: block[name] for name, *_ in INPUTS if name != "word"}
        ports["in_tag"] = number % TAGS
        await offer(dut, dut.in_valid, dut.in_ready, ports, pauses)


async def send_words(dut, blocks, pauses):
    bits = len(dut.word)
    for block in blocks:
        for place in reversed(range(WORDS)):
            word = block["word"] >> bits * place & (1 << bits) - 1
            await offer(dut, dut.word_valid, dut.word_ready, {"word": word}, pauses)


async def receive(dut, blocks, pauses):
    for number, block in enumerate(blocks):
        dut.out_ready.value = int(random.random() >= pauses)
        await RisingEdge(dut.clk)
        while not (dut.out_valid.value and dut.out_ready.value):
            dut.out_ready.value = int(random.random() >= pauses)
            await RisingEdge(dut.clk)
        assert dut.out_tag.value == number % TAGS, f"the tag of block {number}"
        for name, *_ in OUTPUTS:
            assert getattr(dut, name).value == block[name], f"{name} of block {number}"


async def run(dut, pauses):
    random.seed(1)
    await reset(dut)
    blocks = vectors()
    senders = [cocotb.start_soon(send(dut, blocks, pauses))]
    if WORDS > 1:
        senders.append(cocotb.start_soon(send_words(dut, blocks, pauses)))
    await receive(dut, blocks, pauses)
    for sender in senders:
        await sender


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def at_full_speed(dut):
    await run(dut, 0)


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def with_pauses(dut):
    await run(dut, 0.3)
