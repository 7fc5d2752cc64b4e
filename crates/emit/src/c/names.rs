//! Words that cannot be the prefix of C names.

use super::Error;
use super::text::around;
use crate::words::{is_in, malformed};

/// The longest prefix. C99 §5.2.4.1 tells external names apart by 31 characters at least; what
/// follows a prefix has up to 24, and compilers of today take far longer names.
const LONGEST: usize = 63;

/// Whether names of C and C++ can begin with this prefix, and a macro's with it in upper case.
///
/// # Errors
/// If they cannot; the error says why.
pub fn check_prefix(name: &str) -> Result<(), Error> {
    // Names append an underscore to the prefix, so that it must not end in one.
    let why = if let Some(why) = malformed(name, LONGEST, "C++") {
        why
    } else if is_in(C, name) || is_in(CPP, name) {
        "is a reserved word of C or C++".to_owned()
    } else if is_of_library(name) || is_limit(name) {
        "means something else in the standard library".to_owned()
    } else if ["pthread_", "sched_"].iter().any(|of| name.starts_with(of)) {
        "begins as the names that POSIX keeps for threads".to_owned()
    } else if is_in(HEADERS, &name.to_ascii_lowercase()) {
        "is that of a header of the standard library, which the library's own would hide".to_owned()
    } else if is_in(CMAKE, name) {
        "is a target of CMake's own, which the library's target cannot be called".to_owned()
    } else if is_in(LOCAL, name) || is_value(name) {
        HIDES.to_owned()
    } else if name.to_ascii_lowercase().starts_with("manylane") {
        "is what the names of the port for a second core begin with".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::Name { name: name.to_owned(), why })
}

/// Why the name of a variable is refused.
const HIDES: &str = "is that of a variable inside the library, which would hide its function";

/// Refuses a prefix that is the name of a variable in one of the library's sources: the variables
/// of a compression are those of its graph, which no list foresees.
///
/// # Errors
/// If one of the texts has such a variable.
pub(super) fn hides_no_variable<'t>(
    prefix: &str,
    mut texts: impl Iterator<Item = &'t str>,
) -> Result<(), Error> {
    match texts.any(|text| has_variable(text, prefix)) {
        true => Err(Error::Name { name: prefix.to_owned(), why: HIDES.to_owned() }),
        false => Ok(()),
    }
}

/// Whether a text in C has a variable of this name. What stands before a parenthesis is a function,
/// and what follows a point or an arrow is a member, which hides nothing.
fn has_variable(text: &str, name: &str) -> bool {
    around(&code(text), name).any(|(before, after)| {
        !after.trim_start().starts_with('(')
            && !before.trim_end().ends_with('.')
            && !before.trim_end().ends_with("->")
    })
}

/// A text in C without its comments, literals and lines of the preprocessor. Of a macro of several
/// lines only the first is left out, so that names of its parameters, which the other lines use,
/// are refused too.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_line_start = code.is_empty() || code.ends_with('\n');
        let length = match first {
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '#' if is_line_start => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => literal(rest, first),
            _ => {
                code.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        code.push(' ');
        rest = &rest[length..];
    }
    code
}

