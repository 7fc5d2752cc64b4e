"""Messages through the registers of {top}, as a driver would write them.

Digests are held to those of messages.txt and, if Python has the hash, to hashlib's. CHAIN is held to
the chaining values of messages.txt: after each block its registers, the one at the lowest address
first.
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
OKAY, SLVERR, DECERR = 0, 2, 3


def reference(mode, message):
    """The digest by hashlib, or None."""
    try:
        return hashlib.new(NAMES[mode], message).digest()
    except (ValueError, TypeError):
        return None


def lines():
    """Those of messages.txt: mode, message, digest, chaining values."""
    text = pathlib.Path(__file__).with_name("messages.txt").read_text()
    return [line.split(":") for line in text.splitlines()]


def messages():
    """Modes, messages and digests: those of the file, then random ones."""
    known = [(int(mode), bytes.fromhex(message), bytes.fromhex(digest))
             for mode, message, digest, _ in lines()]
    if any(reference(mode, message) != digest for mode, message, digest in known):
        return known
    lengths = [random.randrange(3 * BLOCK) for _ in range(10)]
    others = [random.randbytes(length) for length in lengths]
    modes = [random.randrange(len(NAMES)) for _ in others]
    return known + [(mode, message, reference(mode, message))
                    for mode, message in zip(modes, others)]


async def start(dut, seed):
    random.seed(seed)
    cocotb.start_soon(Clock(dut.clk, 10, units="ns").start())
    await reset(dut)


async def reset(dut):
    dut.rst.value = 1
    for port in ("awvalid", "wvalid", "arvalid", "bready", "rready"):
        getattr(dut, "s_axil_" + port).value = 0
    if CLEARS:
        dut.clear.value = 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)


async def offer(dut, channel):
    """Offers what a channel has after a pause or at once, until it is taken."""
    for _ in range(random.choice((0, 0, 1, 3))):
        await RisingEdge(dut.clk)
    valid, ready = (getattr(dut, f"s_axil_{channel}{port}") for port in ("valid", "ready"))
    valid.value = 1
    await RisingEdge(dut.clk)
    while not ready.value:
        await RisingEdge(dut.clk)
    valid.value = 0


async def answer(dut, channel):
    """Takes an answer after a pause or at once."""
    for _ in range(random.choice((0, 0, 1, 3))):
        await RisingEdge(dut.clk)
    valid, ready = (getattr(dut, f"s_axil_{channel}{port}") for port in ("valid", "ready"))
    ready.value = 1
    await RisingEdge(dut.clk)
    while not valid.value:
        await RisingEdge(dut.clk)
    ready.value = 0
    return int(getattr(dut, f"s_axil_{channel}resp").value)


async def write(dut, address, word, strobes=15, due=OKAY):
    dut.s_axil_awaddr.value = address
    dut.s_axil_wdata.value = word
    dut.s_axil_wstrb.value = strobes
    # The address before the data, after it, or with it.
    data = cocotb.start_soon(offer(dut, "w"))
    await offer(dut, "aw")
    await data
    given = await answer(dut, "b")
    assert given == due, f"write to {address:#05x} is answered by {given}, not {due}"


async def read(dut, address, due=OKAY):
    dut.s_axil_araddr.value = address
    await offer(dut, "ar")
    given = await answer(dut, "r")
    assert given == due, f"read of {address:#05x} is answered by {given}, not {due}"
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
    await start(dut, 1)
    for mode, message, digest in messages():
        await control(dut, 0, mode)
        due = digest.ljust(DIGEST, b"\0")
        assert await finish(dut, message) == due, f"{len(message)} bytes"


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def a_message_is_put_aside(dut):
    await start(dut, 2)
    longest = max(lines(), key=lambda line: len(line[1]))
    mode, first, digest = int(longest[0]), *map(bytes.fromhex, longest[1:3])
    other_mode, other, other_digest = messages()[0]
    await control(dut, 0, mode)
    await send(dut, first[: 2 * BLOCK])
    await wait(dut, IDLE)
    places = [COUNT, COUNT + 4] + [CHAIN + 4 * i for i in range(CHAIN_WORDS)]
    saved = [await read(dut, place) for place in places]
    assert saved[0] > 0 and saved[1] == 0
    known = bytes.fromhex(longest[3].split(",")[saved[0] // BLOCK - 1])
    assert saved[2:] == [int.from_bytes(known[i : i + 4], "big") for i in range(0, len(known), 4)]
    await control(dut, 1, other_mode)
    assert await finish(dut, other) == other_digest.ljust(DIGEST, b"\0")
    for place, word in zip(places, saved):
        await write(dut, place, word)
    await control(dut, 2, mode)
    assert await finish(dut, first[saved[0] :]) == digest.ljust(DIGEST, b"\0")


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def mistakes_change_nothing(dut):
    """What registers do not do, addresses that have none, parts of words: in a message's middle."""
    await start(dut, 3)
    mode, message, digest = max(messages(), key=lambda message: len(message[1]))
    await control(dut, 0, mode)
    await send(dut, message[:4])
    chain_end, digest_end = CHAIN + 4 * CHAIN_WORDS, DIGEST_AT + (DIGEST + 3) // 4 * 4
    for address in (0x000, 0x004, DIGEST_AT, digest_end - 4):
        await write(dut, address, 0xFFFFFFFF, due=SLVERR)
    for address in (CONTROL, DATA, END, END + 16):
        assert await read(dut, address, due=SLVERR) == 0
    for address in (0x014, 0x034, 0x048, digest_end, chain_end, 0x3FC):
        await write(dut, address, 0xFFFFFFFF, due=DECERR)
        assert await read(dut, address, due=DECERR) == 0
    for address in (CONTROL, DATA, END + 8, COUNT, CHAIN):
        for strobes in range(15):
            await write(dut, address, 0xFFFFFFFF, strobes, due=SLVERR)
        await write(dut, address + 1, 0xFFFFFFFF, due=SLVERR)
    assert await read(dut, STATUS + 2, due=SLVERR) == 0
    assert await finish(dut, message[4:]) == digest.ljust(DIGEST, b"\0")


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def a_reset_forgets(dut):
    """A begun message, and a block that is computed."""
    await start(dut, 4)
    await send(dut, bytes(BLOCK + 4))
    await reset(dut)
    mode, message, digest = messages()[1]
    await control(dut, 0, mode)
    assert await finish(dut, message) == digest.ljust(DIGEST, b"\0")
