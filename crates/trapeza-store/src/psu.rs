//! Customers and their methods of authentication.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{MethodId, PsuId};
use trapeza_domain::psu::{MethodKind, Psu, ScaMethod};
use trapeza_domain::time::Timestamp;

impl Tx<'_> {
    /// Keeps a new customer; false when the login is taken.
    pub fn psu_insert(&mut self, psu: &Psu, password_hash: &str, now: Timestamp) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO psu (id, login, name, phone, password_hash, created_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
            params![psu.id.as_bytes(), &psu.login, &psu.name, psu.phone.as_str(), password_hash, now.0],
        )?;
        Ok(inserted == 1)
    }

    pub fn psu_find(&mut self, id: PsuId) -> Result<Option<Psu>, StoreError> {
        self.query_opt("SELECT id, login, name, phone FROM psu WHERE id = $1", params![id.as_bytes()], psu)
    }

    /// The customer who signs in with this name, and the hash of their password.
    pub fn psu_by_login(&mut self, login: &str) -> Result<Option<(Psu, String)>, StoreError> {
        self.query_opt(
            "SELECT id, login, name, phone, password_hash FROM psu WHERE login = $1",
            params![login],
            |row| Ok((psu(row)?, row.text(4)?)),
        )
    }

    /// What a third party is told about the customer who signs in with this name: their telephone, for its last digits,
    /// and their methods.
    pub fn psu_contact(&mut self, login: &str) -> Result<Option<(Phone, Vec<ScaMethod>)>, StoreError> {
        let (mut phone, mut methods) = (None, Vec::new());
        self.query_each(
            "SELECT p.phone, m.id, m.psu, m.kind, m.name FROM psu p LEFT JOIN sca_method m ON m.psu = p.id
             WHERE p.login = $1 ORDER BY m.place",
            params![login],
            |row| {
                if phone.is_none() {
                    phone = Some(row.named(0, |text| Phone::parse(text).ok())?);
                }
                if row.opt_str(4)?.is_some() {
                    methods.push(method(row, 1)?);
                }
                Ok(())
            },
        )?;
        Ok(phone.map(|phone| (phone, methods)))
    }

    pub fn psu_list(&mut self) -> Result<Vec<Psu>, StoreError> {
        self.query("SELECT id, login, name, phone FROM psu ORDER BY login", &[], psu)
    }

    /// Adds a method after those the customer has.
    pub fn sca_method_insert(&mut self, method: &ScaMethod) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO sca_method (id, psu, place, kind, name)
             SELECT $1, $2, COUNT(*), $3, $4 FROM sca_method WHERE psu = $2",
            params![method.id.as_bytes(), method.psu.as_bytes(), method.kind.name(), &method.name],
        )?;
        Ok(())
    }

    pub fn sca_method_list(&mut self, psu: PsuId) -> Result<Vec<ScaMethod>, StoreError> {
        self.query(
            "SELECT id, psu, kind, name FROM sca_method WHERE psu = $1 ORDER BY place",
            params![psu.as_bytes()],
            |row| method(row, 0),
        )
    }

    /// Keeps the seed that a device shares with the bank, sealed.
    pub fn sca_method_seed_insert(&mut self, method: MethodId, sealed_seed: &[u8]) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO sca_device (method, sealed_seed) VALUES ($1, $2)",
            params![method.as_bytes(), sealed_seed],
        )?;
        Ok(())
    }

    pub fn sca_method_seed_find(&mut self, method: MethodId) -> Result<Option<Vec<u8>>, StoreError> {
        self.query_opt(
            "SELECT sealed_seed FROM sca_device WHERE method = $1",
            params![method.as_bytes()],
            |row| row.bytes(0),
        )
    }
}

/// A method, its first column at this place.
fn method(row: &Row<'_>, at: usize) -> Result<ScaMethod, StoreError> {
    Ok(ScaMethod {
        id: row.id(at, MethodId::new)?,
        psu: row.id(at + 1, PsuId::new)?,
        kind: row.named(at + 2, MethodKind::parse)?,
        name: row.text(at + 3)?,
    })
}

fn psu(row: &Row<'_>) -> Result<Psu, StoreError> {
    Ok(Psu {
        id: row.id(0, PsuId::new)?,
        login: row.text(1)?,
        name: row.text(2)?,
        phone: row.named(3, |text| Phone::parse(text).ok())?,
    })
}
