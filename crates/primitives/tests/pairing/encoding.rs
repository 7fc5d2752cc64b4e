//! Bytes: round trips, and an error for each fault.

use crate::common::{Rng, edges, for_each_curve};
use manylane_primitives::pairing::encoding::Form;
use manylane_primitives::pairing::{BinaryField, Curve, DecodeError, Element, Point, Quartic};
use manylane_primitives::word::Words;

type P<C> = Point<Element<C>>;

fn encoded<C: Curve>(point: P<C>, form: Form) -> Vec<u8> {
    let mut bytes = vec![0; P::<C>::MAX_BYTES];
    point.encode(form, &mut bytes).to_vec()
}

#[test]
fn elements_come_back() {
    fn body<C: Curve>() {
        for a in edges::<C>() {
            assert_eq!(Element::from_bytes(a.to_bytes().as_ref()), Ok(a));
            assert_eq!(Element::from_limbs(*a.limbs()), Ok(a));
        }
        let mut above = C::Bytes::splat(0);
        above.as_mut()[0] = 1 << (C::M % 8);
        assert_eq!(Element::<C>::from_bytes(above.as_ref()), Err(DecodeError::NotReduced));
        let expected = C::Bytes::LEN;
        for found in [0, expected - 1, expected + 1] {
            let error = Element::<C>::from_bytes(&vec![0; found]);
            assert_eq!(error, Err(DecodeError::WrongLength { expected, found }));
        }
    }
    for_each_curve!(body);
}

#[test]
fn points_come_back() {
    fn body<C: Curve>() {
        let p: P<C> = Rng::from_name("points_come_back").point();
        let n = C::Bytes::LEN;
        for point in [p, -p, P::infinity()] {
            for (form, length) in [(Form::Compressed, 1 + n), (Form::Uncompressed, 1 + 2 * n)] {
                let bytes = encoded(point, form);
                assert_eq!(bytes.len(), if point == P::infinity() { 1 } else { length });
                assert_eq!(P::decode(&bytes), Ok(point));
            }
        }
    }
    for_each_curve!(body);
}

#[test]
fn each_fault_has_its_error() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("each_fault_has_its_error");
        let p: P<C> = rng.point();
        for form in [Form::Compressed, Form::Uncompressed] {
            let good = encoded(p, form);
            let expected = good.len();
            let longer = [good.as_slice(), &[0]].concat();
            for bytes in [&good[..expected - 1], &longer] {
                let error = DecodeError::WrongLength { expected, found: bytes.len() };
                assert_eq!(P::<C>::decode(bytes), Err(error));
            }
            for tag in [1, 5, 6, 7, 255] {
                let bytes = [&[tag], &good[1..]].concat();
                assert_eq!(P::<C>::decode(&bytes), Err(DecodeError::UnknownTag(tag)));
            }
            for start in (1..expected).step_by(C::Bytes::LEN) {
                let mut bytes = good.clone();
                bytes[start] |= 1 << (C::M % 8);
                assert_eq!(P::<C>::decode(&bytes), Err(DecodeError::NotReduced));
            }
        }
        let empty = DecodeError::WrongLength { expected: 1 + C::Bytes::LEN, found: 0 };
        assert_eq!(P::<C>::decode(&[]), Err(empty));
        assert_eq!(
            P::<C>::decode(&[0, 0]),
            Err(DecodeError::WrongLength { expected: 1, found: 2 })
        );

        let wrong = Point::new(p.x(), p.y() + p.x().square() + p.x());
        assert_eq!(
            P::<C>::decode(&encoded(wrong, Form::Uncompressed)),
            Err(DecodeError::NotOnCurve)
        );
        let x = std::iter::repeat_with(|| rng.element::<C>())
            .find(|&x| Point::from_x(x, false).is_none())
            .unwrap();
        let none = Point::new(x, x);
        for form in [Form::Compressed, Form::Uncompressed] {
            assert_eq!(P::<C>::decode(&encoded(none, form)), Err(DecodeError::NotOnCurve));
        }
    }
    for_each_curve!(body);
}

