//! The accounts and holds of some postings: loaded and locked, changed in memory, written back.

use super::{Posted, Posting, PostingDetail, PostingError};
use crate::Required;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use trapeza_domain::ledger::posting::{self, HoldAction, PostingRole};
use trapeza_domain::ledger::{
    Entry as Line, Hold, HoldId, HoldState, LedgerAccount, LedgerAccountId, LedgerAccountKind, LedgerError,
    Transfer,
};
use trapeza_domain::money::Currency;
use trapeza_domain::transaction::TransactionDetail;
use trapeza_store::{DetailId, EncodedDetails, EntryDetails, HoldRecord, NewHold, StoreError, Tx};

/// The id of a hold that is not inserted yet.
const UNNUMBERED: HoldId = HoldId(0);

#[derive(Default)]
pub(super) struct PostingSession {
    accounts: BTreeMap<LedgerAccountId, LedgerAccount>,
    bank: HashMap<(LedgerAccountKind, Currency), LedgerAccountId>,
    /// By reference: stored holds, and those that these postings place.
    holds: HashMap<String, HoldRecord>,
    /// Stored details that are needed again.
    details: HashMap<DetailId, Option<TransactionDetail>>,
}

/// A computed posting.
pub(super) struct PlannedPosting {
    /// The hold after this posting.
    hold: Option<Hold>,
    transfers: Vec<(Transfer, Option<Line>, Option<Line>)>,
}

impl PostingSession {
    /// Loads every account and hold of the postings. Accounts with a statement are locked in the order of their ids,
    /// so that transactions cannot deadlock; the bank's own accounts are not locked. A hold names the account to lock, so it is read
    /// before: each end of a hold changes the account too, and on PostgreSQL a lock of what has changed since the snapshot fails.
    pub(super) fn load(tx: &mut Tx<'_>, postings: &[Posting]) -> Result<Self, PostingError> {
        let mut book = Self::default();
        let mut wanted = BTreeMap::new();
        let mut placed = HashSet::new();
        for posting in postings {
            let rule = posting.event.rule();
            match rule.hold {
                HoldAction::None | HoldAction::Keep => {}
                HoldAction::Place(role) => {
                    if tx.hold_by_reference(&posting.reference)?.is_some() {
                        return Err(LedgerError::DuplicateReference.into());
                    }
                    placed.insert(posting.reference.as_str());
                    book.want(tx, posting, role, &mut wanted)?;
                }
                HoldAction::Capture | HoldAction::Release if placed.contains(posting.reference.as_str()) => {}
                HoldAction::Capture | HoldAction::Release => {
                    let record = tx.hold_by_reference(&posting.reference)?.ok_or(LedgerError::HoldUnknown)?;
                    wanted.entry(record.hold.account).or_insert(None);
                    book.holds.insert(posting.reference.clone(), record);
                }
            }
            for (debit, credit, _) in posting::legs(posting.event, &posting.amounts)? {
                book.want(tx, posting, debit, &mut wanted)?;
                book.want(tx, posting, credit, &mut wanted)?;
            }
        }
        for (id, kind) in wanted {
            let locked = kind.is_none_or(LedgerAccountKind::has_statement);
            let found = if locked { tx.ledger_account_lock(id)? } else { tx.ledger_account_find(id)? };
            let account = found.filter(|account| kind.is_none_or(|kind| account.kind == kind));
            book.accounts.insert(id, account.ok_or(LedgerError::PartyMissing)?);
        }
        Ok(book)
    }

