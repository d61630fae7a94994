//! Opening accounts and issuing cards. Each gets its own ledger account.

use crate::keyring::KeyPurpose;
use crate::{App, UseCaseError, audit};
use trapeza_domain::account::{Account, AccountKind, AccountName, AccountStatus, AccountUsage};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::card::Card;
use trapeza_domain::field::Field;
use trapeza_domain::id::{AccountId, CardId, PsuId};
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::money::Currency;
use trapeza_domain::reference::{Bic, Iban, Pan};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::Tx;

/// An account as the operator opens it.
#[derive(Clone, Debug)]
pub struct NewAccount {
    pub id: AccountId,
    /// One owner, or several of a joint account.
    pub owners: Vec<PsuId>,
    pub kind: AccountKind,
    pub usage: AccountUsage,
    pub iban: Iban,
    pub bic: Bic,
    pub currency: Currency,
    pub product: String,
    pub name: AccountName,
    pub credit_limit_minor: i64,
}

/// A card as the operator issues it.
#[derive(Clone, Debug)]
pub struct NewCard {
    pub id: CardId,
    pub holder: PsuId,
    pub account: AccountId,
    pub pan: Pan,
    pub product: String,
    pub name: String,
    pub credit_limit_minor: i64,
    pub expiry: Date,
}

impl App {
    pub async fn account_open(&self, order: NewAccount) -> Result<Account, UseCaseError> {
        let (now, actor) = (self.now(), audit::current_actor());
        self.store.write(move |tx| open(tx, &order, actor, now)).await
    }

    /// Blocks, unblocks or closes an account.
    pub async fn account_status_set(&self, id: AccountId, status: AccountStatus) -> Result<(), UseCaseError> {
        let now = self.now();
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                if tx.account_find(id)?.is_none() {
                    return Err(Refusal::new(RefusalReason::ResourceUnknown, "unknown account").into());
                }
                tx.account_status_update(id, status)?;
                let event =
                    AuditEvent::new("account.status_set", "account", id).with("status", status.name());
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await
    }

    pub async fn card_issue(&self, order: NewCard) -> Result<Card, UseCaseError> {
        let now = self.now();
        let pan_hash = self.pan_hash(&order.pan);
        let actor = audit::current_actor();
        self.store.write(move |tx| issue(tx, &order, &pan_hash, (actor, now))).await
    }

    /// The hash by which a card is stored and found.
    pub fn pan_hash(&self, pan: &Pan) -> [u8; 32] {
        self.keyring.hash(KeyPurpose::Pan, &[pan.expose().as_bytes()])
    }
}

/// Opens an account in the caller's transaction, for this actor.
pub(crate) fn open(
    tx: &mut Tx<'_>,
    order: &NewAccount,
    actor: Actor,
    now: Timestamp,
) -> Result<Account, UseCaseError> {
    if order.owners.is_empty() || order.credit_limit_minor < 0 {
        let text = "an account has an owner and no negative credit limit";
        return Err(Refusal::new(RefusalReason::Malformed, text).into());
    }
    let ledger = tx.ledger_account_find_or_insert(
        LedgerAccountKind::Customer,
        Some(order.id.uuid()),
        order.currency,
        -order.credit_limit_minor,
    )?;
    let account = Account {
        id: order.id,
        ledger,
        kind: order.kind,
        status: AccountStatus::Enabled,
        usage: order.usage,
        iban: order.iban,
        bic: order.bic.clone(),
        currency: order.currency,
        product: order.product.clone(),
        name: order.name.clone(),
        credit_limit_minor: order.credit_limit_minor,
        owners: order.owners.clone(),
    };
    if !tx.account_insert(&account, now)? {
        let text = "the IBAN has an account in this currency already";
        return Err(Refusal::at(RefusalReason::StatusInvalid, Field::Account, text).into());
    }
    let event = AuditEvent::new("account.opened", "account", account.id)
        .with("iban", account.iban.masked())
        .with("currency", account.currency);
    audit::record(tx, now, actor, &event)?;
    Ok(account)
}

/// Issues a card in the caller's transaction, for this actor.
pub(crate) fn issue(
    tx: &mut Tx<'_>,
    order: &NewCard,
    pan_hash: &[u8; 32],
    (actor, now): (Actor, Timestamp),
) -> Result<Card, UseCaseError> {
    let account = tx.account_find(order.account)?.filter(|account| account.is_owned_by(order.holder));
    let Some(account) = account else {
        return Err(Refusal::new(RefusalReason::ResourceUnknown, "the holder has no such account").into());
    };
    let ledger = tx.ledger_account_find_or_insert(
        LedgerAccountKind::Card,
        Some(order.id.uuid()),
        account.currency,
        -order.credit_limit_minor,
    )?;
    let card = Card {
        id: order.id,
        ledger,
        holder: order.holder,
        account: account.id,
        masked_pan: order.pan.masked(),
        status: AccountStatus::Enabled,
        usage: account.usage,
        currency: account.currency,
        product: order.product.clone(),
        name: order.name.clone(),
        credit_limit_minor: order.credit_limit_minor,
        expiry: order.expiry,
    };
    if !tx.card_insert(&card, pan_hash, now)? {
        return Err(Refusal::new(RefusalReason::StatusInvalid, "the card number is already used").into());
    }
    let event = AuditEvent::new("card.issued", "card", card.id).with("pan", card.masked_pan.as_str());
    audit::record(tx, now, actor, &event)?;
    Ok(card)
}
