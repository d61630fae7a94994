//! Check bytes after Reed and Solomon, over the field of 256 elements that ISO/IEC 18004 names. Knows no blocks, no text.

/// The most check bytes a block has, rounded up to two long words.
const WIDTH: usize = 32;
/// x⁴ + x³ + x² + 1, which is what x⁸ is equal to.
const POLYNOMIAL: u8 = 0x1d;

fn times(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 != 0 {
            product ^= a;
        }
        let carry = a & 0x80 != 0;
        a <<= 1;
        if carry {
            a ^= POLYNOMIAL;
        }
        b >>= 1;
    }
    product
}

/// Up to 32 check bytes, the first in the highest place, so that a step of the division is a shift.
#[derive(Clone, Copy)]
struct Remainder(u128, u128);

/// What divides by the generator of so many check bytes: for each leading byte the whole row that is subtracted.
pub(super) struct Divisor {
    rows: Vec<Remainder>,
}

impl Divisor {
    pub(super) fn new(checks: usize) -> Self {
        // The generator is the product of (x - 2ⁱ). Its leading one is left out; the rest goes from the highest power down.
        let mut generator = [0; WIDTH];
        generator[checks - 1] = 1;
        let mut root = 1;
        for _ in 0..checks {
            for place in 0..checks {
                let next = if place + 1 < checks { generator[place + 1] } else { 0 };
                generator[place] = times(generator[place], root) ^ next;
            }
            root = times(root, 2);
        }
        Self {
            rows: (0..=u8::MAX).map(|lead| Remainder::new(generator.map(|one| times(one, lead)))).collect(),
        }
    }

    /// The check bytes of a block, which are what is left when it is divided. Those past the generator's length are zero.
    pub(super) fn checks(&self, block: &[u8]) -> [u8; WIDTH] {
        let mut rest = Remainder(0, 0);
        for byte in block {
            let lead = rest.0.to_be_bytes()[0] ^ byte;
            let row = self.rows[usize::from(lead)];
            rest = Remainder((rest.0 << 8 | rest.1 >> 120) ^ row.0, rest.1 << 8 ^ row.1);
        }
        rest.bytes()
    }
}

impl Remainder {
    fn new(bytes: [u8; WIDTH]) -> Self {
        let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
        Self(number(&bytes[..16]), number(&bytes[16..]))
    }

    fn bytes(self) -> [u8; WIDTH] {
        let mut out = [0; WIDTH];
        out[..16].copy_from_slice(&self.0.to_be_bytes());
        out[16..].copy_from_slice(&self.1.to_be_bytes());
        out
    }
}
