//! Places labels such that none overlaps another label, a point or a line.

use super::svg::Anchor;

/// Width of a letter at the size of labels, no less than in most fonts.
const LETTER: f64 = 6.2;
/// How far a label goes above and below its base line.
const ABOVE: f64 = 10.0;
const BELOW: f64 = 3.5;
/// The gap between a mark and its label.
const AIR: f64 = 3.0;
/// How far labels may be from their points; from the second distance on, a line joins them.
const DISTANCES: [f64; 9] = [0.0, 10.0, 20.0, 32.0, 46.0, 64.0, 86.0, 112.0, 144.0];
/// The directions from a point in which its label is tried, the best first. No other point lies up
/// and to the left of a best point: it would be both smaller and faster.
const WHITHER: [[f64; 2]; 8] = [
    [-0.7, -0.7],
    [0.0, -1.0],
    [1.0, 0.0],
    [-1.0, 0.0],
    [0.7, 0.7],
    [0.7, -0.7],
    [0.0, 1.0],
    [-0.7, 0.7],
];

/// A rectangle: its upper left corner, width and height.
pub type Room = [f64; 4];

/// The place of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Its base line.
    pub place: [f64; 2],
    /// The point of the text that is put at `place`.
    pub anchor: Anchor,
    /// The end of the leader line from the labelled point, if the label is not right beside the
    /// point.
    pub lead: Option<[f64; 2]>,
}

/// Rectangles that are taken, and the area in which labels may be.
#[derive(Clone, Debug)]
pub struct Labels {
    inside: Room,
    /// The rectangles of marks and labels; no line to a label may cross them.
    taken: Vec<Room>,
    /// Taken by lines.
    lines: Vec<Room>,
}

/// The width of a text.
pub fn width(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

impl Labels {
    /// An area in which nothing is taken.
    pub fn new(inside: Room) -> Self {
        Self { inside, taken: Vec::new(), lines: Vec::new() }
    }

    /// Takes a room.
    pub fn take(&mut self, room: Room) {
        self.taken.push(room);
    }

    /// Takes a line along an axis, of which the ends may be in any order.
    pub fn take_line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        self.lines.push([x1.min(x2), y1.min(y2), (x1 - x2).abs(), (y1 - y2).abs()]);
    }

    /// Takes the first of the base lines `at` at which the text is free.
    pub fn first(
        &mut self,
        text: &str,
        at: impl IntoIterator<Item = [f64; 2]>,
    ) -> Option<[f64; 2]> {
        at.into_iter().find(|&place| self.take_if_free(room(text, place, Anchor::Start)))
    }

    /// Takes the nearest free place for a label beside a mark of this radius, if there is one.
    pub fn beside(&mut self, [x, y]: [f64; 2], radius: f64, text: &str) -> Option<Placed> {
        for distance in DISTANCES {
            for [to_x, to_y] in WHITHER {
                let far = radius + AIR + distance;
                let edge = [x + to_x * far, y + to_y * far];
                let anchor = match to_x {
                    0.0 => Anchor::Middle,
                    to_x if to_x < 0.0 => Anchor::End,
                    _ => Anchor::Start,
                };
                // The side or corner of the label's rectangle that is nearest to the mark lies at
                // `edge`.
                let down = match to_y {
                    0.0 => (ABOVE - BELOW) / 2.0,
                    to_y if to_y < 0.0 => -BELOW,
                    _ => ABOVE,
                };
                let place = [edge[0], edge[1] + down];
                let is_clear = distance == 0.0 || self.is_clear([x, y], edge);
                if is_clear && self.take_if_free(room(text, place, anchor)) {
                    return Some(Placed { place, anchor, lead: (distance > 0.0).then_some(edge) });
                }
            }
        }
        None
    }

    /// Whether a line from a mark to its label crosses no other mark or label, and does not run
    /// along another line.
    fn is_clear(&self, from: [f64; 2], to: [f64; 2]) -> bool {
        let others = || self.taken.iter().filter(|room| !overlap(room, &spot(from)));
        let on = |part: f64| spot([0, 1].map(|i| from[i] + part * (to[i] - from[i])));
        let crosses =
            (1..=20).any(|i| others().any(|room| overlap(room, &on(f64::from(i) / 20.0))));
        let lies_on = [0.5, 0.75, 1.0].map(|part| self.lines.iter().any(|l| overlap(l, &on(part))));
        !crosses && lies_on != [true; 3]
    }

    fn take_if_free(&mut self, room: Room) -> bool {
        let mut taken = self.taken.iter().chain(&self.lines);
        let free = within(&room, &self.inside) && !taken.any(|taken| overlap(taken, &room));
        if free {
            self.take(room);
        }
        free
    }
}

/// The room that a text takes.
fn room(text: &str, [x, y]: [f64; 2], anchor: Anchor) -> Room {
    let width = width(text);
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    [left, y - ABOVE, width, ABOVE + BELOW]
}

/// A point, as thick as a line.
fn spot([x, y]: [f64; 2]) -> Room {
    [x - 1.0, y - 1.0, 2.0, 2.0]
}

fn overlap(a: &Room, b: &Room) -> bool {
    a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3]
}

fn within(a: &Room, b: &Room) -> bool {
    a[0] >= b[0] && a[1] >= b[1] && a[0] + a[2] <= b[0] + b[2] && a[1] + a[3] <= b[1] + b[3]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_apart_and_inside() {
        let inside = [0.0, 0.0, 400.0, 300.0];
        let mut labels = Labels::new(inside);
        labels.take_line([400.0, 150.0], [0.0, 150.0]);
        let placed: Vec<Placed> = (0..20)
            .filter_map(|i| labels.beside([80.0 + 12.0 * f64::from(i), 160.0], 5.0, "2×4 csa"))
            .collect();
        assert!(placed.len() >= 15, "{placed:?}");
        assert!(placed[0].lead.is_none() && placed.iter().any(|placed| placed.lead.is_some()));
        let rooms: Vec<Room> = labels.taken.clone();
        for (i, room) in rooms.iter().enumerate() {
            assert!(within(room, &inside), "{room:?}");
            assert!(rooms[..i].iter().all(|other| !overlap(room, other)), "{room:?}");
            assert!(!overlap(room, &labels.lines[0]), "{room:?} on the line");
        }
    }

    #[test]
    fn a_text_without_room_has_no_place() {
        let mut labels = Labels::new([0.0, 0.0, 50.0, 50.0]);
        assert_eq!(labels.beside([25.0, 25.0], 5.0, "longer than the plane"), None);
        assert_eq!(
            labels.first("no", [[60.0, 20.0], [10.0, 20.0], [10.0, 40.0]]),
            Some([10.0, 20.0])
        );
        assert_eq!(labels.first("no", [[10.0, 20.0], [10.0, 40.0]]), Some([10.0, 40.0]));
    }

    #[test]
    fn a_line_to_a_label_keeps_off_other_marks() {
        let mut labels = Labels::new([0.0, 0.0, 400.0, 300.0]);
        labels.take([210.0, 145.0, 10.0, 10.0]);
        assert!(!labels.is_clear([200.0, 150.0], [240.0, 150.0]));
        assert!(labels.is_clear([200.0, 150.0], [160.0, 150.0]));
        labels.take_line([100.0, 150.0], [200.0, 150.0]);
        assert!(!labels.is_clear([200.0, 150.0], [160.0, 150.0]), "it would not be seen");
        assert!(labels.is_clear([200.0, 150.0], [170.0, 120.0]));
    }
}