    fn want(
        &mut self,
        tx: &mut Tx<'_>,
        posting: &Posting,
        role: PostingRole,
        wanted: &mut BTreeMap<LedgerAccountId, Option<LedgerAccountKind>>,
    ) -> Result<(), PostingError> {
        if let Some(id) = posting.parties.account(role)? {
            let kind = match role.kind() {
                Some(kind) => kind,
                None => tx.ledger_account_find(id)?.ok_or(LedgerError::PartyMissing)?.kind,
            };
            wanted.insert(id, Some(kind));
            return Ok(());
        }
        let kind = role.kind().ok_or(LedgerError::PartyMissing)?;
        let currency = posting.amounts.currency;
        if let Entry::Vacant(slot) = self.bank.entry((kind, currency)) {
            let id = tx.ledger_account_find_or_insert(kind, None, currency, 0)?;
            slot.insert(id);
            self.accounts
                .insert(id, LedgerAccount { id, kind, currency, statement: None, last_booking_day: None });
        }
        Ok(())
    }

    /// Computes a posting on the accounts as the earlier postings left them.
    pub(super) fn plan(&mut self, posting: &Posting) -> Result<PlannedPosting, PostingError> {
        let hold = match posting.event.rule().hold {
            HoldAction::None | HoldAction::Keep => None,
            HoldAction::Place(role) => Some(self.hold_place(posting, role)?),
            HoldAction::Capture => Some(self.hold_end(posting, Hold::capture)?),
            HoldAction::Release => Some(self.hold_end(posting, Hold::release)?),
        };
        let mut transfers = Vec::new();
        for (debit, credit, amount) in posting::legs(posting.event, &posting.amounts)? {
            let mut transfer = Transfer {
                debit: self.account(posting, debit)?,
                credit: self.account(posting, credit)?,
                amount,
                event: posting.event,
                reference: posting.reference.clone(),
                booking_day: posting.booking_day,
                value_day: posting.value_day,
            };
            let (mut from, mut to) = (self.at(transfer.debit)?, self.at(transfer.credit)?);
            let (out, into) = transfer.apply(&mut from, &mut to)?;
            self.accounts.insert(from.id, from);
            self.accounts.insert(to.id, to);
            transfers.push((transfer, out, into));
        }
        Ok(PlannedPosting { hold, transfers })
    }

    fn hold_place(&mut self, posting: &Posting, role: PostingRole) -> Result<Hold, PostingError> {
        if self.holds.contains_key(&posting.reference) {
            return Err(LedgerError::DuplicateReference.into());
        }
        let amount = posting.amounts.to_hold()?;
        let mut account = self.at(self.account(posting, role)?)?;
        if account.currency != amount.currency {
            return Err(LedgerError::CurrenciesMixed.into());
        }
        let balance = account.statement.ok_or(LedgerError::PartyMissing)?;
        account.statement = Some(balance.hold(amount.minor)?);
        self.accounts.insert(account.id, account);
        let hold = Hold { id: UNNUMBERED, account: account.id, amount, state: HoldState::Active };
        self.holds.insert(posting.reference.clone(), HoldRecord { hold, detail: None });
        Ok(hold)
    }

    /// Ends the hold and releases its amount; the debits of a capture follow.
    fn hold_end(
        &mut self,
        posting: &Posting,
        end: impl Fn(Hold) -> Result<Hold, LedgerError>,
    ) -> Result<Hold, PostingError> {
        let record = self.holds.get_mut(&posting.reference).ok_or(LedgerError::HoldUnknown)?;
        record.hold = end(record.hold)?;
        let hold = record.hold;
        let mut account = self.at(hold.account)?;
        let balance = account.statement.ok_or(LedgerError::PartyMissing)?;
        account.statement = Some(balance.release(hold.amount.minor)?);
        self.accounts.insert(account.id, account);
        Ok(hold)
    }

    fn account(&self, posting: &Posting, role: PostingRole) -> Result<LedgerAccountId, LedgerError> {
        match posting.parties.account(role)? {
            Some(id) => Ok(id),
            None => {
                let kind = role.kind().ok_or(LedgerError::PartyMissing)?;
                let own = self.bank.get(&(kind, posting.amounts.currency));
                own.copied().ok_or(LedgerError::PartyMissing)
            }
        }
    }

