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

/// The generator polynomial of a degree, as the products of its coefficients with every factor: one row of products is added
/// for each byte of data.
pub(crate) struct Generator {
    degree: usize,
    products: Vec<u8>,
}

impl Generator {
    pub fn new(degree: usize) -> Self {
        let coefficients = coefficients(degree);
        let row = |factor| coefficients.iter().map(move |coefficient| multiply(*coefficient, factor));
        Self { degree, products: (0..=u8::MAX).flat_map(row).collect() }
    }

    /// The error correction codewords of a block: the remainder of its data by the generator.
    pub fn remainder(&self, data: &[u8], remainder: &mut [u8]) {
        remainder.fill(0);
        for byte in data {
            let row = usize::from(byte ^ remainder[0]) * self.degree;
            remainder.copy_within(1.., 0);
            remainder[self.degree - 1] = 0;
            for (value, product) in remainder.iter_mut().zip(&self.products[row..row + self.degree]) {
                *value ^= product;
            }
        }
    }
}

/// The coefficients of the generator polynomial, without the leading 1, highest power first.
fn coefficients(degree: usize) -> Vec<u8> {
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
