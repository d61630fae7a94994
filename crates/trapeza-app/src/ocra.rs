//! OCRA (RFC 6287): the answer of a customer's chip device or photo reader to a challenge. The device and the bank
//! share a seed.

use hmac::{Hmac, KeyInit, Mac};
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

/// The suite of both kinds of device of this bank.
pub const DEVICE_SUITE: &str = "OCRA-1:HOTP-SHA256-6:QN08";

/// A parsed suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    text: String,
    hash: Hash,
    digits: u32,
    counter: bool,
    question: Format,
    /// The PIN is included, hashed with this algorithm.
    pin: Option<Hash>,
    /// The number of time steps is included.
    time: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hash {
    Sha1,
    Sha256,
    Sha512,
}

/// The format of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Decimal,
    Hexadecimal,
    Text,
}

/// The inputs of an answer besides the seed. Inputs that the suite does not name are ignored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'a> {
    pub question: &'a str,
    pub counter: u64,
    pub pin: &'a str,
    pub time_steps: u64,
}

/// The length of an encoded question.
const QUESTION_BYTES: usize = 128;

impl Suite {
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (version, function, data) = (parts.next()?, parts.next()?, parts.next()?);
        if version != "OCRA-1" || parts.next().is_some() {
            return None;
        }
        let (hash, digits) = function.strip_prefix("HOTP-")?.split_once('-')?;
        let digits = digits.parse().ok().filter(|digits| (4..=9).contains(digits))?;
        let mut data = data.split('-').peekable();
        let counter = data.next_if_eq(&"C").is_some();
        let question = match data.next()?.get(..2)? {
            "QN" => Format::Decimal,
            "QH" => Format::Hexadecimal,
            "QA" => Format::Text,
            _ => return None,
        };
        let pin = match data.next_if(|part| part.starts_with('P')) {
            Some(part) => Some(Hash::parse(&part[1..])?),
            None => None,
        };
        let time = data.next_if(|part| part.starts_with('T')).is_some();
        let hash = Hash::parse(hash)?;
        // Session data is part of the standard, but not supported by the bank's devices.
        data.next().is_none().then(|| Self {
            text: text.to_owned(),
            hash,
            digits,
            counter,
            question,
            pin,
            time,
        })
    }

    /// The answer; `None` when the question does not have the format of the suite.
    pub fn answer(&self, seed: &[u8], input: &Input<'_>) -> Option<String> {
        let mut message = self.text.clone().into_bytes();
        message.push(0);
        if self.counter {
            message.extend(input.counter.to_be_bytes());
        }
        message.extend(self.question.bytes(input.question)?);
        if let Some(hash) = self.pin {
            message.extend(hash.digest(input.pin.as_bytes()));
        }
        if self.time {
            message.extend(input.time_steps.to_be_bytes());
        }
        truncate(&self.hash.mac(seed, &message), self.digits)
    }
}

impl Hash {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "SHA1" => Some(Self::Sha1),
            "SHA256" => Some(Self::Sha256),
            "SHA512" => Some(Self::Sha512),
            _ => None,
        }
    }

    fn digest(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha1 => Sha1::digest(bytes).to_vec(),
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
            Self::Sha512 => Sha512::digest(bytes).to_vec(),
        }
    }

    fn mac(self, key: &[u8], message: &[u8]) -> Vec<u8> {
        fn run<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
            let mut mac = <M as KeyInit>::new_from_slice(key).expect("HMAC takes a key of any length");
            mac.update(message);
            mac.finalize().into_bytes().to_vec()
        }
        match self {
            Self::Sha1 => run::<Hmac<Sha1>>(key, message),
            Self::Sha256 => run::<Hmac<Sha256>>(key, message),
            Self::Sha512 => run::<Hmac<Sha512>>(key, message),
        }
    }
}

impl Format {
    /// A question in 128 bytes, padded with zeros.
    fn bytes(self, question: &str) -> Option<Vec<u8>> {
        let mut bytes = match self {
            Self::Text => question.as_bytes().to_vec(),
            Self::Hexadecimal => packed(&nibbles(question, 16)?),
            Self::Decimal => packed(&in_base_16(&nibbles(question, 10)?)),
        };
        let fits = !question.is_empty() && bytes.len() <= QUESTION_BYTES;
        bytes.resize(QUESTION_BYTES, 0);
        fits.then_some(bytes)
    }
}

fn nibbles(digits: &str, radix: u32) -> Option<Vec<u8>> {
    digits.chars().map(|digit| digit.to_digit(radix).and_then(|value| u8::try_from(value).ok())).collect()
}

/// The digits of a decimal number in base 16, without leading zeros but never empty.
fn in_base_16(decimal: &[u8]) -> Vec<u8> {
    let mut number = decimal.to_vec();
    let mut reversed = Vec::new();
    while number.iter().any(|digit| *digit != 0) {
        let mut rest = 0;
        for digit in &mut number {
            let value = rest * 10 + *digit;
            *digit = value / 16;
            rest = value % 16;
        }
        reversed.push(rest);
    }
    if reversed.is_empty() {
        reversed.push(0);
    }
    reversed.reverse();
    reversed
}

