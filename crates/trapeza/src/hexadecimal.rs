//! Digests and MACs as hexadecimal text, in the log, in manifests and on the command line.

pub fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Decodes a value of 32 bytes.
pub fn decode_32(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_bytes_are_decoded() {
        let bytes: [u8; 32] = std::array::from_fn(|index| u8::try_from(index * 8).unwrap());
        assert_eq!(decode_32(&encode(&bytes)), Some(bytes));
        assert!(encode(&bytes).starts_with("000810"));
    }

    #[test]
    fn other_texts_are_not_decoded() {
        for text in ["", "00", &"0g".repeat(32), &"é".repeat(32), &"00".repeat(33)] {
            assert_eq!(decode_32(text), None, "{text}");
        }
    }
}
