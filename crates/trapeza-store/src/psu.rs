//! Customers (PSUs) and their SCA methods.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{MethodId, PsuId};
use trapeza_domain::psu::{MethodKind, Psu, ScaMethod};
use trapeza_domain::time::Timestamp;

impl Tx<'_> {
    /// Inserts a customer; false when the login exists.
    pub fn psu_insert(
        &mut self,
        psu: &Psu,
        password_hash: Option<&str>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let inserted = self.execute(
            "INSERT INTO psu (id, login, name, phone, password_hash, created_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
            params![psu.id, &psu.login, &psu.name, psu.phone.as_str(), password_hash, now],
        )?;
        if inserted == 1 {
            self.psu_name_words_set(psu.id, &psu.name)?;
        }
        Ok(inserted == 1)
    }

    /// The customer or former customer, unless the personal data is erased.
    pub fn psu_find(&mut self, id: PsuId) -> Result<Option<Psu>, StoreError> {
        self.query_opt(
            "SELECT id, login, name, phone FROM psu WHERE id = $1 AND erased_at IS NULL",
            params![id],
            psu,
        )
    }

    pub fn psu_update(&mut self, psu: &Psu) -> Result<(), StoreError> {
        self.update_one(
            "customer",
            "UPDATE psu SET name = $2, phone = $3 WHERE id = $1",
            params![psu.id, &psu.name, psu.phone.as_str()],
        )?;
        self.psu_name_words_set(psu.id, &psu.name)
    }

    pub fn psu_password_set(&mut self, id: PsuId, password_hash: &str) -> Result<(), StoreError> {
        self.update_one(
            "customer",
            "UPDATE psu SET password_hash = $2 WHERE id = $1",
            params![id, password_hash],
        )
    }

    /// Ends the relationship: the customer is not found by login any more.
    pub fn psu_close(&mut self, id: PsuId, now: Timestamp) -> Result<(), StoreError> {
        self.update_one("customer", "UPDATE psu SET closed_at = $2 WHERE id = $1", params![id, now])
    }

    /// Whether a login is taken, by a customer or a former one.
    pub fn psu_login_exists(&mut self, login: &str) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM psu WHERE login = $1", params![login])
    }

    /// The language of the last page on which the customer signed in, as a language tag.
    pub fn psu_language(&mut self, id: PsuId) -> Result<Option<String>, StoreError> {
        let found =
            self.query_opt("SELECT language FROM psu WHERE id = $1", params![id], |row| row.read())?;
        Ok(found.flatten())
    }

    pub fn psu_language_set(&mut self, id: PsuId, language: &str) -> Result<(), StoreError> {
        // Usually it is the same language, and then nothing is written.
        self.execute(
            "UPDATE psu SET language = $2 WHERE id = $1 AND (language IS NULL OR language <> $2)",
            params![id, language],
        )?;
        Ok(())
    }

    /// The customer with this login, and the hash of the password if there is one. A former customer is not found.
    pub fn psu_by_login(&mut self, login: &str) -> Result<Option<(Psu, Option<String>)>, StoreError> {
        self.query_opt(
            "SELECT id, login, name, phone, password_hash FROM psu WHERE login = $1 AND closed_at IS NULL",
            params![login],
            |row| Ok((psu(row)?, row.read()?)),
        )
    }

    /// The name of the customer or former customer with this login.
    pub fn psu_name(&mut self, login: &str) -> Result<Option<String>, StoreError> {
        self.query_opt("SELECT name FROM psu WHERE login = $1", params![login], |row| row.read())
    }

    /// The telephone number and the SCA methods of the customer with this login.
    pub fn psu_contact(&mut self, login: &str) -> Result<Option<(Phone, Vec<ScaMethod>)>, StoreError> {
        let (mut phone, mut methods) = (None, Vec::new());
        self.query_each(
            "SELECT p.phone, m.id, m.psu, m.kind FROM psu p LEFT JOIN sca_method m ON m.psu = p.id
             WHERE p.login = $1 AND p.closed_at IS NULL ORDER BY m.position",
            params![login],
            |row| {
                phone = Some(row.parse(Phone::parse)?);
                if !row.next_is_null()? {
                    methods.push(method(row)?);
                }
                Ok(())
            },
        )?;
        Ok(phone.map(|phone| (phone, methods)))
    }

    /// All customers except former ones.
    pub fn psu_list(&mut self) -> Result<Vec<Psu>, StoreError> {
        let sql = "SELECT id, login, name, phone FROM psu WHERE closed_at IS NULL ORDER BY login";
        self.query(sql, &[], psu)
    }

    /// Inserts an SCA method after those that the customer has.
    pub fn sca_method_insert(&mut self, method: &ScaMethod) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO sca_method (id, psu, position, kind)
             VALUES ($1, $2, (SELECT COUNT(*) FROM sca_method WHERE psu = $2), $3)",
            params![method.id, method.psu, method.kind.name()],
        )?;
        Ok(())
    }

    pub fn sca_method_list(&mut self, psu: PsuId) -> Result<Vec<ScaMethod>, StoreError> {
        self.query(
            "SELECT id, psu, kind FROM sca_method WHERE psu = $1 ORDER BY position",
            params![psu],
            method,
        )
    }

    /// Inserts the encrypted seed that a chip or photo reader shares with the bank.
    pub fn sca_method_seed_insert(&mut self, method: MethodId, ciphertext: &[u8]) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO sca_method_seed (method, ciphertext) VALUES ($1, $2)",
            params![method, ciphertext],
        )?;
        Ok(())
    }

    pub fn sca_method_seed_find(&mut self, method: MethodId) -> Result<Option<Vec<u8>>, StoreError> {
        self.query_opt("SELECT ciphertext FROM sca_method_seed WHERE method = $1", params![method], |row| {
            row.read()
        })
    }
}

fn method(row: &mut RowReader<'_>) -> Result<ScaMethod, StoreError> {
    Ok(ScaMethod { id: row.read()?, psu: row.read()?, kind: row.parse(MethodKind::parse)? })
}

fn psu(row: &mut RowReader<'_>) -> Result<Psu, StoreError> {
    Ok(Psu { id: row.read()?, login: row.read()?, name: row.read()?, phone: row.parse(Phone::parse)? })
}