/// Two digits per byte; an odd last digit is in the upper half, as in the reference implementation.
fn packed(nibbles: &[u8]) -> Vec<u8> {
    nibbles.chunks(2).map(|pair| (pair[0] << 4) | pair.get(1).copied().unwrap_or(0)).collect()
}

/// Dynamic truncation (RFC 4226).
fn truncate(mac: &[u8], digits: u32) -> Option<String> {
    let offset = usize::from(mac.last()? & 0x0f);
    let four: [u8; 4] = mac.get(offset..offset + 4)?.try_into().ok()?;
    let number = (u32::from_be_bytes(four) & 0x7fff_ffff) % 10_u32.pow(digits);
    Some(format!("{number:0width$}", width = digits as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: &str = "1234567890123456789012345678901234567890123456789012345678901234";

    fn answers(suite: &str, seed: usize, cases: &[(u64, &str, &str)]) {
        let parsed = Suite::parse(suite).unwrap();
        for (counter, question, expected) in cases {
            let input = Input { question, counter: *counter, pin: "1234", time_steps: 0x0132_d0b6 };
            let answer = parsed.answer(&SEED.as_bytes()[..seed], &input);
            assert_eq!(answer.as_deref(), Some(*expected), "{suite} {counter} {question}");
        }
    }

    #[test]
    fn rfc_one_way_challenge_vectors() {
        answers(
            "OCRA-1:HOTP-SHA1-6:QN08",
            20,
            &[
                (0, "00000000", "237653"),
                (0, "11111111", "243178"),
                (0, "22222222", "653583"),
                (0, "33333333", "740991"),
                (0, "44444444", "608993"),
                (0, "55555555", "388898"),
                (0, "66666666", "816933"),
                (0, "77777777", "224598"),
                (0, "88888888", "750600"),
                (0, "99999999", "294470"),
            ],
        );
        answers(
            "OCRA-1:HOTP-SHA256-8:C-QN08-PSHA1",
            32,
            &[
                (0, "12345678", "65347737"),
                (1, "12345678", "86775851"),
                (2, "12345678", "78192410"),
                (3, "12345678", "71565254"),
                (4, "12345678", "10104329"),
                (5, "12345678", "65983500"),
                (6, "12345678", "70069104"),
                (7, "12345678", "91771096"),
                (8, "12345678", "75011558"),
                (9, "12345678", "08522129"),
            ],
        );
        answers(
            "OCRA-1:HOTP-SHA256-8:QN08-PSHA1",
            32,
            &[
                (0, "00000000", "83238735"),
                (0, "11111111", "01501458"),
                (0, "22222222", "17957585"),
                (0, "33333333", "86776967"),
                (0, "44444444", "86807031"),
            ],
        );
    }

    #[test]
    fn rfc_counter_and_time_challenge_vectors() {
        answers(
            "OCRA-1:HOTP-SHA512-8:C-QN08",
            64,
            &[
                (0, "00000000", "07016083"),
                (1, "11111111", "63947962"),
                (2, "22222222", "70123924"),
                (3, "33333333", "25341727"),
                (4, "44444444", "33203315"),
                (5, "55555555", "34205738"),
                (6, "66666666", "44343969"),
                (7, "77777777", "51946085"),
                (8, "88888888", "20403879"),
                (9, "99999999", "31409299"),
            ],
        );
        answers(
            "OCRA-1:HOTP-SHA512-8:QN08-T1M",
            64,
            &[
                (0, "00000000", "95209754"),
                (0, "11111111", "55907591"),
                (0, "22222222", "22048402"),
                (0, "33333333", "24218844"),
                (0, "44444444", "36209546"),
            ],
        );
    }

    #[test]
    fn rfc_mutual_challenge_and_signature_vectors() {
        answers(
            "OCRA-1:HOTP-SHA256-8:QA08",
            32,
            &[
                (0, "SIG10000", "53095496"),
                (0, "SIG11000", "04110475"),
                (0, "SIG12000", "31331128"),
                (0, "SIG13000", "76028668"),
                (0, "SIG14000", "46554205"),
                (0, "CLI22220SRV11110", "28247970"),
                (0, "CLI22221SRV11111", "01984843"),
                (0, "SRV11110CLI22220", "15510767"),
                (0, "SRV11111CLI22221", "90175646"),
            ],
        );
        answers(
            "OCRA-1:HOTP-SHA512-8:QA10-T1M",
            64,
            &[
                (0, "SIG1000000", "77537423"),
                (0, "SIG1100000", "31970405"),
                (0, "SIG1200000", "10235557"),
                (0, "SIG1300000", "95213541"),
                (0, "SIG1400000", "65360607"),
            ],
        );
    }

    #[test]
    fn device_suite_answers_six_digits_and_unknown_suites_are_rejected() {
        let suite = Suite::parse(DEVICE_SUITE).unwrap();
        let input = Input { question: "12345678", ..Input::default() };
        assert_eq!(suite.answer(&[7; 32], &input).unwrap().len(), 6);
        assert_eq!(suite.answer(&[7; 32], &Input { question: "1234567x", ..input }), None);
        for odd in ["", "OCRA-2:HOTP-SHA1-6:QN08", "OCRA-1:HOTP-MD5-6:QN08", "OCRA-1:HOTP-SHA1-6:C", "a:b:c"]
        {
            assert_eq!(Suite::parse(odd), None, "{odd}");
        }
    }
}
