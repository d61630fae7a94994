//! Authorisations as rows. Every statement of a caller names the application and the target; only the sweep and the
//! end of a target look across. Which step is allowed is decided elsewhere.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::authorisation::{
    ApproachSelection, Authorisation, Challenge, LinkingDigest, ScaApproach, ScaState, ScaStatus,
    SelectedMethod, Target, TargetKind,
};
use trapeza_domain::id::{ApplicationId, AuthorisationId, MethodId, PsuId};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::time::Timestamp;

/// The most authorisations that one job of the sweep takes.
pub const AUTHORISATION_SWEEP_ROWS: i64 = 100;

/// An authorisation with what is kept beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorisationRecord {
    pub authorisation: Authorisation,
    pub challenge: Option<Challenge>,
    /// What the customer agrees to, as it was at the start.
    pub link: LinkingDigest,
    /// Who asks, by licence and by name, as the certificate said at the start.
    pub organisation: String,
    pub tpp_name: String,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
    /// The browser that our page was opened in first.
    pub page: Option<RedirectSession>,
}

/// Who has our page open: a keyed hash of the browser's mark, and when it last did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedirectSession {
    pub browser: [u8; 32],
    pub seen_at: Timestamp,
}

/// The columns of a record, in the order that `record` reads them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, application, target_kind, target, psu_name, psu, status, proven, method, method_kind,
                    approach, approach_only, link, organisation, tpp_name, redirect_uri, nok_redirect_uri,
                    created_at, ends_at, challenge_nonce, challenge_code, challenge_shown, challenge_sent_at,
                    challenge_tries, challenge_sends, browser, page_seen_at
             FROM authorisation ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn authorisation_insert(&mut self, record: &AuthorisationRecord) -> Result<(), StoreError> {
        let it = &record.authorisation;
        self.execute(
            "INSERT INTO authorisation (id, application, target_kind, target, psu_name, psu, status, proven,
                approach, approach_only, link, organisation, tpp_name, redirect_uri, nok_redirect_uri, created_at,
                ends_at, due_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
            params![
                it.id.as_bytes(),
                it.application.as_bytes(),
                it.target.kind().name(),
                it.target.id_bytes(),
                &it.psu_name,
                it.psu.as_ref().map(PsuId::as_bytes),
                it.state.status().name(),
                proven(it),
                it.approach.reported().name(),
                is_only(it),
                &record.link.0,
                &record.organisation,
                &record.tpp_name,
                record.redirect_uri.as_deref(),
                record.nok_redirect_uri.as_deref(),
                it.created_at.0,
                it.ends_at.0,
                it.next_deadline().map(|due| due.0)
            ],
        )?;
        // A challenge that goes out with the start is written like any later one.
        self.authorisation_update(record)
    }

    pub fn authorisation_find(
        &mut self,
        application: ApplicationId,
        target: Target,
        id: AuthorisationId,
    ) -> Result<Option<AuthorisationRecord>, StoreError> {
        self.query_opt(
            select!("WHERE id = $1 AND application = $2 AND target = $3 AND target_kind = $4"),
            params![id.as_bytes(), application.as_bytes(), target.id_bytes(), target.kind().name()],
            record,
        )
    }

    /// The same, and nobody else changes it before this transaction ends.
    pub fn authorisation_lock(
        &mut self,
        application: ApplicationId,
        target: Target,
        id: AuthorisationId,
    ) -> Result<Option<AuthorisationRecord>, StoreError> {
        self.query_opt(
            select!("WHERE id = $1 AND application = $2 AND target = $3 AND target_kind = $4 FOR UPDATE"),
            params![id.as_bytes(), application.as_bytes(), target.id_bytes(), target.kind().name()],
            record,
        )
    }

    /// Those of a target, oldest first.
    pub fn authorisation_list(
        &mut self,
        application: ApplicationId,
        target: Target,
    ) -> Result<Vec<AuthorisationRecord>, StoreError> {
        self.query(
            select!("WHERE target = $1 AND target_kind = $2 AND application = $3 ORDER BY created_at, id"),
            params![target.id_bytes(), target.kind().name(), application.as_bytes()],
            record,
        )
    }

    /// Those of a target that are not final in the rows, locked.
    pub fn authorisation_open(
        &mut self,
        application: ApplicationId,
        target: Target,
    ) -> Result<Vec<AuthorisationRecord>, StoreError> {
        self.query(
            select!(
                "WHERE target = $1 AND target_kind = $2 AND application = $3 AND due_at IS NOT NULL
                 ORDER BY id FOR UPDATE"
            ),
            params![target.id_bytes(), target.kind().name(), application.as_bytes()],
            record,
        )
    }

    /// Authorisations whose time is over, locked; those that somebody works on now are left for the next time.
    pub fn authorisation_expired(&mut self, now: Timestamp) -> Result<Vec<AuthorisationRecord>, StoreError> {
        self.query(
            select!("WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![now.0, AUTHORISATION_SWEEP_ROWS],
            record,
        )
    }

    /// An authorisation by its id alone, for one who has shown a link to our page that only the bank can make.
    pub fn authorisation_by_id(
        &mut self,
        id: AuthorisationId,
    ) -> Result<Option<AuthorisationRecord>, StoreError> {
        self.query_opt(select!("WHERE id = $1"), params![id.as_bytes()], record)
    }

    /// What a customer is asked in the bank's app, newest first.
    pub fn authorisation_pending_in_app(
        &mut self,
        psu: PsuId,
        now: Timestamp,
    ) -> Result<Vec<AuthorisationRecord>, StoreError> {
        self.query(
            select!("WHERE psu = $1 AND due_at > $2 AND method_kind = $3 ORDER BY created_at DESC, id"),
            params![psu.as_bytes(), now.0, MethodKind::Push.name()],
            record,
        )
    }

    /// Writes the state, the way, the challenge and the page. The rest of an authorisation never changes.
    pub fn authorisation_update(&mut self, record: &AuthorisationRecord) -> Result<(), StoreError> {
        let it = &record.authorisation;
        let (method, challenge) = (it.state.method(), record.challenge.as_ref());
        let changed = self.execute(
            "UPDATE authorisation SET status = $3, proven = $4, method = COALESCE($5, method),
                method_kind = COALESCE($6, method_kind), approach = $7, approach_only = $8, due_at = $9,
                challenge_nonce = $10, challenge_code = $11, challenge_shown = $12, challenge_sent_at = $13,
                challenge_ends_at = $14, challenge_tries = $15, challenge_sends = $16,
                browser = $17, page_seen_at = $18
             WHERE id = $1 AND application = $2",
            params![
                it.id.as_bytes(),
                it.application.as_bytes(),
                it.state.status().name(),
                proven(it),
                method.as_ref().map(|chosen| chosen.id.as_bytes()),
                method.map(|chosen| chosen.kind.name()),
                it.approach.reported().name(),
                is_only(it),
                it.next_deadline().map(|due| due.0),
                challenge.map(|challenge| &challenge.nonce),
                challenge.map(|challenge| &challenge.code_hash),
                challenge.and_then(|challenge| challenge.shown.as_deref()),
                challenge.map(|challenge| challenge.sent_at.0),
                challenge.map(|challenge| challenge.ends_at().0),
                challenge.map(|challenge| challenge.attempts),
                challenge.map(|challenge| challenge.sends),
                record.page.as_ref().map(|page| &page.browser),
                record.page.map(|page| page.seen_at.0)
            ],
        )?;
        if changed == 1 {
            Ok(())
        } else {
            Err(StoreError::internal("an authorisation to be changed is gone"))
        }
    }
}

