// Loads a program into two Ibex cores and runs it.
//
//   ibex-duo PROGRAM.elf COUNTS.json MOST_CYCLES [SEED PER_MILLE_0 PER_MILLE_1 LONGEST]
//
// What the program prints goes to standard output. The counts, and how the program ended, go to
// COUNTS.json, with the accesses to what the program asked to be watched. With a SEED the cores are
// held at random: in each clock in which core c is not held, it is held with probability
// PER_MILLE_c / 1000, for 1 to LONGEST clocks.

#include "Vibex_duo.h"
#include "Vibex_duo___024root.h"
#include "verilated.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace {

constexpr uint32_t kCode = 0x00100000, kCodeBytes = 4 * 65536;
constexpr uint32_t kData = 0x20000000, kDataBytes = 4 * 4 * 16384;
// What memory holds before the program writes it: a stack's untouched part is known by it.
constexpr uint32_t kUntouched = 0xa5a5a5a5;
// The stacks lie at the end of data, core 1's below core 0's.
constexpr uint32_t kStackBytes = 16384;
// Bytes that are watched, and most accesses to them that are noted.
constexpr uint32_t kWatched = 4096, kMostNoted = 1 << 18;
// A stack of which so little is untouched is taken for one that grew out of its place: frames have
// holes.
constexpr uint32_t kGuardBytes = 256;

[[noreturn]] void fail(const char *what, const char *of) {
  std::fprintf(stderr, "%s: %s\n", of, what);
  std::exit(2);
}

struct Random {  // xorshift64*
  uint64_t state;
  uint32_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return static_cast<uint32_t>((state * 0x2545f4914f6cdd1dULL) >> 32);
  }
};

class Machine {
 public:
  Machine() : top_(std::make_unique<Vibex_duo>()) {
    for (uint32_t at = 0; at < kDataBytes; at += 4) data(at) = kUntouched;
  }

