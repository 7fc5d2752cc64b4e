//! Macros for what a function cannot do: [`step!`](crate::step) names a step of a primitive,
//! [`unroll!`](crate::unroll) repeats a block with a constant index, [`names!`](crate::names) gives
//! an enumeration its list and its names.

/// Runs an expression as the step `name[index]` of a primitive, through which an array of words
/// passes: `s = step!(Round, "round", t, s, round(s, k, w));`.
///
/// The first argument is the step's [`Kind`](crate::word::Kind), by which planners and emitters go;
/// the name is the standard's, for people. The array is a mutable variable or a list such as
/// `[a, b]`. In the last argument the variable holds the words as
/// [`Word::enter`](crate::word::Word::enter) left them: the same values, but in some lanes after an
/// instruction that the step waits for.
///
/// A traced word records the step, and lanes may prefetch there; in every other instance the macro
/// is its last argument. It is a macro because a closure is not reliably inlined between a
/// `#[target_feature]` shell and the intrinsics below it.
#[macro_export]
macro_rules! step {
    ($kind:ident, $name:literal, $index:expr, $over:ident, $body:expr) => {{
        let kind = $crate::word::Kind::$kind;
        $crate::word::Word::enter(AsMut::as_mut(&mut $over), kind, $name, $index);
        let result = $body;
        $crate::word::Word::leave(AsRef::as_ref(&$over));
        result
    }};
    ($kind:ident, $name:literal, $index:expr, [$($word:expr),+], $body:expr) => {{
        let mut over = [$($word),+];
        $crate::step!($kind, $name, $index, over, $body)
    }};
}

/// Repeats a block with another constant `$i` each time, so that the compiler knows indices and
/// rotations: `unroll!(i in [0 1 2 3] { s = round(s, w[i]); });`. For the common lengths a range
/// stands for the list: `unroll!(i in 0..16 { … });`.
#[macro_export]
macro_rules! unroll {
    ($i:ident in 0..4 $body:block) => { $crate::unroll!($i in [0 1 2 3] $body) };
    ($i:ident in 0..5 $body:block) => { $crate::unroll!($i in [0 1 2 3 4] $body) };
    ($i:ident in 0..8 $body:block) => { $crate::unroll!($i in [0 1 2 3 4 5 6 7] $body) };
    ($i:ident in 0..16 $body:block) => {
        $crate::unroll!($i in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] $body)
    };
    ($i:ident in 0..20 $body:block) => {
        $crate::unroll!($i in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19] $body)
    };
    ($i:ident in [$($n:literal)*] $body:block) => {
        $( { #[allow(non_upper_case_globals)] const $i: usize = $n; $body } )*
    };
}

/// Gives an enumeration of plain variants the list `ALL`, the function `name` with the given
/// documentation, its inverse `by_name`, and `Display`, which writes the name:
/// `names! { Reset: /** Its name on the command line. */ Sync "sync", Async "async" }`.
///
/// A variant that is missing in the list does not compile.
#[macro_export]
macro_rules! names {
    ($type:ident: $(#[$about:meta])* $($variant:ident $name:literal),+ $(,)?) => {
        impl $type {
            /// All of them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            $(#[$about])*
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The one of this name.
            pub fn by_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }

        impl ::core::fmt::Display for $type {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
