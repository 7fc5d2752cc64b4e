"""Messages through the registers of {top}, as a driver would write them.

Digests are held to those of messages.txt and, if Python has the hash, to hashlib's.
"""

import hashlib
import pathlib
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

# By mode, if there are several.
NAMES = {names}
CLEARS = {clears}
BLOCK, DIGEST = {block}, {digest}
STATUS, CONTROL, DATA, END, COUNT = 0x008, 0x00C, 0x010, 0x020, 0x040
DIGEST_AT, CHAIN, CHAIN_WORDS = 0x100, 0x200, {chain_words}
DONE, IDLE = 2, 4


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
    lengths = [random.randrange(3 * BLOCK) for _ in range(10)]
    others = [random.randbytes(length) for length in lengths]
    modes = [random.randrange(len(NAMES)) for _ in others]
    return known + [(mode, message, reference(mode, message))
                    for mode, message in zip(modes, others)]


async def reset(dut):
    cocotb.start_soon(Clock(dut.clk, 10, units="ns").start())
    dut.rst.value = 1
    for port in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
        getattr(dut, "s_axil_" + port).value = 0
    if CLEARS:
        dut.clear.value = 0
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


async def control(dut, bits, mode):
    """Writes bits of CONTROL, with the mode of what follows if there are several."""
    if bits or len(NAMES) > 1:
        await write(dut, CONTROL, bits | mode << 8)


async def finish(dut, rest):
    """The last bytes of a message. Returns its digest, or that of the longest mode."""
    whole = len(rest) // 4 * 4
    await send(dut, rest[:whole])
    await write(dut, END + 4 * (len(rest) - whole), int.from_bytes(rest[whole:], "little"))
    await wait(dut, DONE)
    words = [await read(dut, DIGEST_AT + i) for i in range(0, DIGEST, 4)]
    await write(dut, STATUS, 0)
    return b"".join(word.to_bytes(4, "little") for word in words)[:DIGEST]


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def digests(dut):
    random.seed(1)
    await reset(dut)
    for mode, message, digest in messages():
        await control(dut, 0, mode)
        due = digest.ljust(DIGEST, b"\0")
        assert await finish(dut, message) == due, f"{len(message)} bytes"


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def a_message_is_put_aside(dut):
    random.seed(2)
    await reset(dut)
    mode, first, digest = max(messages(), key=lambda message: len(message[1]))
    other_mode, other, other_digest = messages()[0]
    await control(dut, 0, mode)
    await send(dut, first[: 2 * BLOCK])
    await wait(dut, IDLE)
    places = [COUNT, COUNT + 4] + [CHAIN + 4 * i for i in range(CHAIN_WORDS)]
    saved = [await read(dut, place) for place in places]
    await control(dut, 1, other_mode)
    assert await finish(dut, other) == other_digest.ljust(DIGEST, b"\0")
    for place, word in zip(places, saved):
        await write(dut, place, word)
    await control(dut, 2, mode)
    assert await finish(dut, first[saved[0] :]) == digest.ljust(DIGEST, b"\0")
