//! When the figures of a platform's file were measured.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today's date in UTC, such as `2026-11-30`.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs() / (24 * 60 * 60))
}

/// The date of a day, counted from 1970-01-01. Years are counted from March, so that the day of a
/// leap year is the last one.
fn date(day: u64) -> String {
    // Each 400 years have this number of days; day 0 of the first 400 is 0000-03-01.
    const ERA: u64 = 146_097;
    let days = day + 719_468;
    let (era, of_era) = (days / ERA, days % ERA);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / (ERA - 1)) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    // From March on, five months always have 153 days.
    let from_march = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + 400 * era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{of_month:02}")
}

/// The days on which a file's figures were measured, as `measured` states them: today, if all
/// figures were. If only a part was, the other figures are from the day that `old` begins with.
pub fn days(old: Option<&str>, today: &str, is_part: bool) -> String {
    let first = old.and_then(|old| old.get(..today.len())).filter(|first| is_date(first));
    match (is_part, first) {
        (false, _) => today.to_owned(),
        (true, Some(first)) if first == today => today.to_owned(),
        (true, Some(first)) => format!("{first} to {today}"),
        (true, None) => format!("{today}, in part"),
    }
}

/// Whether a text is a date as [`date`] writes it.
fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(i, byte)| match i {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (day, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_787, "2026-11-30"),
            (20_819, "2027-01-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(day), expected);
            assert!(is_date(expected));
        }
        assert!(is_date(&today()));
    }

    #[test]
    fn figures_of_other_days_stay() {
        let of = |old, is_part| days(old, "2026-12-01", is_part);
        assert_eq!(of(Some("2026-11-27, gcc"), false), "2026-12-01");
        assert_eq!(of(None, false), "2026-12-01");
        assert_eq!(of(Some("2026-11-27, gcc"), true), "2026-11-27 to 2026-12-01");
        assert_eq!(of(Some("2026-11-27 to 2026-11-30, gcc"), true), "2026-11-27 to 2026-12-01");
        assert_eq!(of(Some("2026-12-01, gcc"), true), "2026-12-01");
        assert_eq!(of(Some("gcc 12"), true), "2026-12-01, in part");
        assert_eq!(of(None, true), "2026-12-01, in part");
    }
}