#[test]
fn points_outside_the_subgroup_are_refused() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("points_outside_the_subgroup_are_refused");
        let outside: Option<P<C>> = (0..40)
            .filter_map(|_| Point::from_x(rng.element(), false))
            .find(|p| p.in_subgroup() == Element::zero());
        let Some(outside) = outside else {
            assert_eq!(C::COFACTOR, u64::to_be_bytes(1));
            return;
        };
        for form in [Form::Compressed, Form::Uncompressed] {
            let bytes = encoded(outside, form);
            assert_eq!(P::<C>::decode(&bytes), Err(DecodeError::NotInSubgroup));
            assert_eq!(P::decode_on_curve(&bytes), Ok(outside));
        }
        let inside = outside.clear_cofactor();
        assert_eq!(P::decode(&encoded(inside, Form::Compressed)), Ok(inside));
    }
    for_each_curve!(body);
}

/// Random bytes decode only to points of the curve, which encode to the same bytes.
#[test]
fn decoding_has_one_preimage() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("decoding_has_one_preimage");
        let mut decoded = 0;
        for round in 0..60 {
            let n = C::Bytes::LEN;
            let mut bytes = vec![0; if round % 4 == 0 { 1 + 2 * n } else { 1 + n }];
            rng.bytes(&mut bytes);
            bytes[0] = if round % 4 == 0 { 4 } else { 2 + (round % 2) as u8 };
            if round % 3 > 0 {
                bytes[1] &= 0xff >> (8 * n - C::M);
            }
            if let Ok(point) = P::<C>::decode_on_curve(&bytes) {
                assert_eq!(point.on_curve(), Element::one());
                assert_eq!(encoded(point, Form::Compressed), bytes);
                decoded += 1;
            }
        }
        assert!((5..50).contains(&decoded), "{decoded}");
    }
    for_each_curve!(body);
}

#[test]
fn digests_become_points_of_the_subgroup() {
    fn body<C: Curve>() {
        let mut rng = Rng::from_name("digests_become_points_of_the_subgroup");
        let [a, b] = [(); 2].map(|()| {
            let mut digest = C::Bytes::splat(0);
            rng.bytes(digest.as_mut());
            let point = P::<C>::from_digest(digest).unwrap();
            assert_eq!(point.is_infinite(), Element::zero());
            assert_eq!(point.on_curve(), Element::one());
            assert_eq!(point.in_subgroup(), Element::one());
            assert_eq!(P::from_digest(digest), Some(point));
            digest.as_mut()[0] ^= 0x80;
            assert_eq!(P::from_digest(digest), Some(point), "bits from z^m on do not count");
            point
        });
        assert_ne!(a, b);
    }
    for_each_curve!(body);
}

/// The search for an x with a point wraps at 2^m, and gives up after 256 of them.
#[test]
fn small_integers_have_no_point_where_b_is_1() {
    fn body<C: Curve>() {
        let last = P::<C>::from_digest(C::Bytes::splat(0xff));
        let zero = P::<C>::from_digest(C::Bytes::splat(0));
        assert_eq!(zero.is_none(), C::B);
        assert_eq!(last.is_none(), C::B && Point::from_x(edges::<C>()[1], false).is_none());
    }
    for_each_curve!(body);
}

#[test]
fn pairing_values_come_back() {
    fn body<C: Curve>() {
        let value: Quartic<Element<C>> = Rng::from_name("pairing_values_come_back").quartic();
        let mut bytes = vec![0; Quartic::<Element<C>>::BYTES];
        assert_eq!(value.encode(&mut bytes).len(), 4 * C::Bytes::LEN);
        assert_eq!(Quartic::decode(&bytes), Ok(value));
        let expected = bytes.len();
        let error = DecodeError::WrongLength { expected, found: expected - 1 };
        assert_eq!(Quartic::<Element<C>>::decode(&bytes[1..]), Err(error));
        bytes[2 * C::Bytes::LEN] = 0xff;
        assert_eq!(Quartic::<Element<C>>::decode(&bytes), Err(DecodeError::NotReduced));
    }
    for_each_curve!(body);
}
