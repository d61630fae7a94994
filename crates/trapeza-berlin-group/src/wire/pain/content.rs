//! What the elements of pain.001 contain, in the order of the schemas.
//!
//! Marks follow a name: `!` the element is required, `*` it may be repeated, `-` it changes what is paid, how or for whom and is refused,
//! `~` it has no effect and is not read, `<` it is one of 001.03 only, `+` of 001.09 only.

use super::document::PainVersion;

/// The longest id.
pub const MAX_ID_CHARS: usize = 35;

/// The children of an element.
pub type Content = &'static [&'static str];

pub const MESSAGE: Content = &["GrpHdr!", "PmtInf!*", "SplmtryData*-+"];

pub const HEADER: Content =
    &["MsgId!", "CreDtTm!", "Authstn*-", "NbOfTxs!", "CtrlSum", "InitgPty!~", "FwdgAgt-"];

pub const PAYMENT: Content = &[
    "PmtInfId!",
    "PmtMtd!",
    "BtchBookg",
    "NbOfTxs",
    "CtrlSum",
    "PmtTpInf",
    "ReqdExctnDt!",
    "PoolgAdjstmntDt-",
    "Dbtr!",
    "DbtrAcct!",
    // The account names its bank.
    "DbtrAgt!~",
    "DbtrAgtAcct-",
    "InstrForDbtrAgt-+",
    "UltmtDbtr-",
    "ChrgBr",
    "ChrgsAcct-",
    "ChrgsAcctAgt-",
    "CdtTrfTxInf!*",
];

pub const PAYMENT_TYPE: Content = &["InstrPrty", "SvcLvl<", "SvcLvl*+", "LclInstrm", "CtgyPurp-"];

/// A code of a list; the bank has no proprietary ones.
pub const CODE: Content = &["Cd", "Prtry-"];

/// Of 001.09; in 001.03 it is a date.
pub const EXECUTION_DAY: Content = &["Dt", "DtTm"];

/// The bank knows its customer.
pub const DEBTOR: Content = &["Nm~", "PstlAdr~", "Id-", "CtryOfRes~", "CtctDtls~"];

pub const CREDITOR: Content = &["Nm!", "PstlAdr", "Id-", "CtryOfRes~", "CtctDtls~"];

pub const ACCOUNT: Content = &["Id!", "Tp~", "Ccy", "Nm~", "Prxy-+"];

pub const ACCOUNT_ID: Content = &["IBAN", "Othr-"];

pub const TRANSFER: Content = &[
    "PmtId!",
    "PmtTpInf",
    "Amt!",
    "XchgRateInf-",
    "ChrgBr",
    "ChqInstr-",
    "UltmtDbtr-",
    "IntrmyAgt1-",
    "IntrmyAgt1Acct-",
    "IntrmyAgt2-",
    "IntrmyAgt2Acct-",
    "IntrmyAgt3-",
    "IntrmyAgt3Acct-",
    "CdtrAgt",
    "CdtrAgtAcct-",
    "Cdtr!",
    "CdtrAcct!",
    "UltmtCdtr-",
    "InstrForCdtrAgt*-",
    "InstrForDbtrAgt-",
    "Purp-",
    "RgltryRptg*-",
    "Tax-",
    "RltdRmtInf*-",
    "RmtInf",
    "SplmtryData*-+",
];

pub const PAYMENT_ID: Content = &["InstrId", "EndToEndId!", "UETR-+"];

pub const AMOUNT: Content = &["InstdAmt", "EqvtAmt-"];

pub const AGENT: Content = &["FinInstnId!", "BrnchId~"];

pub const INSTITUTION: Content = &["BIC<", "BICFI+", "ClrSysMmbId-", "LEI~+", "Nm", "PstlAdr~", "Othr"];

pub const OTHER_ID: Content = &["Id!", "SchmeNm~", "Issr~"];

pub const REMITTANCE: Content = &["Ustrd*", "Strd*-"];

/// Of the parts of an address those are used that an order in JSON has.
pub const ADDRESS: Content = &[
    "AdrTp~",
    "Dept~",
    "SubDept~",
    "StrtNm",
    "BldgNb",
    "BldgNm~+",
    "Flr~+",
    "PstBx~+",
    "Room~+",
    "PstCd",
    "TwnNm",
    "TwnLctnNm~+",
    "DstrctNm~+",
    "CtrySubDvsn~",
    "Ctry",
    "AdrLine*~",
];

const MARKS: [char; 6] = ['!', '*', '-', '~', '<', '+'];

/// An element that another may contain.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub name: &'static str,
    marks: &'static str,
}

impl Slot {
    /// The slots that a version has.
    pub fn all(content: Content, version: PainVersion) -> impl Iterator<Item = Self> {
        let missing = match version {
            PainVersion::V03 => '+',
            PainVersion::V09 => '<',
        };
        content.iter().map(|text| Self::of(text)).filter(move |slot| !slot.marks.contains(missing))
    }

    fn of(text: &'static str) -> Self {
        let name = text.trim_end_matches(MARKS);
        Self { name, marks: &text[name.len()..] }
    }

    pub fn is_required(&self) -> bool {
        self.marks.contains('!')
    }

    pub fn is_repeated(&self) -> bool {
        self.marks.contains('*')
    }

    pub fn is_refused(&self) -> bool {
        self.marks.contains('-')
    }
}
