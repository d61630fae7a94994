//! The personal data of a customer: what is exported for them, and what is erased when the relationship has ended. Ledger, payments,
//! consents and agreements stay, because the law requires them.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::PsuId;
use trapeza_domain::psu::Psu;
use trapeza_domain::time::Timestamp;

/// The times of a customer's relationship with the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PsuStatus {
    pub id: PsuId,
    pub language: Option<String>,
    pub created_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub erased_at: Option<Timestamp>,
}

/// An enrolled device without its secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceTimes {
    pub enrolled_at: Option<Timestamp>,
    pub expires_at: Timestamp,
}

/// A message without its text, which is deleted once it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageTimes {
    pub recipient: String,
    pub channel: String,
    pub created_at: Timestamp,
    pub sent_at: Option<Timestamp>,
}

macro_rules! ended_loans {
    () => {
        "WHERE loan IN (SELECT id FROM loan
            WHERE status IN ('repaid', 'withdrawn', 'writtenOff') AND last_action_at < $1
              AND NOT EXISTS (SELECT 1 FROM ledger_account l
                              WHERE l.kind = 2000 AND l.owner = loan.id AND l.booked_minor <> 0))"
    };
}

/// Former customers whose personal data is not erased.
macro_rules! retained_customers {
    () => {
        "FROM psu WHERE closed_at < $1 AND erased_at IS NULL"
    };
}

/// Money that the bank owes to a former customer: it came back to a closed account (the ledger account belongs to it), or a merchant
/// refunded a loan (the ledger account belongs to the loan; 2000 is the kind of customers' accounts).
macro_rules! owed {
    () => {
        "(EXISTS (SELECT 1 FROM account_owner o JOIN account a ON a.id = o.account
                    JOIN ledger_account l ON l.id = a.ledger_account
                  WHERE o.psu = psu.id AND a.status = 'deleted' AND l.booked_minor <> 0)
          OR EXISTS (SELECT 1 FROM loan n JOIN ledger_account l ON l.kind = 2000 AND l.owner = n.id
                     WHERE n.psu = psu.id AND l.booked_minor <> 0)
          OR EXISTS (SELECT 1 FROM shopper s JOIN loan n ON n.shopper = s.id
                       JOIN ledger_account l ON l.kind = 2000 AND l.owner = n.id
                     WHERE s.psu = psu.id AND n.psu IS NULL AND l.booked_minor <> 0))"
    };
}