/// The length of the literal that a text begins with.
fn literal(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, c)| {
        let is_end = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Whether a name is that of a function, a type or a macro of the standard library, or one that
/// compilers know beside it.
fn is_of_library(name: &str) -> bool {
    let real = name.strip_suffix(['f', 'l']).unwrap_or(name);
    [LIBRARY, ERRORS, OTHERS, MATH].iter().any(|list| is_in(list, name))
        || is_in(MATH, real)
        || begins_as_library(name)
}

/// Whether a name is that of a macro of limits.h, stdint.h, float.h or stdlib.h, or begins some of
/// stdint.h when it is in upper case: `UINT32_C`.
fn is_limit(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let bare = lower.strip_prefix('u').unwrap_or(&lower);
    let is_integer = bare.strip_prefix("int").is_some_and(|of| is_in("8 16 32 64 max ptr", of));
    let limit = name.rsplit_once('_').is_some_and(|(_, end)| is_in("MAX MIN BIT WIDTH C", end));
    is_integer || limit && lower.to_ascii_uppercase() == name
}

/// Whether a name is that of a macro or a function of C11 by its beginning, as §7.31 reserves them:
/// `SIGINT`, `SEEK_SET`, `PRId32`, `mtx_init`.
fn begins_as_library(name: &str) -> bool {
    let is_upper = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let begins = |list: &str| list.split_ascii_whitespace().any(|of| name.starts_with(of));
    is_upper && begins("ATOMIC_ EXIT_ FE_ FP_ LC_ MB_ ONCE_FLAG SEEK_ SIG TIME_ TSS_")
        || begins("PRI SCN") && name[3..].starts_with(['d', 'i', 'o', 'u', 'x', 'X'])
        || begins("atomic_ cnd_ memory_order mtx_ thrd_ tss_")
}

/// Whether a name is that of a value of a graph: `v12`.
fn is_value(name: &str) -> bool {
    name.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// ISO/IEC 9899, §7.1.2, and what embedded systems have beside it.
const HEADERS: &str = "
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
    stdalign stdarg stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn
    string tgmath threads time uchar wchar wctype memory new pthread sched unistd strings task
    freertos esp_attr";

/// Names of targets that CMake, CTest and CPack reserve (policy CMP0037).
const CMAKE: &str = "
    ALL_BUILD INSTALL PACKAGE RUN_TESTS ZERO_CHECK clean edit_cache help install package
    package_source preinstall rebuild_cache test";

/// Parameters and variables of functions.
const LOCAL: &str = "
    a again all answer argc argument argv at b bad base beside block buffer byte bytes c carry
    copy core count counter data decrypts difference digest end failed f0 f1 file flag from given
    h has_message i in is_first is_free iv k key key_length key_words l last left length m mac
    mac_length main memory message n name next number out out_length outer p pad pair piece place
    plain previous rest right run s second seed share status stop stream sum t t0 t1 to total turn
    value w words worker x y";

/// ISO/IEC 9899, §6.4.1, of 1999 to 2023, and what compilers add.
const C: &str = "
    alignas alignof asm auto bool break case char const constexpr continue default do double
    else enum extern false float for goto if inline int long nullptr register restrict return
    short signed sizeof static static_assert struct switch thread_local true typedef typeof
    typeof_unqual union unsigned void volatile while fortran near far linux unix i386";

/// ISO/IEC 14882, §5.11, and the alternative operators.
const CPP: &str = "
    and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield
    compl concept consteval constinit const_cast decltype delete dynamic_cast explicit export
    friend mutable namespace new noexcept not not_eq operator or or_eq private protected public
    reinterpret_cast requires static_cast template this throw try typeid typename using virtual
    wchar_t xor xor_eq import module final override";

/// Functions, types and macros of ISO/IEC 9899, §7, without those of [`MATH`], and `main`. A
/// one-shot function of the same name would redefine the standard one, and compilers treat most of
/// these names as built-in functions.
const LIBRARY: &str = "
    abort abs aligned_alloc asctime assert at_quick_exit atexit atof atoi atol atoll atomic
    bsearch btowc BUFSIZ c16rtomb c32rtomb call_once calloc clearerr clock clock_t
    CLOCKS_PER_SEC cnd ctime difftime div div_t double_t EOF errno exit fclose feclearexcept
    fegetenv fegetexceptflag fegetround feholdexcept fenv_t feof feraiseexcept ferror fesetenv
    fesetexceptflag fesetround fetestexcept feupdateenv fexcept_t fflush fgetc fgetpos fgets
    fgetwc fgetws FILE float_t fopen fpclassify fpos_t fprintf fputc fputs fputwc fputws fread
    free freopen fscanf fseek fsetpos ftell fwide fwprintf fwrite fwscanf getc getchar getenv
    gets getwc getwchar gmtime HUGE_VAL I imaginary imaxabs imaxdiv imaxdiv_t INFINITY int16_t
    int32_t int64_t int8_t int_fast16_t int_fast32_t int_fast64_t int_fast8_t int_least16_t
    int_least32_t int_least64_t int_least8_t intmax_t intptr_t isalnum isalpha isblank iscntrl
    isdigit isfinite isgraph isgreater isgreaterequal isless islessequal islessgreater islower
    isnormal isprint ispunct isspace isunordered isupper iswalnum iswalpha iswblank iswcntrl
    iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit
    jmp_buf labs lconv ldiv ldiv_t llabs lldiv lldiv_t localeconv localtime longjmp main malloc
    max_align_t mblen mbrlen mbrtoc16 mbrtoc32 mbrtowc mbsinit mbsrtowcs mbstate_t mbstowcs
    mbtowc memchr memcmp memcpy memmove memset mktime mtx NAN noreturn NULL offsetof perror
    printf ptrdiff_t putc putchar puts putwc putwchar qsort quick_exit raise rand realloc remove
    rename rewind scanf setbuf setjmp setlocale setvbuf sig_atomic_t signal size_t snprintf
    sprintf srand sscanf std stderr stdin stdout strcat strchr strcmp strcoll strcpy strcspn
    strerror strftime strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof
    strtoimax strtok strtol strtold strtoll strtoul strtoull strtoumax strxfrm swprintf swscanf
    system thrd time time_t timespec timespec_get tm tmpfile tmpnam tolower toupper towctrans
    towlower towupper tss uint16_t uint32_t uint64_t uint8_t uint_fast16_t uint_fast32_t
    uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t uint_least64_t uint_least8_t
    uintmax_t uintptr_t ungetc ungetwc va_arg va_copy va_end va_list va_start vfprintf vfscanf
    vfwprintf vfwscanf vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf
    vwscanf wcrtomb wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp
    wcsncpy wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstoimax wcstok wcstol
    wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcsxfrm wctob wctomb wctrans wctrans_t
    wctype wctype_t wint_t wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf wscanf";

/// Macros of errno.h, those of POSIX too (IEEE Std 1003.1).
const ERRORS: &str = "
    E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAGAIN EALREADY EBADF EBADMSG EBUSY
    ECANCELED ECHILD ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDESTADDRREQ EDOM EDQUOT
    EEXIST EFAULT EFBIG EHOSTUNREACH EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR
    ELOOP EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENETDOWN ENETRESET ENETUNREACH ENFILE
    ENOBUFS ENODATA ENODEV ENOENT ENOEXEC ENOLCK ENOLINK ENOMEM ENOMSG ENOPROTOOPT ENOSPC ENOSR
    ENOSTR ENOSYS ENOTCONN ENOTDIR ENOTEMPTY ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENXIO
    EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EROFS
    ESPIPE ESRCH ESTALE ETIME ETIMEDOUT ETXTBSY EWOULDBLOCK EXDEV";

/// Functions of §7.3 and §7.12, and those that compilers have beside them. The names of their forms
/// for `float` and `long double` end in f and l: `sinf`, `sinl`.
const MATH: &str = "
    acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh cbrt
    ccos ccosh ceil cexp cimag clog clog10 conj copysign cos cosh cpow cproj creal csin csinh
    csqrt ctan ctanh drem erf erfc exp exp10 exp2 expm1 fabs fdim finite floor fma fmax fmin
    fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn ldexp lgamma lgamma_r llrint llround log
    log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10
    remainder remquo rint round roundeven scalb scalbln scalbn signbit significand sin sincos
    sinh sqrt tan tanh tgamma trunc y0 y1 yn";

/// Functions of other libraries, POSIX among them, that compilers treat as built-in, and those that
/// stdio.h and string.h declare beside the standard's: the program for the PC includes both.
const OTHERS: &str = "
    alloca bcmp bcopy bzero clearerr_unlocked close ctermid dcgettext dgettext dprintf execl
    execle execlp execv execve execvp fdopen feof_unlocked ferror_unlocked fflush_unlocked
    ffs ffsl ffsll fgetc_unlocked fileno fileno_unlocked flockfile fmemopen fork
    fprintf_unlocked fputc_unlocked fputs_unlocked fread_unlocked fseeko ftello ftrylockfile
    funlockfile fwrite_unlocked getc_unlocked getchar_unlocked getdelim getline gettext getw
    index isascii link memccpy mempcpy open open_memstream pclose popen printf_unlocked
    putc_unlocked putchar_unlocked puts_unlocked putw read renameat rindex setbuffer
    setlinebuf stpcpy stpncpy strcasecmp strdup strfmon strncasecmp strndup strnlen tempnam
    tmpnam_r toascii unlink vdprintf write";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_told_from_functions_members_and_comments() {
        let text = r#"/* m2 */
#define m3 1
void m4(int a_m5) { s.m6 = "m7\"m7"; p->m8 = '"'; m9[0] > ma; }"#;
        for other in ["m2", "m3", "m4", "m5", "m6", "m7", "m8", "m"] {
            assert!(!has_variable(text, other), "{other}");
        }
        for name in ["a_m5", "m9", "ma"] {
            assert!(has_variable(text, name), "{name}");
        }
    }

    #[test]
    fn prefixes_that_c_does_not_take_are_refused() {
        for good in ["sha256", "hmac_sha256", "A", "x9", "my_hash", "point", "my_max", "uint7"] {
            assert_eq!(check_prefix(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("", "is empty"),
            ("9a", "does not begin with a letter"),
            ("_a", "does not begin with a letter"),
            ("a-b", "other characters"),
            ("größe", "other characters"),
            ("a__b", "two of them side by side, which C++"),
            ("a_", "ends in an underscore"),
            ("int", "reserved word"),
            ("class", "reserved word"),
            ("main", "standard library"),
            ("memcpy", "standard library"),
            ("toupper", "standard library"),
            ("sinf", "standard library"),
            ("csqrtl", "standard library"),
            ("strdup", "standard library"),
            ("popen", "standard library"),
            ("pthread_mutex", "POSIX"),
            ("uint_fast8_t", "standard library"),
            ("SIZE_MAX", "standard library"),
            ("CHAR_BIT", "standard library"),
            ("UINT32_C", "standard library"),
            ("uint32", "standard library"),
            ("INT64", "standard library"),
            ("string", "a header of the standard library"),
            ("test", "a target of CMake's own"),
            ("RUN_TESTS", "a target of CMake's own"),
            ("mac", "a variable inside the library"),
            ("v17", "a variable inside the library"),
            ("manylane_port", "second core"),
            (&"a".repeat(64), "64 bytes"),
        ] {
            let error = check_prefix(bad).unwrap_err().to_string();
            assert!(error.contains(why), "{bad}: {error}");
        }
    }
}