    fn at(&self, id: LedgerAccountId) -> Result<LedgerAccount, LedgerError> {
        self.accounts.get(&id).copied().ok_or(LedgerError::PartyMissing)
    }

    /// Writes the computed postings in order, then every balance once.
    pub(super) fn write(
        mut self,
        tx: &mut Tx<'_>,
        postings: &[Posting],
        planned: Vec<PlannedPosting>,
    ) -> Result<Vec<Posted>, StoreError> {
        let mut posted = Vec::with_capacity(postings.len());
        for (posting, plan) in postings.iter().zip(planned) {
            let detail = self.detail_write(tx, posting)?;
            let hold = match plan.hold {
                Some(hold) => Some(self.hold_write(tx, posting, hold, detail)?),
                None => None,
            };
            let encoded = self.encoded_details(tx, posting, &plan, detail)?;
            let mut transfers = Vec::with_capacity(plan.transfers.len());
            for (transfer, debit, credit) in &plan.transfers {
                transfers.push(tx.transfer_insert(transfer, *debit, *credit, detail, encoded.as_ref())?);
            }
            posted.push(Posted { transfers, hold, detail });
        }
        for account in self.accounts.values() {
            tx.ledger_account_update(account)?;
        }
        Ok(posted)
    }

    fn detail_write(&self, tx: &mut Tx<'_>, posting: &Posting) -> Result<Option<DetailId>, StoreError> {
        match &posting.detail {
            PostingDetail::None => Ok(self.holds.get(&posting.reference).and_then(|record| record.detail)),
            PostingDetail::Stored(id) => Ok(Some(*id)),
            PostingDetail::Account(detail) => tx.detail_insert(detail).map(Some),
            PostingDetail::Card(detail) => tx.card_detail_insert(detail).map(Some),
        }
    }

    /// The details that are stored with the entries of a posting. Entries of cards read theirs from the transaction
    /// detail.
    fn encoded_details(
        &mut self,
        tx: &mut Tx<'_>,
        posting: &Posting,
        plan: &PlannedPosting,
        detail: Option<DetailId>,
    ) -> Result<Option<EncodedDetails>, StoreError> {
        let mut lines = plan.transfers.iter().flat_map(|(_, debit, credit)| [debit, credit]).flatten();
        let is_card = |line: &Line| {
            self.accounts.get(&line.account).is_some_and(|account| account.kind == LedgerAccountKind::Card)
        };
        if lines.all(is_card) {
            return Ok(None);
        }
        let detail = match (&posting.detail, detail) {
            (PostingDetail::Account(detail), _) => Some(&**detail),
            (PostingDetail::None | PostingDetail::Stored(_), Some(id)) => {
                if let Entry::Vacant(slot) = self.details.entry(id) {
                    slot.insert(tx.detail_find(id)?);
                }
                self.details.get(&id).and_then(Option::as_ref)
            }
            // Card details do not apply to entries of accounts.
            (PostingDetail::Card(_), _) | (_, None) => None,
        };
        Ok(Some(EntryDetails::new(posting.value_day, posting.event, detail).encode()))
    }

    fn hold_write(
        &mut self,
        tx: &mut Tx<'_>,
        posting: &Posting,
        hold: Hold,
        detail: Option<DetailId>,
    ) -> Result<HoldId, StoreError> {
        let record = self.holds.get_mut(&posting.reference);
        let record = record.required("hold")?;
        if hold.state != HoldState::Active {
            tx.hold_update(record.hold.id, hold.state)?;
            return Ok(record.hold.id);
        }
        let new = NewHold {
            account: hold.account,
            amount: hold.amount,
            event: posting.event,
            reference: &posting.reference,
            detail,
            placed_on: posting.booking_day,
        };
        // The reference was free when it was loaded; only another process can have taken it since.
        let id = tx.hold_insert(&new)?;
        record.hold.id = id.ok_or_else(|| StoreError::Conflict("a hold's reference was taken".into()))?;
        record.detail = detail;
        Ok(record.hold.id)
    }
}
