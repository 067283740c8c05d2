//! Short texts as numbers, so that they are compared and read without a loop over their bytes.

/// The longest text that is short, in bytes.
const LONGEST: usize = 15;
/// The lowest bit of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// 10^0 to 10^19.
pub(super) static POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// A text of at most 15 bytes: two texts have the same if and only if they are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Short {
    /// The length in the highest byte, then what is in front of the last eight bytes.
    pub(super) high: u64,
    /// The last eight bytes, the last one lowest.
    pub(super) low: u64,
}

impl Short {
    /// The text, if it is short.
    #[inline]
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let length = text.len();
        if length > LONGEST {
            return None;
        }
        let size = (length as u64) << 56;
        if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
            let (first, low) = (u64::from_be_bytes(*first), u64::from_be_bytes(*last));
            // What both have is left out; of eight bytes that is all.
            let before = (first >> 8) >> (8 * (LONGEST - length));
            return Some(Self { high: size | before, low });
        }
        if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
            let (first, last) = (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
            let low = u64::from(first) << (8 * (length - 4)) | u64::from(last);
            return Some(Self { high: size, low });
        }
        // Of one or two bytes some are taken twice, to the same place.
        let byte = |at: usize| text.get(at).map_or(0, |&byte| u64::from(byte) << (8 * (length - 1 - at)));
        let low = byte(0) | byte(length / 2) | byte(length.saturating_sub(1));
        Some(Self { high: size, low })
    }

    /// The text as a plain decimal, digits and perhaps a point followed by one to `places` digits, times 10^`places`.
    #[inline]
    pub(super) fn decimal(self, places: usize) -> Option<u64> {
        let mut digits = (self.high >> 56) as usize;
        let (mut high, mut low) = (self.high & (u64::MAX >> 8), self.low);
        let mut fraction = 0;
        let point = bytes_equal(low, b'.');
        if point != 0 {
            // The point is taken out and what is in front of it moves up.
            let bits = point.trailing_zeros() & !7;
            fraction = bits as usize / 8;
            let behind = (1 << bits) - 1;
            low = (low & behind) | (((low >> 8) | (high << 56)) & !behind);
            high >>= 8;
            digits -= 1;
            if fraction == 0 {
                return None;
            }
        }
        let front = digits.saturating_sub(8);
        let value = if front > 0 {
            eight_digits(high, front)? * 100_000_000 + eight_digits(low, 8)?
        } else {
            eight_digits(low, digits)?
        };
        value.checked_mul(*POWERS.get(places.checked_sub(fraction)?)?)
    }
}

/// The number that the lowest `count` bytes, one to eight, are in ASCII.
#[inline]
fn eight_digits(text: u64, count: usize) -> Option<u64> {
    let above = 8 * 8usize.checked_sub(count)? as u32;
    // Bytes in front of the first digit are none, and shall be zero.
    let digits = (text ^ (ONES * u64::from(b'0'))).checked_shl(above)? >> above;
    // The sum sets the highest bit of a byte above nine; one that has it already is none either.
    if (digits | ((digits & (ONES * 0x7f)) + ONES * 0x76)) & (ONES * 0x80) != 0 {
        return None;
    }
    let pairs = (digits & 0x00ff_00ff_00ff_00ff) + 10 * ((digits >> 8) & 0x00ff_00ff_00ff_00ff);
    let fours = (pairs & 0x0000_ffff_0000_ffff) + 100 * ((pairs >> 16) & 0x0000_ffff_0000_ffff);
    Some((fours & 0xffff_ffff) + 10_000 * (fours >> 32))
}

/// The bytes of a word that equal `byte`, each marked by its highest bit.
#[inline]
pub(super) fn bytes_equal(word: u64, byte: u8) -> u64 {
    const LOW_BITS: u64 = 0x7f * ONES;
    let other = word ^ (u64::from(byte) * ONES);
    // The sum sets the highest bit of a byte that has any of the others.
    !(((other & LOW_BITS) + LOW_BITS) | other | LOW_BITS)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn texts_are_the_same_if_they_are_equal() {
        let long = b"\0\0aaaaaaaaabcdefgh\0abc\x01\x0200000\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
        let mut seen: HashMap<(u64, u64), &[u8]> = HashMap::new();
        for length in 0..=LONGEST {
            for text in long.windows(length.max(1)).map(|text| &text[..length]) {
                let short = Short::of(text).unwrap();
                assert_eq!(*seen.entry((short.high, short.low)).or_insert(text), text);
            }
        }
        assert!(seen.len() > 300);
        assert_eq!(Short::of(&[b'a'; LONGEST + 1]), None);
    }

    #[test]
    fn decimals_with_a_point_anywhere() {
        let decimal = |text: &str, places| Short::of(text.as_bytes()).and_then(|short| short.decimal(places));
        assert_eq!(decimal("0", 3), Some(0));
        assert_eq!(decimal("12345678", 0), Some(12_345_678));
        assert_eq!(decimal("123456789", 6), Some(123_456_789_000_000));
        assert_eq!(decimal("18069760.25", 6), Some(18_069_760_250_000));
        assert_eq!(decimal("1234567.5", 6), Some(1_234_567_500_000));
        assert_eq!(decimal("12345678.123456", 6), Some(12_345_678_123_456));
        assert_eq!(decimal("123456789012345", 3), Some(123_456_789_012_345_000));
        assert_eq!(decimal(".5", 3), Some(500));
        for other in [
            "",
            ".",
            "5.",
            "1.2.3",
            "-1",
            "1.2345",
            "1e3",
            "1 2",
            "\u{661}",
            "123456789012345678",
            "1.:",
            "/1",
        ] {
            assert_eq!(decimal(other, 3), None, "{other}");
        }
        assert_eq!(decimal("999999999999999", 6), None);
        for other in [&b"\x80\0\0\0\0\0\0\0"[..], b"\xff\xff\xff\xff\xff\xff\xff\xff", b"\xb0", b"\xb1."] {
            assert_eq!(Short::of(other).and_then(|short| short.decimal(3)), None);
        }
    }
}
