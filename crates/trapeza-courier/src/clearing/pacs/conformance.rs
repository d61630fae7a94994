//! The structure that the standard prescribes for these messages, written from the schemas, independently of the code that
//! serialises messages.

use trapeza_xml::structure::Structure;

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
    Structure { namespace: super::NAMESPACE, sequences: SEQUENCES }.problems(text)
}