  void load(const char *file) {
    std::ifstream in(file, std::ios::binary);
    std::vector<char> elf((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (elf.size() < 52 || std::memcmp(elf.data(), "\177ELF\1\1", 6) != 0)
      fail("is no 32-bit little-endian ELF file", file);
    auto word = [&](size_t at) {
      uint32_t value;
      if (at + 4 > elf.size()) fail("is cut short", file);
      std::memcpy(&value, &elf[at], 4);
      return value;
    };
    uint32_t headers = word(28), each = word(40) >> 16, count = word(44) & 0xffff;
    for (uint32_t i = 0; i < count; ++i) {
      size_t header = headers + i * each;
      if (word(header) != 1) continue;  // PT_LOAD
      uint32_t offset = word(header + 4), address = word(header + 12), bytes = word(header + 16);
      if (size_t{offset} + bytes > elf.size()) fail("is cut short", file);
      for (uint32_t b = 0; b < bytes; ++b) {
        uint32_t *place = memory(address + b);
        if (place == nullptr) fail("has a part that lies in no memory", file);
        uint32_t shift = 8 * ((address + b) % 4);
        *place &= ~(0xffu << shift);
        *place |= static_cast<uint32_t>(static_cast<uint8_t>(elf[offset + b])) << shift;
      }
    }
  }

  void reset() {
    top_->hold_i = 0;
    top_->rst_ni = 1;
    top_->eval();
    top_->rst_ni = 0;
    for (int i = 0; i < 4; ++i) clock();
    top_->rst_ni = 1;
  }

  // The outputs are those of the clock period that the edge ends.
  void clock() {
    top_->clk_i = 0;
    top_->eval();
    outputs();
    top_->clk_i = 1;
    top_->eval();
  }

  // Runs until the program ends or `most` cycles are over.
  void run(uint64_t most, Random *random, const uint32_t *per_mille, uint32_t longest) {
    uint32_t left[2] = {0, 0};
    while (!ended_ && cycles_ < most) {
      if (random != nullptr) {
        for (int core = 0; core < 2; ++core) {
          if (left[core] > 0)
            --left[core];
          else if (random->next() % 1000 < per_mille[core])
            left[core] = 1 + random->next() % longest;
        }
        top_->hold_i = (left[0] > 0) | (left[1] > 0) << 1;
      }
      clock();
      ++cycles_;
    }
    std::fflush(stdout);
  }

  void report(const char *file) {
    FILE *out = std::fopen(file, "w");
    if (out == nullptr) fail("cannot be written", file);
    auto pair = [&](const char *name, const uint64_t *of) {
      std::fprintf(out, "\"%s\":[%llu,%llu],", name, static_cast<unsigned long long>(of[0]),
                   static_cast<unsigned long long>(of[1]));
    };
    uint64_t cycles[2] = {cycles_, cycles_};
    std::fprintf(out, "{");
    pair("cycles", cycles);
    pair("stalls", stalls_);
    pair("instructions", instructions_);
    std::fprintf(out, "\"watched\":[");
    for (size_t i = 0; i < noted_.size(); ++i)
      std::fprintf(out, "%s[%llu,%u,%u,%u,%llu]", i > 0 ? "," : "",
                   static_cast<unsigned long long>(noted_[i].cycle), noted_[i].core,
                   noted_[i].offset, noted_[i].store,
                   static_cast<unsigned long long>(noted_[i].accesses));
    std::fprintf(out, "],");
    uint64_t stack[2] = {stack_of(0), stack_of(1)};
    pair("stack", stack);
    constexpr uint32_t most = kStackBytes - kGuardBytes;
    int full = stack[0] > most ? 0 : stack[1] > most ? 1 : -1;
    if (fault_ == nullptr && full >= 0)
      std::fprintf(out, "\"end\":{\"fault\":\"core %d: its stack of %u bytes is full\"}}\n", full,
                   kStackBytes);
    else if (fault_ != nullptr)
      std::fprintf(out, "\"end\":{\"fault\":\"core %d: %s (cause %u) at 0x%08x, of 0x%08x\"}}\n",
                   fault_core_, fault_, cause_, trap_[fault_core_][0], trap_[fault_core_][1]);
    else if (ended_)
      std::fprintf(out, "\"end\":{\"exit\":%u}}\n", status_);
    else
      std::fprintf(out, "\"end\":\"limit\"}\n");
    if (std::fclose(out) != 0) fail("cannot be written", file);
  }

 private:
  uint32_t &data(uint32_t offset) {
    return top_->rootp->ibex_duo__DOT__bank[offset / 4 % 4][offset / 16];
  }

  uint32_t *memory(uint32_t address) {
    if (address - kCode < kCodeBytes)
      return &top_->rootp->ibex_duo__DOT__code[(address - kCode) / 4];
    if (address - kData < kDataBytes) return &data(address - kData);
    return nullptr;
  }

  // Bytes of a core's stack that were ever written.
  uint64_t stack_of(uint32_t core) {
    uint32_t end = kDataBytes - core * kStackBytes, at = end - kStackBytes;
    while (at < end && data(at) == kUntouched) at += 4;
    return end - at;
  }

  void outputs() {
    if (!top_->rst_ni) return;
    for (int core = 0; core < 2; ++core) {
      stalls_[core] += top_->stall_o >> core & 1;
      instructions_[core] += top_->retired_o >> core & 1;
      if (top_->access_o >> core & 1)
          access(core, top_->address_o[core], top_->store_o >> core & 1);
      if (top_->write_o >> core & 1)
          write(core, top_->write_register_o[core], top_->write_data_o[core]);
    }
  }

  // A core loads or stores.
  void access(uint32_t core, uint32_t address, uint32_t store) {
    ++accesses_[core];
    uint32_t offset = address - watched_;
    if (watched_ != 0 && offset < kWatched && noted_.size() < kMostNoted)
      noted_.push_back({cycles_, core, offset, store, accesses_[core]});
  }

  // A core wrote a device register; board.c and start.S name them.
  void write(int core, uint32_t number, uint32_t value) {
    switch (number) {
      case 2:
        std::putchar(static_cast<int>(value & 0xff));
        break;
      case 3:
        if (!ended_) status_ = value;
        ended_ = true;
        break;
      case 4:
      case 5:
        trap_[core][number - 4] = value;
        break;
      case 6:
        if (!ended_) {
          cause_ = value;
          fault_core_ = core;
          fault_ = name_of(value);
        }
        ended_ = true;
        break;
      case 7:
        watched_ = value;
        break;
      default:
        break;
    }
  }

  static const char *name_of(uint32_t cause) {
    switch (cause) {
      case 1: return "no code is there";
      case 2: return "this core has no such instruction";
      case 3: return "breakpoint";
      case 5: return "load from where nothing is";
      case 7: return "store to where nothing is";
      default: return "exception";
    }
  }

  std::unique_ptr<Vibex_duo> top_;
  bool ended_ = false;
  uint32_t status_ = 0;
  uint64_t cycles_ = 0, stalls_[2] = {0, 0}, instructions_[2] = {0, 0}, accesses_[2] = {0, 0};
  // An access to what is watched, with the number of the core's accesses up to it.
  struct Noted {
    uint64_t cycle;
    uint32_t core, offset, store;
    uint64_t accesses;
  };
  uint32_t watched_ = 0;
  std::vector<Noted> noted_;
  const char *fault_ = nullptr;
  int fault_core_ = 0;
  uint32_t cause_ = 0, trap_[2][2] = {};
};

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4 && argc != 8)
    fail("PROGRAM.elf COUNTS.json MOST_CYCLES [SEED PER_MILLE_0 PER_MILLE_1 LONGEST]", argv[0]);
  Machine machine;
  machine.load(argv[1]);
  machine.reset();
  uint64_t most = std::strtoull(argv[3], nullptr, 10);
  if (argc == 4) {
    machine.run(most, nullptr, nullptr, 1);
  } else {
    // Seeds that follow each other begin far apart; the state is never zero.
    Random random{(std::strtoull(argv[4], nullptr, 10) + 1) * 0x9e3779b97f4a7c15ULL | 1};
    uint32_t per_mille[2], longest = static_cast<uint32_t>(std::strtoul(argv[7], nullptr, 10));
    for (int core = 0; core < 2; ++core)
      per_mille[core] = static_cast<uint32_t>(std::strtoul(argv[5 + core], nullptr, 10));
    machine.run(most, &random, per_mille, longest > 0 ? longest : 1);
  }
  machine.report(argv[2]);
  return 0;
}
