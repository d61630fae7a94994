//! The structure that the standard prescribes for these messages: elements, their order, which are mandatory, their lengths.
//! Written from the schemas, independently of the code that serialises messages.

use super::super::xml::{self, Element};

/// A line: the element, then its children in order. `!` is mandatory, `*` may repeat. A number is a maximum length, a word a
/// format.
const SEQUENCES: &str = "
pacs.008.001.08 = FIToFICstmrCdtTrf!
FIToFICstmrCdtTrf = GrpHdr! CdtTrfTxInf!* SplmtryData*
FIToFICstmrCdtTrf/GrpHdr = MsgId!35 CreDtTm!time BtchBookg NbOfTxs!number CtrlSum TtlIntrBkSttlmAmt:amount IntrBkSttlmDt:date SttlmInf! PmtTpInf InstgAgt InstdAgt
SttlmInf = SttlmMtd!method SttlmAcct ClrSys InstgRmbrsmntAgt InstgRmbrsmntAgtAcct InstdRmbrsmntAgt InstdRmbrsmntAgtAcct ThrdRmbrsmntAgt ThrdRmbrsmntAgtAcct
LclInstrm = Cd:35
PmtTpInf = InstrPrty ClrChanl SvcLvl* LclInstrm CtgyPurp
SvcLvl = Cd:4
CdtTrfTxInf = PmtId! PmtTpInf IntrBkSttlmAmt!amount IntrBkSttlmDt:date SttlmPrty SttlmTmIndctn SttlmTmReq AccptncDtTm:time PoolgAdjstmntDt InstdAmt XchgRate ChrgBr!bearer ChrgsInf* PrvsInstgAgt1 InstgAgt InstdAgt IntrmyAgt1 UltmtDbtr InitgPty Dbtr! DbtrAcct DbtrAgt! DbtrAgtAcct CdtrAgt! CdtrAgtAcct Cdtr! CdtrAcct UltmtCdtr InstrForCdtrAgt InstrForNxtAgt Purp RgltryRptg Tax RltdRmtInf RmtInf SplmtryData*
PmtId = InstrId:35 EndToEndId!35 TxId:35 UETR:uetr ClrSysRef:35
Dbtr = Nm:140 PstlAdr Id CtryOfRes CtctDtls
Cdtr = Nm:140 PstlAdr Id CtryOfRes CtctDtls
PstlAdr = AdrTp Dept:70 SubDept:70 StrtNm:70 BldgNb:16 BldgNm:35 Flr:70 PstBx:16 Room:70 PstCd:16 TwnNm:35 TwnLctnNm:35 DstrctNm:35 CtrySubDvsn:35 Ctry:country AdrLine*70
DbtrAcct = Id! Tp Ccy Nm:70 Prxy
CdtrAcct = Id! Tp Ccy Nm:70 Prxy
Id = IBAN:iban
DbtrAgt = FinInstnId! BrnchId
CdtrAgt = FinInstnId! BrnchId
FinInstnId = BICFI:bic ClrSysMmbId LEI Nm:140 PstlAdr Othr
Othr = Id!35 SchmeNm Issr:35
RmtInf = Ustrd*140 Strd*
Strd = RfrdDocInf* RfrdDocAmt CdtrRefInf Invcr Invcee TaxRmt GrnshmtRmt AddtlRmtInf*140
CdtrRefInf = Tp Ref:35
Tp = CdOrPrtry! Issr:35
CdOrPrtry = Cd:4
UltmtDbtr = Nm:140 PstlAdr Id CtryOfRes CtctDtls
UltmtCdtr = Nm:140 PstlAdr Id CtryOfRes CtctDtls
Purp = Cd:4
OrgnlTxRef = IntrBkSttlmAmt:amount Amt IntrBkSttlmDt:date ReqdColltnDt ReqdExctnDt CdtrSchmeId SttlmInf PmtTpInf PmtMtd MndtRltdInf RmtInf UltmtDbtr Dbtr DbtrAcct DbtrAgt DbtrAgtAcct CdtrAgt CdtrAgtAcct Cdtr CdtrAcct UltmtCdtr Purp
OrgnlTxRef/UltmtDbtr = Pty Agt
OrgnlTxRef/Dbtr = Pty Agt
OrgnlTxRef/Cdtr = Pty Agt
OrgnlTxRef/UltmtCdtr = Pty Agt
Pty = Nm:140 PstlAdr Id CtryOfRes CtctDtls
Orgtr = Nm:140 PstlAdr Id CtryOfRes CtctDtls
Orgtr/Id = OrgId PrvtId
OrgId = AnyBIC:bic LEI Othr*
pacs.028.001.03 = FIToFIPmtStsReq!
FIToFIPmtStsReq = GrpHdr! OrgnlGrpInf* TxInf* SplmtryData*
FIToFIPmtStsReq/GrpHdr = MsgId!35 CreDtTm!time InstgAgt InstdAgt
FIToFIPmtStsReq/TxInf = StsReqId:35 OrgnlGrpInf OrgnlInstrId:35 OrgnlEndToEndId:35 OrgnlTxId:35 OrgnlUETR:uetr AccptncDtTm:time ClrSysRef:35 InstgAgt InstdAgt OrgnlTxRef SplmtryData*
pacs.002.001.10 = FIToFIPmtStsRpt!
FIToFIPmtStsRpt = GrpHdr! OrgnlGrpInfAndSts* TxInfAndSts* SplmtryData*
FIToFIPmtStsRpt/GrpHdr = MsgId!35 CreDtTm!time InstgAgt InstdAgt
OrgnlGrpInfAndSts = OrgnlMsgId!35 OrgnlMsgNmId!35 OrgnlCreDtTm OrgnlNbOfTxs OrgnlCtrlSum GrpSts:4 StsRsnInf* NbOfTxsPerSts*
TxInfAndSts = StsId:35 OrgnlGrpInf OrgnlInstrId:35 OrgnlEndToEndId:35 OrgnlTxId:35 OrgnlUETR:uetr TxSts:4 StsRsnInf* ChrgsInf* AccptncDtTm FctvIntrBkSttlmDt AcctSvcrRef ClrSysRef InstgAgt InstdAgt OrgnlTxRef SplmtryData*
StsRsnInf = Orgtr Rsn AddtlInf*105
Rsn = Cd:4
pacs.004.001.09 = PmtRtr!
PmtRtr = GrpHdr! OrgnlGrpInf TxInf* SplmtryData*
PmtRtr/GrpHdr = MsgId!35 CreDtTm!time Authstn BtchBookg NbOfTxs!number CtrlSum GrpRtr TtlRtrdIntrBkSttlmAmt:amount IntrBkSttlmDt:date SttlmInf! InstgAgt InstdAgt
TxInf = RtrId:35 OrgnlGrpInf OrgnlInstrId:35 OrgnlEndToEndId:35 OrgnlTxId:35 OrgnlUETR:uetr OrgnlClrSysRef:35 OrgnlIntrBkSttlmAmt:amount OrgnlIntrBkSttlmDt:date RtrdIntrBkSttlmAmt!amount IntrBkSttlmDt:date SttlmPrty SttlmTmIndctn RtrdInstdAmt XchgRate CompstnAmt ChrgBr:bearer ChrgsInf* ClrSysRef:35 InstgAgt InstdAgt RtrChain RtrRsnInf* OrgnlTxRef SplmtryData*
OrgnlGrpInf = OrgnlMsgId!35 OrgnlMsgNmId!35 OrgnlCreDtTm
RtrRsnInf = Orgtr Rsn AddtlInf*105
";

