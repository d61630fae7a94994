//! Whole numbers of any length. One that fits a machine's word, as nearly all do, is kept and reckoned there; whatever
//! does not goes the long way. Nobody outside can tell which it was.

use num_bigint::BigInt;

/// `Long` only where `Short` has no room: equal numbers are equal values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    Short(i128),
    Long(BigInt),
}

impl Whole {
    pub(super) const ZERO: Self = Self::Short(0);

    /// Digits, perhaps behind a sign, in two pieces.
    pub(super) fn parse(first: &str, second: &str) -> Option<Self> {
        let (negative, unsigned) = match first.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, first),
        };
        // Whatever has as many digits at most has room.
        if (1..=38).contains(&(unsigned.len() + second.len())) {
            let digits = unsigned.bytes().chain(second.bytes());
            let number = digits
                .map(|byte| byte.wrapping_sub(b'0'))
                .try_fold(0_i128, |number, digit| (digit < 10).then_some(number * 10 + i128::from(digit)));
            if let Some(number) = number {
                return Some(Self::Short(if negative { -number } else { number }));
            }
        }
        [first, second].concat().parse().ok().map(Self::of)
    }

    /// 10 to the power of `exponent`.
    pub(super) fn power(exponent: u32) -> Self {
        let short = 10_i128.checked_pow(exponent).map(Self::Short);
        short.unwrap_or_else(|| Self::Long(BigInt::from(10).pow(exponent)))
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let short = self.short(other, i128::checked_mul);
        short.unwrap_or_else(|| Self::of(self.long() * other.long()))
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let short = self.short(other, i128::checked_add);
        short.unwrap_or_else(|| Self::of(self.long() + other.long()))
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        let short = self.short(other, i128::checked_sub);
        short.unwrap_or_else(|| Self::of(self.long() - other.long()))
    }

    /// Divides by a positive number, and rounds towards minus infinity.
    pub(super) fn floor_divide(&self, below: &Self) -> Self {
        let short = self.short(below, i128::checked_div_euclid);
        short.unwrap_or_else(|| {
            let (above, below) = (self.long(), below.long());
            let quotient = &above / &below;
            let rounded_up = above < BigInt::ZERO && &quotient * &below != above;
            Self::of(if rounded_up { quotient - 1 } else { quotient })
        })
    }

    /// Whether it is farther from zero than another, or as far.
    pub(super) fn reaches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Short(one), Self::Short(other)) => one.unsigned_abs() >= other.unsigned_abs(),
            _ => self.long().magnitude() >= other.long().magnitude(),
        }
    }

    pub(super) fn is_positive(&self) -> bool {
        match self {
            Self::Short(number) => *number > 0,
            Self::Long(number) => *number > BigInt::ZERO,
        }
    }

    pub(super) fn is_negative(&self) -> bool {
        !self.is_positive() && *self != Self::ZERO
    }

    pub(super) fn to_i64(&self) -> Option<i64> {
        match self {
            Self::Short(number) => i64::try_from(*number).ok(),
            Self::Long(_) => None,
        }
    }

    /// Its digits, without a sign.
    pub(super) fn size(&self) -> String {
        match self {
            Self::Short(number) => number.unsigned_abs().to_string(),
            Self::Long(number) => number.magnitude().to_string(),
        }
    }

    fn of(number: BigInt) -> Self {
        i128::try_from(&number).map_or(Self::Long(number), Self::Short)
    }

    fn long(&self) -> BigInt {
        match self {
            Self::Short(number) => (*number).into(),
            Self::Long(number) => number.clone(),
        }
    }

    fn short(&self, other: &Self, reckon: fn(i128, i128) -> Option<i128>) -> Option<Self> {
        match (self, other) {
            (Self::Short(one), Self::Short(other)) => reckon(*one, *other).map(Self::Short),
            _ => None,
        }
    }
}

impl From<i64> for Whole {
    fn from(number: i64) -> Self {
        Self::Short(number.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of all sizes, many of them where the word ends.
    fn number() -> impl Strategy<Value = BigInt> {
        let edge = (any::<bool>(), -3_i128..=3)
            .prop_map(|(least, off)| BigInt::from(if least { i128::MIN } else { i128::MAX }) + off);
        let long = (any::<i128>(), any::<i64>()).prop_map(|(one, other)| BigInt::from(one) * other);
        prop_oneof![
            (-20_i128..=20).prop_map(BigInt::from),
            any::<i64>().prop_map(BigInt::from),
            any::<i128>().prop_map(BigInt::from),
            edge,
            long,
        ]
    }

    /// By comparing, where the short way divides.
    fn is_floor(quotient: &BigInt, above: &BigInt, below: &BigInt) -> bool {
        quotient * below <= *above && (quotient + 1) * below > *above
    }

    #[test]
    fn digits_are_read_from_two_pieces() {
        let most = i128::MAX.to_string();
        for (first, second, number) in [
            ("12", "34", Some("1234")),
            ("-12", "34", Some("-1234")),
            ("0", "", Some("0")),
            ("-0", "", Some("0")),
            ("", "5", Some("5")),
            ("-", "5", Some("-5")),
            ("+1", "5", Some("15")),
            (&most, "", Some(most.as_str())),
            (&most, "9", Some(&format!("{most}9"))),
            ("", "", None),
            ("-", "", None),
            ("x", "", None),
            ("1", "-5", None),
            ("--1", "", None),
        ] {
            let expected = number.map(|text| Whole::of(text.parse().unwrap()));
            assert_eq!(Whole::parse(first, second), expected, "{first} {second}");
        }
    }

    proptest! {
        #[test]
        fn both_ways_agree(one in number(), other in number()) {
            let (a, b) = (Whole::of(one.clone()), Whole::of(other.clone()));
            prop_assert_eq!(a.times(&b), Whole::of(&one * &other));
            prop_assert_eq!(a.plus(&b), Whole::of(&one + &other));
            prop_assert_eq!(a.minus(&b), Whole::of(&one - &other));
            prop_assert_eq!(a.reaches(&b), one.magnitude() >= other.magnitude());
            prop_assert_eq!((a.is_positive(), a.is_negative()), (one > BigInt::ZERO, one < BigInt::ZERO));
            prop_assert_eq!(a.to_i64(), i64::try_from(&one).ok());
            prop_assert_eq!(a.size(), one.magnitude().to_string());
            prop_assert_eq!(a.long(), one.clone());
            if b.is_positive() {
                prop_assert!(is_floor(&a.floor_divide(&b).long(), &one, &other));
            }
        }

        #[test]
        fn a_text_means_the_same_wherever_it_is_cut(text in "[+-]?[0-9_]{0,45}", at in 0_usize..46) {
            let (first, second) = text.split_at(at.min(text.len()));
            let expected = text.parse().ok().map(Whole::of);
            // A sign may only stand in the first piece.
            prop_assume!(!first.is_empty() || !second.starts_with(['+', '-']));
            prop_assert_eq!(Whole::parse(first, second), expected);
        }

        #[test]
        fn powers_are_those_of_ten(exponent in 0_u32..80) {
            prop_assert_eq!(Whole::power(exponent), Whole::of(BigInt::from(10).pow(exponent)));
        }
    }
}
