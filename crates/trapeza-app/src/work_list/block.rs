//! Blocked customers and telephone numbers.
//!
//! Blocks are stored under keyed hashes, because unknown logins are counted alike. A hash cannot be reversed: the hashes of all
//! customers and shoppers are compared with those that are blocked, in pages, and only when there are blocks. A telephone number that was
//! never verified belongs to no one and cannot be shown.

use super::WorkItem;
use crate::credential::{login_subject, phone_subject};
use crate::object_view::AvailableAction;
use crate::{App, UseCaseError, format_timestamp};
use std::collections::HashMap;
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{PsuId, ShopperId};
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::{Staff, StaffAction};
use trapeza_domain::time::Timestamp;
use trapeza_store::BlockedSubject;
use uuid::Uuid;

/// Blocks that are read; an attacker can block any number of logins that do not exist.
const BLOCKS_READ: i64 = 10_000;
const PAGE_ROWS: i64 = 2_000;

/// The blocks by subject.
type Blocks = HashMap<[u8; 32], Vec<BlockedSubject>>;

impl App {
    pub(super) async fn blocked_customers(
        &self,
        person: &Staff,
        limit: usize,
    ) -> Result<Vec<WorkItem>, UseCaseError> {
        let (blocks, mut rows) = (self.blocks().await?, Vec::new());
        let mut after = PsuId::new(Uuid::nil());
        while !blocks.is_empty() && rows.len() < limit {
            let page = self.store.read(move |tx| Ok(tx.work_customer_page(after, PAGE_ROWS)?)).await?;
            let Some(last) = page.last() else { break };
            after = last.id;
            for psu in &page {
                for block in blocks.get(&login_subject(&self.keyring, &psu.login)).into_iter().flatten() {
                    let cells = vec![
                        psu.name.clone(),
                        psu.login.clone(),
                        format!("{}, {}", block.channel, block.kind),
                        until(block.blocked_until),
                    ];
                    let parameters = [("login", psu.login.clone())];
                    let action = AvailableAction::new(person, StaffAction::PsuUnblock, parameters);
                    let object = (SearchKind::Customer, psu.id.to_string());
                    rows.push(WorkItem::new(Some(object), cells).with(action));
                }
            }
        }
        rows.truncate(limit);
        Ok(rows)
    }

    pub(super) async fn blocked_phones(
        &self,
        person: &Staff,
        limit: usize,
    ) -> Result<Vec<WorkItem>, UseCaseError> {
        let (mut blocks, mut rows) = (self.blocks().await?, Vec::new());
        let mut after = ShopperId::new(Uuid::nil());
        while !blocks.is_empty() && rows.len() < limit {
            let page = self.store.read(move |tx| Ok(tx.work_shopper_page(after, PAGE_ROWS)?)).await?;
            let Some((last, _)) = page.last() else { break };
            after = *last;
            for (id, phone) in &page {
                let object = (SearchKind::Shopper, id.to_string());
                self.phone_rows(person, &mut blocks, &object, phone, &mut rows);
            }
        }
        let mut after = PsuId::new(Uuid::nil());
        while !blocks.is_empty() && rows.len() < limit {
            let page = self.store.read(move |tx| Ok(tx.work_customer_page(after, PAGE_ROWS)?)).await?;
            let Some(last) = page.last() else { break };
            after = last.id;
            for psu in &page {
                let object = (SearchKind::Customer, psu.id.to_string());
                self.phone_rows(person, &mut blocks, &object, &psu.phone, &mut rows);
            }
        }
        rows.truncate(limit);
        Ok(rows)
    }

    /// Adds the blocks of a telephone number, once: a shopper may be a customer as well.
    fn phone_rows(
        &self,
        person: &Staff,
        blocks: &mut Blocks,
        object: &(SearchKind, String),
        phone: &Phone,
        rows: &mut Vec<WorkItem>,
    ) {
        for block in blocks.remove(&phone_subject(&self.keyring, phone)).into_iter().flatten() {
            let cells = vec![phone.as_str().to_owned(), block.channel, until(block.blocked_until)];
            let parameters = [("phone", phone.as_str().to_owned())];
            let action = AvailableAction::new(person, StaffAction::PhoneUnblock, parameters);
            rows.push(WorkItem::new(Some(object.clone()), cells).with(action));
        }
    }

    async fn blocks(&self) -> Result<Blocks, UseCaseError> {
        let now = self.now();
        let found = self.store.read(move |tx| Ok(tx.work_blocked_subjects(now, BLOCKS_READ)?)).await?;
        let mut blocks = Blocks::new();
        for block in found {
            blocks.entry(block.subject).or_default().push(block);
        }
        Ok(blocks)
    }
}

fn until(at: Timestamp) -> String {
    match at {
        Timestamp(i64::MAX) => "unblocked".to_owned(),
        at => format_timestamp(at),
    }
}
