//! The parameters of the sandbox's lists.

use super::{ASKED, Parameter};
use crate::docs::sandbox_bank::IBAN;

pub static SANDBOX_ACCOUNT: Parameter = Parameter {
    name: "account",
    required: true,
    description: "The IBAN of an account of the bank.",
    example: IBAN,
    shell: Some(IBAN),
    ..ASKED
};
pub static SANDBOX_CURRENCY: Parameter = Parameter {
    name: "currency",
    description: "The currency of that account; EUR by default.",
    example: "EUR",
    ..ASKED
};
pub static SANDBOX_AFTER: Parameter = Parameter {
    name: "after",
    description: "The cursor of an earlier response: the list continues with older transactions.",
    example: "101",
    key_suffix: ".transactions",
    ..ASKED
};
