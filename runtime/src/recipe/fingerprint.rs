//! A fast fingerprint of bytes, 128 bits wide. It tells values apart, not forgers from owners: whoever can write the database can
//! write another fingerprint as well. It is stored, so it never changes; hence it is written here.

/// Odd numbers without a pattern: digits of π, the last one of each made odd.
const FIRST: u64 = 0x243f_6a88_85a3_08d3;
const SECOND: u64 = 0x1319_8a2e_0370_7345;
const THIRD: u64 = 0xa409_3822_299f_31d1;
const FOURTH: u64 = 0x082e_fa98_ec4e_6c89;

/// The fingerprint in the making.
#[derive(Clone, Debug)]
pub(super) struct Fingerprint {
    first: u64,
    second: u64,
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self { first: FIRST, second: SECOND }
    }
}

impl Fingerprint {
    pub(super) fn number(&mut self, number: u64) {
        self.mix(number, SECOND);
    }

    /// A text with its length, so that neighbouring texts do not run together.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        let (chunks, rest) = bytes.as_chunks::<16>();
        for chunk in chunks {
            self.wide(u128::from_le_bytes(*chunk));
        }
        if !rest.is_empty() {
            let mut last = [0; 16];
            last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            self.wide(u128::from_le_bytes(last));
        }
    }

    pub(super) fn finish(mut self) -> String {
        for round in 0..4 {
            self.number(round);
        }
        format!("{:016x}{:016x}", self.first, self.second)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    fn wide(&mut self, wide: u128) {
        self.mix(wide as u64, (wide >> 64) as u64);
    }

    fn mix(&mut self, left: u64, right: u64) {
        let (first, second) = (self.first ^ left, self.second ^ right);
        let folded = fold(first ^ THIRD, second ^ FOURTH);
        // Both halves go on by themselves as well, so that nothing is lost where a factor is zero.
        self.first = first.rotate_left(29).wrapping_add(folded);
        self.second = second.wrapping_mul(FIRST) ^ folded.rotate_left(32);
    }
}

/// Both halves of the product, one over the other.
#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn of(texts: &[&[u8]]) -> String {
        let mut fingerprint = Fingerprint::default();
        texts.iter().for_each(|text| fingerprint.bytes(text));
        fingerprint.finish()
    }

    #[test]
    fn it_is_what_databases_hold() {
        assert_eq!(of(&[]), "0b4a4718462b2eb4a567982d118bb83a");
        assert_eq!(of(&[b"nanobot"]), "845fbb61de2d515b3dbdcd0ec4b95414");
        assert_eq!(of(&[b"0123456789abcdef", b"0123456789abcdefg"]), "19673c4d2162ac04e145bda3c7682bea");
    }

    #[test]
    fn texts_that_differ_little_are_told_apart() {
        let mut seen = HashSet::new();
        let text: Vec<u8> = (1..101).collect();
        for length in 0..text.len() {
            assert!(seen.insert(of(&[&text[..length]])), "{length}");
            assert!(seen.insert(of(&[&text[..length], &text[length..]])), "{length}");
        }
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut other = text.clone();
                other[at] ^= 1 << bit;
                assert!(seen.insert(of(&[&other])), "{at} {bit}");
            }
        }
        for zeros in 1..200 {
            assert!(seen.insert(of(&[&vec![0; zeros]])), "{zeros} zeros");
        }
    }
}
