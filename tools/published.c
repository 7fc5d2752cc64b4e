/* Preloaded into a program that runs under valgrind's memcheck: what the program reads from
 * standard input is secret, that is undefined to memcheck, and what it writes to standard error is
 * public from then on. So a program without unsafe code can say both. For tools/test-ct.sh. */
#include <sys/syscall.h>
#include <unistd.h>
#include <valgrind/memcheck.h>

ssize_t read(int file, void *bytes, size_t length)
{
    const long count = syscall(SYS_read, file, bytes, length);
    if (file == STDIN_FILENO && count > 0)
        VALGRIND_MAKE_MEM_UNDEFINED(bytes, count);
    return count;
}

ssize_t write(int file, const void *bytes, size_t length)
{
    if (file != STDERR_FILENO)
        return syscall(SYS_write, file, bytes, length);
    VALGRIND_MAKE_MEM_DEFINED(bytes, length);
    return (ssize_t)length;
}