/// The violations of a message.
pub fn problems(text: &str) -> Vec<String> {
    let Ok(document) = xml::parse(text.as_bytes()) else { return vec!["not XML".to_owned()] };
    let namespace = document.attribute("xmlns").unwrap_or_default();
    let kind = namespace.strip_prefix(super::NAMESPACE).unwrap_or("?");
    let mut problems = Vec::new();
    check(&document, kind, "", &mut problems);
    problems
}

fn check(element: &Element, rule: &str, parent: &str, problems: &mut Vec<String>) {
    let both = format!("{parent}/{rule}");
    let found = [both.as_str(), rule].into_iter().find_map(|key| {
        SEQUENCES.lines().find_map(|line| line.split_once(" = ").filter(|(name, _)| *name == key))
    });
    let Some((_, sequence)) = found else {
        return problems.push(format!("{both}: not in the table"));
    };
    let slots: Vec<(&str, &str)> = sequence
        .split(' ')
        .map(|slot| slot.split_at(slot.find(['!', '*', ':']).unwrap_or(slot.len())))
        .collect();
    let mut at = 0;
    for child in &element.children {
        match slots[at..].iter().position(|(name, _)| *name == child.name) {
            Some(ahead) => at += ahead,
            None => problems.push(format!("{rule}/{}: out of place or unknown", child.name)),
        }
        let form = slots[at].1.trim_start_matches(['!', '*', ':']);
        match form.is_empty() {
            true => check(child, &child.name, rule, problems),
            false if !fits(child, form) => problems.push(format!("{rule}/{}: not a {form}", child.name)),
            false => {}
        }
        at += usize::from(!slots[at].1.contains('*'));
    }
    for (name, marks) in slots {
        if marks.starts_with('!') && element.find(name).is_none() {
            problems.push(format!("{rule}/{name}: missing"));
        }
    }
}

fn fits(element: &Element, form: &str) -> bool {
    let (text, length) = (element.text.as_str(), element.text.chars().count());
    let all = |allowed: fn(u8) -> bool| text.bytes().all(allowed);
    match form {
        "time" => trapeza_app::parse_timestamp(text).is_some(),
        "date" => trapeza_app::parse_date(text).is_some(),
        "number" => (1..=15).contains(&length) && all(|b| b.is_ascii_digit()),
        "amount" => {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
            let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
            let currency = element.attribute("Ccy").is_some_and(|code| code.len() == 3);
            currency && digits(whole) && digits(fraction) && fraction.len() <= 5 && length <= 19
        }
        "method" => ["INDA", "INGA", "COVE", "CLRG"].contains(&text),
        "bearer" => ["DEBT", "CRED", "SHAR", "SLEV"].contains(&text),
        "country" => length == 2 && all(|b| b.is_ascii_uppercase()),
        "iban" => length <= 34 && text[..2].bytes().all(|b| b.is_ascii_uppercase()),
        "bic" => matches!(length, 8 | 11) && all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()),
        "uetr" => length == 36 && text[14..15] == *"4" && "89ab".contains(&text[19..20]),
        most => most.parse::<usize>().is_ok_and(|most| (1..=most).contains(&length)),
    }
}