fn proven(it: &Authorisation) -> bool {
    matches!(it.state, ScaState::Started { password_verified: true, .. })
}

fn is_only(it: &Authorisation) -> bool {
    matches!(it.approach, ApproachSelection::Only(_))
}

fn record(row: &Row<'_>) -> Result<AuthorisationRecord, StoreError> {
    let reported = row.named(10, ScaApproach::parse)?;
    let kind = row.named(2, TargetKind::parse)?;
    let psu = row.opt_bytes(5)?.map(|bytes| PsuId::from_bytes(&bytes));
    let authorisation = Authorisation {
        id: row.id(0, AuthorisationId::new)?,
        application: row.id(1, ApplicationId::new)?,
        target: row.id(3, |id| id).map(|id| Target::new(kind, id))?,
        psu_name: row.text(4)?,
        psu: psu.map(|psu| psu.ok_or_else(|| StoreError::internal("a customer's id is odd"))).transpose()?,
        state: state(row)?,
        approach: if row.bool(11)? {
            ApproachSelection::Only(reported)
        } else {
            ApproachSelection::Open { reported }
        },
        created_at: Timestamp(row.int(17)?),
        ends_at: Timestamp(row.int(18)?),
    };
    Ok(AuthorisationRecord {
        authorisation,
        challenge: challenge(row)?,
        link: LinkingDigest(row.array(12)?),
        organisation: row.text(13)?,
        tpp_name: row.text(14)?,
        redirect_uri: row.opt_text(15)?,
        nok_redirect_uri: row.opt_text(16)?,
        page: match row.opt_int(26)? {
            Some(seen) => Some(RedirectSession { browser: row.array(25)?, seen_at: Timestamp(seen) }),
            None => None,
        },
    })
}

fn state(row: &Row<'_>) -> Result<ScaState, StoreError> {
    let chosen = match row.opt_bytes(8)? {
        Some(_) => {
            Some(SelectedMethod { id: row.id(8, MethodId::new)?, kind: row.named(9, MethodKind::parse)? })
        }
        None => None,
    };
    Ok(match row.named(6, ScaStatus::parse)? {
        ScaStatus::Received => ScaState::Received,
        ScaStatus::PsuIdentified => ScaState::PsuIdentified,
        ScaStatus::PsuAuthenticated => ScaState::PsuAuthenticated,
        ScaStatus::ScaMethodSelected => {
            let chosen = chosen.ok_or_else(|| StoreError::internal("a selected method is gone"))?;
            ScaState::ScaMethodSelected(chosen)
        }
        ScaStatus::Started => ScaState::Started { password_verified: row.bool(7)?, method: chosen },
        ScaStatus::Finalised => ScaState::Finalised,
        ScaStatus::Failed => ScaState::Failed,
        ScaStatus::Exempted => ScaState::Exempted,
    })
}

fn challenge(row: &Row<'_>) -> Result<Option<Challenge>, StoreError> {
    if row.opt_bytes(19)?.is_none() {
        return Ok(None);
    }
    Ok(Some(Challenge {
        nonce: row.array(19)?,
        code_hash: row.array(20)?,
        shown: row.opt_text(21)?,
        sent_at: Timestamp(row.int(22)?),
        attempts: row.int(23)?,
        sends: row.int(24)?,
    }))
}
