use super::*;

fn point(x: f64, y: f64, kind: PointKind) -> Point {
    let label = format!("<{x}>");
    Point { x, y, about: format!("{label}: {y}"), label, kind, published: false }
}

fn drawn(points: Vec<Point>) -> Scatter {
    Scatter {
        title: "Cores & others".into(),
        lines: vec!["what comes of it".into(), "how it was made".into()],
        x_title: "area, LC".into(),
        y_title: "throughput, Mbit/s".into(),
        points,
        levels: vec![(2.5, "claim".into())],
        guide: Some(GuideLine::Ratio(1.0, "best ratio".into())),
        published: "published".into(),
        reading: "how labels are read".into(),
    }
}

fn plenty() -> Scatter {
    let mut points = vec![
        point(1.0, 1.0, PointKind::Best),
        point(1.6, 2.2, PointKind::Chosen),
        point(2.0, 3.0, PointKind::Best),
        point(1.9, 1.2, PointKind::Peer),
    ];
    points.extend((0..40).map(|i| point(1.5 + f64::from(i) / 100.0, 1.5, PointKind::Beaten)));
    points[4].published = true;
    drawn(points)
}

/// Elements are closed in the order in which they were opened, attributes are quoted once each, and
/// what is between is text.
#[track_caller]
fn assert_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "{}", &rest[..at]);
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut known: Vec<&str> = Vec::new();
        let mut attributes = attributes.trim_end_matches('/');
        while let Some((name, quoted)) = attributes.split_once("=\"") {
            let name = name.trim();
            let (_, after) = quoted.split_once('"').expect("the quote ends");
            assert!(!known.contains(&name) && !name.contains(['"', '\'']), "{tag}");
            known.push(name);
            attributes = after;
        }
        assert_eq!(attributes.trim(), "", "{tag}");
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

/// The drawing without its key.
fn plane(file: &str) -> &str {
    file.split_once("class=\"key\"").unwrap().1.split_once("</g>").unwrap().1
}

#[test]
fn every_point_is_drawn_and_the_file_is_well_formed() {
    for scatter in [
        plenty(),
        drawn(vec![]),
        drawn(vec![point(5.0, 7.0, PointKind::Chosen)]),
        Scatter::default(),
    ] {
        let file = scatter.file();
        assert_well_formed(&file);
        assert_well_formed(&scatter.html().0);
        assert_eq!(plane(&file).matches("class=\"dot ").count(), scatter.points.len());
        for point in &scatter.points {
            let said = format!("<title>&lt;{}&gt;: {}</title>", point.x, point.y);
            assert!(plane(&file).contains(&said), "{said}");
        }
        assert!(!file.contains("NaN") && !file.contains("inf"), "{file}");
    }
}

#[test]
fn title_and_axes_say_what_is_shown() {
    let file = plenty().file();
    for said in [
        "Cores &amp; others<",
        ">what comes of it<",
        ">how it was made<",
        ">area, LC<",
        ">throughput, Mbit/s<",
    ] {
        assert!(file.contains(said), "{said}");
    }
    let mut wide = plenty();
    wide.points.push(point(1000.0, 2.0, PointKind::Beaten));
    assert!(wide.file().contains(">area, LC (logarithmic)<"));
}

#[test]
fn the_key_has_what_is_drawn_and_nothing_else() {
    let meanings = |scatter: &Scatter| -> Vec<String> {
        let file = scatter.file();
        let key = file.split_once("class=\"key\"").unwrap().1.split_once("</g>").unwrap().0;
        let texts = key.split("<text").skip(1);
        texts.map(|t| t.split_once('>').unwrap().1.split_once('<').unwrap().0.to_owned()).collect()
    };
    let all = meanings(&plenty());
    let kinds = PointKind::ALL.map(PointKind::means);
    let others = [
        "published",
        "claim of others, on another chip, without an area",
        "best ratio",
        "how labels are read",
    ];
    assert_eq!(all, [&kinds[..], &others].concat());
    let few =
        Scatter { levels: vec![], guide: None, ..drawn(vec![point(1.0, 2.0, PointKind::Best)]) };
    assert_eq!(meanings(&few), [PointKind::Best.means(), "how labels are read"]);
}

#[test]
fn marks_differ_in_form_as_well_as_in_colour() {
    let forms = PointKind::ALL.map(|kind| {
        let mut svg = Svg::new(100.0, 100.0);
        kind.mark(&mut svg, [50.0, 50.0], "");
        svg.file("", "").replace(kind.class(), "")
    });
    for (i, form) in forms.iter().enumerate() {
        assert!(forms[..i].iter().all(|other| other != form), "{form}");
    }
}

#[test]
fn what_none_beats_is_labelled_and_what_is_published_framed() {
    let file = plenty().file();
    let labels = plane(&file).matches("class=\"label").count();
    assert_eq!(labels, 3 + 1 + 1, "those none beats, a peer and a published one");
    assert_eq!(plane(&file).matches("class=\"frame\"").count(), 1);
}

#[test]
fn a_guide_line_is_drawn_where_it_is_in_the_picture() {
    let with = |guide| Scatter { guide: Some(guide), ..plenty() }.file();
    let drawn = |file: &str| plane(file).matches("class=\"guide\"").count();
    assert_eq!(drawn(&with(GuideLine::Right(1.5, "budget".into()))), 1);
    assert_eq!(drawn(&with(GuideLine::Right(100.0, "budget".into()))), 0);
    assert_eq!(drawn(&with(GuideLine::Up(2.0, "rate".into()))), 1);
    assert_eq!(drawn(&with(GuideLine::Ratio(1.375, "ratio".into()))), 1);
    assert_eq!(drawn(&with(GuideLine::Ratio(100.0, "ratio".into()))), 0);
}
