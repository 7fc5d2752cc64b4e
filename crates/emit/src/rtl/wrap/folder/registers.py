"""Messages through the registers of {top}, as a driver would write them.

Digests are held to those of messages.txt and, if Python has the hash, to hashlib's.
"""

import hashlib
import pathlib
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

NAME = "{name}"
BLOCK, DIGEST = {block}, {digest}
STATUS, CONTROL, DATA, END, COUNT = 0x008, 0x00C, 0x010, 0x020, 0x040
DIGEST_AT, CHAIN, CHAIN_WORDS = 0x100, 0x200, {chain_words}
DONE, IDLE = 2, 4


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
    lengths = [random.randrange(3 * BLOCK) for _ in range(10)]
    others = [random.randbytes(length) for length in lengths]
    return known + [(message, reference(message)) for message in others]


async def reset(dut):
    cocotb.start_soon(Clock(dut.clk, 10, units="ns").start())
    dut.rst.value = 1
    for port in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
        getattr(dut, "s_axil_" + port).value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


async def write(dut, address, word):
    dut.s_axil_awaddr.value = address
    dut.s_axil_wdata.value = word
    dut.s_axil_wstrb.value = 15
    dut.s_axil_awvalid.value = 1
    dut.s_axil_wvalid.value = 1
    dut.s_axil_bready.value = 1
    await RisingEdge(dut.clk)
    while not dut.s_axil_wready.value:
        await RisingEdge(dut.clk)
    dut.s_axil_awvalid.value = 0
    dut.s_axil_wvalid.value = 0
    while not dut.s_axil_bvalid.value:
        await RisingEdge(dut.clk)
    assert dut.s_axil_bresp.value == 0


async def read(dut, address):
    dut.s_axil_araddr.value = address
    dut.s_axil_arvalid.value = 1
    dut.s_axil_rready.value = 1
    await RisingEdge(dut.clk)
    while not dut.s_axil_arready.value:
        await RisingEdge(dut.clk)
    dut.s_axil_arvalid.value = 0
    while not dut.s_axil_rvalid.value:
        await RisingEdge(dut.clk)
    assert dut.s_axil_rresp.value == 0
    return int(dut.s_axil_rdata.value)


async def wait(dut, bits):
    while await read(dut, STATUS) & bits != bits:
        pass


async def send(dut, message):
    """Bytes of a message that is not over: whole words."""
    for i in range(0, len(message), 4):
        await write(dut, DATA, int.from_bytes(message[i : i + 4], "little"))


async def finish(dut, rest):
    """The last bytes of a message. Returns its digest."""
    whole = len(rest) // 4 * 4
    await send(dut, rest[:whole])
    await write(dut, END + 4 * (len(rest) - whole), int.from_bytes(rest[whole:], "little"))
    await wait(dut, DONE)
    await write(dut, STATUS, 0)
    words = [await read(dut, DIGEST_AT + i) for i in range(0, DIGEST, 4)]
    return b"".join(word.to_bytes(4, "little") for word in words)[:DIGEST]


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def digests(dut):
    random.seed(1)
    await reset(dut)
    for message, digest in messages():
        assert await finish(dut, message) == digest, f"{len(message)} bytes"


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def a_message_is_put_aside(dut):
    random.seed(2)
    await reset(dut)
    first, digest = max(messages(), key=lambda pair: len(pair[0]))
    other, other_digest = messages()[0]
    await send(dut, first[: 2 * BLOCK])
    await wait(dut, IDLE)
    places = [COUNT, COUNT + 4] + [CHAIN + 4 * i for i in range(CHAIN_WORDS)]
    saved = [await read(dut, place) for place in places]
    await write(dut, CONTROL, 1)
    assert await finish(dut, other) == other_digest
    for place, word in zip(places, saved):
        await write(dut, place, word)
    await write(dut, CONTROL, 2)
    assert await finish(dut, first[saved[0] :]) == digest
