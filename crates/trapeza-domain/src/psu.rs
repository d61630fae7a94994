//! A customer of the bank and the ways they prove themselves. Passwords, codes and counters live elsewhere.

use crate::contact::Phone;
use crate::id::{MethodId, PsuId};
use crate::string_enum::string_enum;

/// A payment service user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Psu {
    pub id: PsuId,
    /// What the customer calls themselves when signing in: the PSU_ID of §5.2.
    pub login: String,
    pub name: String,
    pub phone: Phone,
}

string_enum! {
    /// A way to answer a challenge (§2.1).
    pub enum MethodKind {
        Sms = "SMSOTP",
        Chip = "CHIPOTP",
        Photo = "PHOTOOTP",
        Push = "PUSHOTP",
    }
}

/// One PSU's telephone, chip device, photo reader or app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaMethod {
    pub id: MethodId,
    pub psu: PsuId,
    pub kind: MethodKind,
    /// What its owner recognises it by; shows no telephone digits.
    pub name: String,
}
