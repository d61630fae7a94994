//! Signing baskets and their members. A member knows its open basket (`signing_basket` of payments and consents), so that it is in
//! one at most; when the basket ends the reference is removed.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::{ApplicationId, ConsentId, PaymentId, SigningBasketId};
use trapeza_domain::signing_basket::{BasketMember, SigningBasket, SigningBasketStatus};
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

/// How many baskets one job of the sweep takes.
pub const SIGNING_BASKET_SWEEP_ROWS: i64 = 100;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, application, psu_login, status, created_at, last_action_at, expires_at, notifies
             FROM signing_basket ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Inserts a new basket. Fails when a member is in another open one.
    pub fn signing_basket_insert(&mut self, basket: &SigningBasket) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO signing_basket (id, application, psu_login, status, created_at, last_action_at, expires_at,
                deadline)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                basket.id,
                basket.application,
                &basket.psu,
                basket.state.status().name(),
                basket.created_at,
                basket.last_action,
                basket.ends_at,
                basket.next_deadline()
            ],
        )?;
        for (position, member) in (0_i64..).zip(&basket.members) {
            self.execute_deferred(
                "INSERT INTO signing_basket_member (basket, position, kind, member) VALUES ($1, $2, $3, $4)",
                params![basket.id, position, kind(*member), member.uuid()],
            )?;
            let statement = match member {
                BasketMember::Payment(_) => {
                    "UPDATE payment SET signing_basket = $3
                     WHERE id = $1 AND application = $2 AND signing_basket IS NULL"
                }
                BasketMember::Consent(_) => {
                    "UPDATE consent SET signing_basket = $3
                     WHERE id = $1 AND application = $2 AND signing_basket IS NULL"
                }
            };
            let member = params![member.uuid(), basket.application, basket.id];
            self.update_one("member without a signing basket", statement, member)?;
        }
        Ok(())
    }

    pub fn signing_basket_find(
        &mut self,
        application: ApplicationId,
        id: SigningBasketId,
    ) -> Result<Option<SigningBasket>, StoreError> {
        let found =
            self.query_opt(select!("WHERE id = $1 AND application = $2"), params![id, application], basket)?;
        self.with_members(found)
    }

    /// The same, locked until the transaction ends.
    pub fn signing_basket_lock(
        &mut self,
        application: ApplicationId,
        id: SigningBasketId,
    ) -> Result<Option<SigningBasket>, StoreError> {
        let found = self.query_opt(
            select!("WHERE id = $1 AND application = $2 FOR UPDATE"),
            params![id, application],
            basket,
        )?;
        self.with_members(found)
    }

    /// Updates the state. The members of a basket that has ended may be in another one.
    pub fn signing_basket_update(&mut self, basket: &SigningBasket) -> Result<(), StoreError> {
        self.update_one(
            "signing basket",
            "UPDATE signing_basket SET status = $3, last_action_at = $4, deadline = $5
             WHERE id = $1 AND application = $2",
            params![
                basket.id,
                basket.application,
                basket.state.status().name(),
                basket.last_action,
                basket.next_deadline()
            ],
        )?;
        if !basket.state.is_final() {
            return Ok(());
        }
        for member in &basket.members {
            let statement = match member {
                BasketMember::Payment(_) => {
                    "UPDATE payment SET signing_basket = NULL
                     WHERE id = $1 AND application = $2 AND signing_basket = $3"
                }
                BasketMember::Consent(_) => {
                    "UPDATE consent SET signing_basket = NULL
                     WHERE id = $1 AND application = $2 AND signing_basket = $3"
                }
            };
            self.execute_deferred(statement, params![member.uuid(), basket.application, basket.id])?;
        }
        Ok(())
    }

    /// The baskets of an application before a position, newest first.
    pub fn signing_basket_page_by_application(
        &mut self,
        application: ApplicationId,
        (created_at, id): (Timestamp, SigningBasketId),
        limit: i64,
    ) -> Result<Vec<SigningBasket>, StoreError> {
        let found = self.query(
            select!(
                "WHERE application = $1 AND (created_at < $2 OR (created_at = $2 AND id > $3))
                 ORDER BY created_at DESC, id LIMIT $4"
            ),
            params![application, created_at, id, limit],
            basket,
        )?;
        self.all_with_members(found)
    }

    /// All baskets of the customer with this login, oldest first.
    pub fn signing_basket_list_by_login(&mut self, login: &str) -> Result<Vec<SigningBasket>, StoreError> {
        let found =
            self.query(select!("WHERE psu_login = $1 ORDER BY created_at, id"), params![login], basket)?;
        self.all_with_members(found)
    }

    /// Baskets whose deadline has passed, locked, except those that are locked already.
    pub fn signing_basket_expired(&mut self, now: Timestamp) -> Result<Vec<SigningBasket>, StoreError> {
        let found = self.query(
            select!("WHERE deadline <= $1 ORDER BY deadline LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![now, SIGNING_BASKET_SWEEP_ROWS],
            basket,
        )?;
        self.all_with_members(found)
    }

    fn all_with_members(&mut self, found: Vec<SigningBasket>) -> Result<Vec<SigningBasket>, StoreError> {
        let mut baskets = Vec::with_capacity(found.len());
        for basket in found {
            baskets.extend(self.with_members(Some(basket))?);
        }
        Ok(baskets)
    }

    fn with_members(&mut self, found: Option<SigningBasket>) -> Result<Option<SigningBasket>, StoreError> {
        let Some(basket) = found else { return Ok(None) };
        let members = self.query(
            "SELECT kind, member FROM signing_basket_member WHERE basket = $1 ORDER BY position",
            params![basket.id],
            |row| {
                let kind: String = row.read()?;
                let member: Uuid = row.read()?;
                match kind.as_str() {
                    "payment" => Ok(BasketMember::Payment(PaymentId::new(member))),
                    "consent" => Ok(BasketMember::Consent(ConsentId::new(member))),
                    _ => Err(StoreError::internal("a signing basket has a member of an unknown kind")),
                }
            },
        )?;
        Ok(Some(SigningBasket { members, ..basket }))
    }
}

const fn kind(member: BasketMember) -> &'static str {
    match member {
        BasketMember::Payment(_) => "payment",
        BasketMember::Consent(_) => "consent",
    }
}

fn basket(row: &mut RowReader<'_>) -> Result<SigningBasket, StoreError> {
    Ok(SigningBasket {
        id: row.read()?,
        application: row.read()?,
        psu: row.read()?,
        state: row.parse(SigningBasketStatus::parse)?.state(),
        created_at: row.read()?,
        last_action: row.read()?,
        ends_at: row.read()?,
        notifies: row.read()?,
        members: Vec::new(),
    })
}
