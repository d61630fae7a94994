//! The headers of signed requests and responses.

use super::content::Header;
use super::parameter::{PLAIN, Parameter};
use super::schema::schema_of;

/// The headers of a signed request.
pub const PARAMETERS: [&Parameter; 3] = [&DIGEST, &SIGNATURE, &CERTIFICATE];
/// The headers of a signed response.
pub const HEADERS: [&Header; 3] = [&RESPONSE_DIGEST, &RESPONSE_SIGNATURE, &RESPONSE_CERTIFICATE];

static DIGEST: Parameter = Parameter {
    name: "Digest",
    required: false,
    description: "The hash of the body by SHA-256 or SHA-512 (RFC 3230), for a signed request. The bank may require signed requests.",
    example: "SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    ..PLAIN
};
static SIGNATURE: Parameter = Parameter {
    name: "Signature",
    description: "The signature of `digest`, `x-request-id` and other headers (draft-cavage-http-signatures, as the Berlin Group profiles it).",
    example: "keyId=\"SN=9FA1,CA=CN=Authority,C=GR\",algorithm=\"rsa-sha256\",headers=\"digest x-request-id\",signature=\"c2lnbmF0dXJl\"",
    ..DIGEST
};
static CERTIFICATE: Parameter = Parameter {
    name: "TPP-Signature-Certificate",
    description: "The certificate of your electronic seal (QSEAL), with whose key the request is signed: DER in base64, or PEM in one line.",
    example: "MIIBdTCCARugAwIBAgIUQ0Rl2vG0c3N0b3JlZCBieSB0aGUgYmFuazAKBggqhkjOPQQDAg==",
    ..DIGEST
};
static RESPONSE_DIGEST: Header = Header {
    name: "Digest",
    description: "The hash of the body, if the bank signs its responses.",
    schema: schema_of::<String>,
};
static RESPONSE_SIGNATURE: Header = Header {
    name: "Signature",
    description: "The signature of the headers Digest, x-Request-ID and Date by the bank's seal, if the bank signs its responses.",
    schema: schema_of::<String>,
};
static RESPONSE_CERTIFICATE: Header = Header {
    name: "ASPSP-Signature-Certificate",
    description: "The certificate of the bank's seal as DER in base64, if the bank signs its responses.",
    schema: schema_of::<String>,
};
