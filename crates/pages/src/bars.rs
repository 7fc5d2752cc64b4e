//! The width profile: how many operations can run at each time.

use super::gantt::ticks;
use super::svg::{Anchor, Svg, number};
use super::{Html, INFALLIBLE};
use std::fmt::Write;

const WIDTH: f64 = 980.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 36.0;

/// Cuts a profile into at most `most` parts of nearly equal length, and gives the mean of each.
pub fn bins(profile: &[usize], most: usize) -> Vec<f64> {
    let count = profile.len().min(most);
    let at = |bin: usize| bin * profile.len() / count;
    (0..count)
        .map(|bin| &profile[at(bin)..at(bin + 1)])
        .map(|part| part.iter().sum::<usize>() as f64 / part.len() as f64)
        .collect()
}

/// The height at which bars are cut, so that one peak does not flatten all others: the highest bar
/// if it is at most four times the mean, else 2.5 times the mean.
pub fn ceiling(bins: &[f64], mean: f64) -> f64 {
    let highest = bins.iter().copied().fold(0.0, f64::max);
    if highest <= 4.0 * mean { highest } else { 2.5 * mean }
}

/// Whether bars have tooltips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Titles {
    Shown,
    /// No tooltips, for a picture on a page, which would not show them.
    None,
}

/// Draws a profile: bars for the operations that can run at each time, a line for their mean.
fn draw(profile: &[usize], titles: Titles) -> Svg {
    let mut svg = Svg::new(WIDTH, HEIGHT);
    let bins = bins(profile, 460);
    let mean = profile.iter().sum::<usize>() as f64 / profile.len().max(1) as f64;
    let top = ceiling(&bins, mean).max(1.0);
    let (wide, high) = (WIDTH - LEFT - 10.0, HEIGHT - TOP - BOTTOM);
    let y = |value: f64| TOP + high * (1.0 - value.min(top) / top);
    let step = wide / bins.len().max(1) as f64;
    let floor = y(0.0);

    for tick in ticks(top) {
        svg.line("grid", [LEFT, y(tick)], [LEFT + wide, y(tick)]);
        svg.text("axis", [LEFT - 6.0, y(tick) + 4.0], Anchor::End, &number(tick));
    }
    let per_bin = profile.len() as f64 / bins.len().max(1) as f64;
    // Without titles all bars of a class are one path.
    let mut paths = [("level", String::new()), ("level cut", String::new())];
    for (i, &value) in bins.iter().enumerate() {
        let class = if value > top { "level cut" } else { "level" };
        let from = (i as f64 * per_bin) as usize;
        let title = format!("from time {from}: {} operations at once", number(value));
        let gap = if step > 3.0 { 0.8 } else { 0.0 };
        let x = LEFT + step * i as f64;
        let place = [x, y(value), (step - gap).max(0.3), floor - y(value)];
        if titles == Titles::Shown {
            svg.rect(class, place, &title);
        } else if let Some((_, d)) = paths.iter_mut().find(|(name, _)| *name == class) {
            let [x, y, width, height] = place.map(number);
            write!(d, "M{x} {y}h{width}v{height}h-{width}z").expect(INFALLIBLE);
        }
    }
    for (class, d) in paths.iter().filter(|(_, d)| !d.is_empty()) {
        svg.path(class, d);
    }
    if let Some((i, &peak)) =
        bins.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).filter(|(_, peak)| **peak > top)
    {
        let x = (LEFT + step * i as f64 + step / 2.0).clamp(LEFT, LEFT + wide - 40.0);
        svg.text("axis", [x, TOP - 6.0], Anchor::Start, &format!("↑ {}", number(peak)));
    }
    svg.line("mean", [LEFT, y(mean)], [LEFT + wide, y(mean)]);
    let label = format!("mean {mean:.1}");
    svg.text("mean", [LEFT + wide, y(mean) - 5.0], Anchor::End, &label);
    for tick in ticks(profile.len() as f64) {
        let x = LEFT + wide * tick / profile.len().max(1) as f64;
        svg.text("axis", [x, floor + 16.0], Anchor::Middle, &number(tick));
    }
    svg.text("axis", [LEFT + wide, HEIGHT - 4.0], Anchor::End, "time, in operations");
    svg
}

/// The profile as part of a page.
pub fn profile(profile: &[usize]) -> Html {
    let svg =
        draw(profile, Titles::Shown).html("profile", "how many operations can run at each time");
    Html(format!("<div class=\"scroll\">{svg}</div>\n"))
}

/// The profile as an SVG file, for light and dark surroundings.
pub fn profile_file(profile: &[usize], title: &str) -> String {
    let label = format!("{title}: how many operations can run at each time");
    draw(profile, Titles::None).file(&label, FILE_STYLE)
}

const FILE_STYLE: &str = "\
text { font: 12px sans-serif; fill: #57606a; }
.level { fill: #2f6fbd; }
.cut { fill: #7aa7dd; }
.grid { stroke: #57606a; stroke-opacity: 0.25; }
line.mean { stroke: #bc4c00; stroke-dasharray: 5 3; }
text.mean \
{ fill: #bc4c00; font-weight: bold; paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }
@media (prefers-color-scheme: dark) {
  text { fill: #a5afba; }
  .level { fill: #5b9bea; }
  .cut { fill: #35608f; }
  .grid { stroke: #a5afba; }
  line.mean { stroke: #f0a35e; }
  text.mean { fill: #f0a35e; stroke: #0d1117; }
}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_keep_the_sum() {
        let profile: Vec<usize> = (0..1000).map(|i| i % 7).collect();
        assert_eq!(bins(&profile, 1000).len(), 1000);
        let hundred = bins(&profile, 100);
        let sum: f64 = hundred.iter().map(|mean| 10.0 * mean).sum();
        assert!((sum - profile.iter().sum::<usize>() as f64).abs() < 1e-6);
        assert!(bins(&[], 10).is_empty());
    }

    #[test]
    fn one_peak_does_not_flatten_the_rest() {
        let mut profile = vec![5; 300];
        profile[0] = 500;
        let svg = profile_file(&profile, "x");
        assert!(svg.contains("↑ 500") && svg.contains("level cut"));
        assert!(!profile_file(&[3, 4, 5], "x").contains('↑'));
        assert!(!profile_file(&[], "x").contains("NaN"));
    }
}
