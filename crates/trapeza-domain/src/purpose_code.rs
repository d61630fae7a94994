//! ISO 20022 purpose codes. The position in the table is the integer of §2.5.

/// A purpose such as SALA (salary) or SUPP (supplier payment).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PurposeCode(u16);

impl PurposeCode {
    pub fn parse(name: &str) -> Result<Self, &'static str> {
        let place = NAMES.iter().position(|known| *known == name).and_then(|place| u16::try_from(place).ok());
        place.map(Self).ok_or("must be an ISO 20022 purpose code")
    }

    /// The purpose code with this wire integer.
    pub fn from_index(index: i64) -> Option<Self> {
        let index = u16::try_from(index).ok()?;
        (usize::from(index) < NAMES.len()).then_some(Self(index))
    }

    pub fn index(self) -> i64 {
        i64::from(self.0)
    }

    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0)]
    }
}

#[rustfmt::skip]
const NAMES: [&str; 286] = [
    "BKDF", "BKFE", "BKFM", "BKIP", "BKPP", "CBLK", "CDCB", "CDCD", "CDCS", "CDDP", "CDOC", "CDQC",
    "ETUP", "FCOL", "MTUP", "ACCT", "CASH", "COLL", "CSDB", "DEPT", "INTC", "LIMA", "NETT", "BFWD",
    "CCIR", "CCPC", "CCPM", "CCSM", "CRDS", "CRPR", "CRSP", "CRTL", "EQPT", "EQUS", "EXPT", "EXTD",
    "FIXI", "FWBC", "FWCC", "FWSB", "FWSC", "MARG", "MBSB", "MBSC", "MGCC", "MGSC", "OCCC", "OPBC",
    "OPCC", "OPSB", "OPSC", "OPTN", "OTCD", "REPO", "RPBC", "RPCC", "RPSB", "RPSC", "RVPO", "SBSC",
    "SCIE", "SCIR", "SCRP", "SHBC", "SHCC", "SHSL", "SLEB", "SLOA", "SWBC", "SWCC", "SWPT", "SWSB",
    "SWSC", "TBAS", "TBBC", "TBCC", "TRCP", "AGRT", "AREN", "BEXP", "BOCE", "COMC", "CPYR", "GDDS",
    "GDSV", "GSCB", "LICF", "MP2B", "POPE", "ROYA", "SCVE", "SERV", "SUBS", "SUPP", "TRAD", "CHAR",
    "COMT", "MP2P", "ECPG", "ECPR", "ECPU", "EPAY", "CLPR", "COMP", "DBTC", "GOVI", "HLRP", "HLST",
    "INPC", "INPR", "INSC", "INSU", "INTE", "LBRI", "LIFI", "LOAN", "LOAR", "PENO", "PPTI", "RELG",
    "RINP", "TRFD", "FORW", "FXNT", "ADMG", "ADVA", "BCDM", "BCFG", "BLDM", "BNET", "CBFF", "CBFR",
    "CCRD", "CDBL", "CFEE", "CGDD", "CORT", "COST", "CPKC", "DCRD", "DSMT", "DVPM", "EDUC", "FACT",
    "FAND", "FCPM", "FEES", "GOVT", "ICCP", "IDCP", "IHRP", "INSM", "IVPT", "MCDM", "MCFG", "MSVC",
    "NOWS", "OCDM", "OCFG", "OFEE", "OTHR", "PADD", "PTSP", "RCKE", "RCPT", "REBT", "REFU", "RENT",
    "REOD", "RIMB", "RPNT", "RRBN", "RVPM", "SLPI", "SPLT", "STDY", "TBAN", "TBIL", "TCSC", "TELI",
    "TMPG", "TPRI", "TPRP", "TRNC", "TRVC", "WEBI", "ANNI", "CAFI", "CFDI", "CMDT", "DERI", "DIVD",
    "FREX", "HEDG", "INVS", "PRME", "SAVG", "SECU", "SEPI", "TREA", "UNIT", "FNET", "FUTR", "ANTS",
    "CVCF", "DMEQ", "DNTS", "HLTC", "HLTI", "HSPC", "ICRF", "LTCF", "MAFC", "MARF", "MDCS", "VIEW",
    "CDEP", "SWFP", "SWPP", "SWRS", "SWUF", "ADCS", "AEMP", "ALLW", "ALMY", "BBSC", "BECH", "BENE",
    "BONU", "CCHD", "COMM", "CSLP", "GFRP", "GVEA", "GVEB", "GVEC", "GVED", "GWLT", "HREC", "PAYR",
    "PEFC", "PENS", "PRCP", "RHBS", "SALA", "SSBE", "LBIN", "LCOL", "LFEE", "LMEQ", "LMFI", "LMRK",
    "LREB", "LREV", "LSFL", "ESTX", "FWLV", "GSTX", "HSTX", "INTX", "NITX", "PTXP", "RDTX", "TAXS",
    "VATX", "WHLD", "TAXR", "B112", "BR12", "TLRF", "TLRR", "AIRB", "BUSB", "FERB", "RLWY", "TRPT",
    "CBTV", "ELEC", "ENRG", "GASB", "NWCH", "NWCM", "OTLC", "PHON", "UBIL", "WTER",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_name_match() {
        assert_eq!(PurposeCode::from_index(0).map(PurposeCode::name), Some("BKDF"));
        assert_eq!(PurposeCode::from_index(15).map(PurposeCode::name), Some("ACCT"));
        assert_eq!(PurposeCode::from_index(286), None);
        assert_eq!(PurposeCode::from_index(-1), None);
        assert!(PurposeCode::parse("sala").is_err());
    }

    #[test]
    fn parse_finds_every_code() {
        for index in 0..286 {
            let purpose = PurposeCode::from_index(index).unwrap();
            assert_eq!(
                PurposeCode::parse(purpose.name()).map(PurposeCode::index),
                Ok(index),
                "{}",
                purpose.name()
            );
        }
    }
}