impl Tx<'_> {
    /// The customer or former customer with this login.
    pub fn psu_status(&mut self, login: &str) -> Result<Option<PsuStatus>, StoreError> {
        let sql = "SELECT id, language, created_at, closed_at, erased_at FROM psu WHERE login = $1";
        self.query_opt(sql, params![login], psu_status)
    }

    /// The same by id.
    pub fn psu_status_by_id(&mut self, id: PsuId) -> Result<Option<PsuStatus>, StoreError> {
        let sql = "SELECT id, language, created_at, closed_at, erased_at FROM psu WHERE id = $1";
        self.query_opt(sql, params![id], psu_status)
    }

    pub fn enrolled_device_times(&mut self, psu: PsuId) -> Result<Vec<DeviceTimes>, StoreError> {
        self.query(
            "SELECT enrolled_at, expires_at FROM enrolled_device WHERE psu = $1 ORDER BY expires_at",
            params![psu],
            |row| Ok(DeviceTimes { enrolled_at: row.read()?, expires_at: row.read()? }),
        )
    }

    /// The messages to a customer by telephone number and, in the app, by login; oldest first. Messages to a telephone number that is
    /// another customer's too are left out: they may be the other's.
    pub fn notification_times(&mut self, psu: &Psu) -> Result<Vec<MessageTimes>, StoreError> {
        self.query(
            "SELECT recipient, channel, created_at, sent_at FROM notification
             WHERE (recipient = $1 AND NOT EXISTS (SELECT 1 FROM psu WHERE phone = $1 AND id <> $3))
                OR (recipient = $2 AND channel = 'PUSH')
             ORDER BY created_at, id",
            params![psu.phone.as_str(), &psu.login, psu.id],
            |row| {
                Ok(MessageTimes {
                    recipient: row.read()?,
                    channel: row.read()?,
                    created_at: row.read()?,
                    sent_at: row.read()?,
                })
            },
        )
    }

    /// Erases name, telephone number, password, language, SCA methods, devices, messages, checkout sessions and the account names of a
    /// former customer's own accounts. The login stays reserved, so that no one else gets it. Messages to a telephone number that is another
    /// customer's too are not deleted: they may be the other's.
    pub fn psu_erase(&mut self, psu: &Psu, now: Timestamp) -> Result<(), StoreError> {
        let id = psu.id;
        self.execute(
            "DELETE FROM notification
             WHERE (recipient = $1 AND NOT EXISTS (SELECT 1 FROM psu WHERE phone = $1 AND id <> $3))
                OR (recipient = $2 AND channel = 'PUSH')",
            params![psu.phone.as_str(), &psu.login, id],
        )?;
        self.execute("DELETE FROM enrolled_device WHERE psu = $1", params![id])?;
        self.execute("DELETE FROM checkout WHERE psu = $1", params![id])?;
        self.execute(
            "DELETE FROM sca_method_seed WHERE method IN (SELECT id FROM sca_method WHERE psu = $1)",
            params![id],
        )?;
        self.execute("DELETE FROM sca_method WHERE psu = $1", params![id])?;
        self.execute("DELETE FROM psu_name_word WHERE psu = $1", params![id])?;
        self.execute(
            "UPDATE account SET name = product, has_own_name = FALSE
             WHERE has_own_name AND status = 'deleted' AND id IN (SELECT account FROM account_owner WHERE psu = $1)",
            params![id],
        )?;
        self.update_one(
            "customer",
            "UPDATE psu SET name = '', phone = '', password_hash = NULL, language = NULL, erased_at = $2
             WHERE id = $1 AND closed_at IS NOT NULL",
            params![id, now],
        )
    }

    /// The number of former customers whose relationship ended before a time and whose personal data is not erased: those to whom the
    /// bank owes nothing, and the others.
    pub fn psu_retained_count(&mut self, before: Timestamp) -> Result<(i64, i64), StoreError> {
        let sql = concat!("SELECT COUNT(*) ", retained_customers!());
        let all: i64 = self.query_one(sql, params![before], |row| row.read())?;
        let sql = concat!("SELECT COUNT(*) ", retained_customers!(), " AND ", owed!());
        let owed: i64 = self.query_one(sql, params![before], |row| row.read())?;
        Ok((all - owed, owed))
    }

    /// Whether the bank owes money to a former customer: it came back to a closed account, or a loan was refunded.
    pub fn psu_is_owed_money(&mut self, psu: PsuId) -> Result<bool, StoreError> {
        self.exists(concat!("SELECT 1 FROM psu WHERE id = $1 AND ", owed!()), params![psu])
    }

    /// The logins of those to whom the bank owes nothing, those whose relationship ended first before the others.
    pub fn psu_retained_list(&mut self, before: Timestamp, limit: i64) -> Result<Vec<String>, StoreError> {
        self.query(
            concat!(
                "SELECT login ",
                retained_customers!(),
                " AND NOT ",
                owed!(),
                " ORDER BY closed_at LIMIT $2"
            ),
            params![before, limit],
            |row| row.read(),
        )
    }

    /// The number of accounts from which loans were paid that ended before a time.
    pub fn loan_payer_retained_count(&mut self, before: Timestamp) -> Result<i64, StoreError> {
        self.query_one(concat!("SELECT COUNT(*) FROM loan_payer ", ended_loans!()), params![before], |row| {
            row.read()
        })
    }

    /// Deletes these accounts and returns their number.
    pub fn loan_payer_purge(&mut self, before: Timestamp) -> Result<i64, StoreError> {
        let deleted = self.execute(concat!("DELETE FROM loan_payer ", ended_loans!()), params![before])?;
        i64::try_from(deleted).map_err(StoreError::internal)
    }
}

fn psu_status(row: &mut RowReader<'_>) -> Result<PsuStatus, StoreError> {
    Ok(PsuStatus {
        id: row.read()?,
        language: row.read()?,
        created_at: row.read()?,
        closed_at: row.read()?,
        erased_at: row.read()?,
    })
}
