//! Reed-Solomon error correction over GF(2^8) with the polynomial of QR codes, x^8 + x^4 + x^3 + x^2 + 1.

const POLYNOMIAL: u16 = 0x11d;
/// The powers of 2 twice, so that the sum of two logarithms is an index.
const POWERS: [u8; 510] = powers();
const LOGARITHMS: [u8; 256] = logarithms();

const fn powers() -> [u8; 510] {
    let mut table = [0; 510];
    let (mut value, mut index) = (1u16, 0);
    while index < 255 {
        table[index] = value.to_le_bytes()[0];
        table[index + 255] = table[index];
        value <<= 1;
        if value > 255 {
            value ^= POLYNOMIAL;
        }
        index += 1;
    }
    table
}

const fn logarithms() -> [u8; 256] {
    let mut table = [0; 256];
    let mut exponent: u8 = 0;
    while exponent < 255 {
        table[POWERS[exponent as usize] as usize] = exponent;
        exponent += 1;
    }
    table
}

fn multiply(left: u8, right: u8) -> u8 {
    if left == 0 || right == 0 {
        return 0;
    }
    POWERS[usize::from(LOGARITHMS[usize::from(left)]) + usize::from(LOGARITHMS[usize::from(right)])]
}

/// The coefficients of the generator polynomial of a degree, without the leading 1, highest power first.
pub(crate) fn generator(degree: usize) -> Vec<u8> {
    let mut coefficients = vec![0; degree];
    coefficients[degree - 1] = 1;
    for root in &POWERS[..degree] {
        for index in 0..degree {
            let next = coefficients.get(index + 1).copied().unwrap_or_default();
            coefficients[index] = multiply(coefficients[index], *root) ^ next;
        }
    }
    coefficients
}

/// The error correction codewords of a block: the remainder of its data by the generator.
pub(crate) fn remainder(data: &[u8], generator: &[u8], remainder: &mut [u8]) {
    remainder.fill(0);
    for byte in data {
        let factor = byte ^ remainder[0];
        remainder.rotate_left(1);
        if let Some(last) = remainder.last_mut() {
            *last = 0;
        }
        for (value, coefficient) in remainder.iter_mut().zip(generator) {
            *value ^= multiply(*coefficient, factor);
        }
    }
}
