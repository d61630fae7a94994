//! A customer of the bank (PSU) and their SCA methods.

use crate::contact::Phone;
use crate::id::{MethodId, PsuId};
use crate::string_enum::string_enum;

/// A payment service user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Psu {
    pub id: PsuId,
    /// The login name: the PSU_ID of §5.2.
    pub login: String,
    pub name: String,
    pub phone: Phone,
}

string_enum! {
    /// How a customer answers a challenge (§2.1).
    pub enum MethodKind {
        Sms = "SMSOTP",
        Chip = "CHIPOTP",
        Photo = "PHOTOOTP",
        Push = "PUSHOTP",
    }
}

/// One customer's telephone, chip device, photo reader or app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaMethod {
    pub id: MethodId,
    pub psu: PsuId,
    pub kind: MethodKind,
}
