// Hashes standard input, or authenticates it under the key given, from C++.
// Usage: stream ALGORITHM [KEY]
#include <manylane.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(manylane_status status) {
    if (status != MANYLANE_STATUS_OK) throw std::runtime_error(manylane_last_error());
}

struct Free {
    void operator()(manylane_hasher *hasher) const { manylane_hasher_free(hasher); }
    void operator()(manylane_hmac *hmac) const { manylane_hmac_free(hmac); }
};

std::vector<unsigned char> digest_of(std::istream &input, const std::string &algorithm,
                                     const std::string *key) {
    std::unique_ptr<manylane_hasher, Free> hasher;
    std::unique_ptr<manylane_hmac, Free> hmac;
    if (key != nullptr) {
        manylane_hmac *made = nullptr;
        check(manylane_hmac_new(algorithm.c_str(), nullptr, key->data(), key->size(), &made));
        hmac.reset(made);
    } else {
        manylane_hasher *made = nullptr;
        check(manylane_hasher_new(algorithm.c_str(), nullptr, &made));
        hasher.reset(made);
    }
    std::vector<char> piece(1 << 16);
    while (input) {
        input.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        const auto size = static_cast<std::size_t>(input.gcount());
        check(hmac ? manylane_hmac_update(hmac.get(), piece.data(), size)
                   : manylane_hasher_update(hasher.get(), piece.data(), size));
    }
    std::vector<unsigned char> digest(manylane_digest_bytes(algorithm.c_str()));
    check(hmac ? manylane_hmac_finish(hmac.get(), digest.data(), digest.size())
               : manylane_hasher_finish(hasher.get(), digest.data(), digest.size()));
    return digest;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        if (argc < 2) throw std::runtime_error("usage: stream ALGORITHM [KEY]");
        const std::string key = argc > 2 ? argv[2] : "";
        for (unsigned char byte : digest_of(std::cin, argv[1], argc > 2 ? &key : nullptr))
            std::printf("%02x", byte);
        std::printf("\n");
        if (std::fflush(stdout) != 0 || std::ferror(stdout))
            throw std::runtime_error("the digest could not be written");
        return 0;
    } catch (const std::exception &error) {
        std::cerr << "stream: " << error.what() << '\n';
        return 1;
    }
}
