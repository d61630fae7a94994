//! Authorisations. Every query of a caller names the application and the target.

use crate::challenge::{challenge, challenge_columns};
use crate::error::{Required, StoreError};
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::authorisation::{
    ApproachSelection, Authorisation, Challenge, LinkingDigest, ScaApproach, ScaState, ScaStatus,
    SelectedMethod, Target, TargetKind,
};
use trapeza_domain::id::{ApplicationId, AuthorisationId, MethodId, PsuId};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

/// How many authorisations one job of the sweep takes.
pub const AUTHORISATION_SWEEP_ROWS: i64 = 100;

/// An authorisation with its challenge and its redirect session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorisationRecord {
    pub authorisation: Authorisation,
    pub challenge: Option<Challenge>,
    /// Digest of what the customer authorises, as it was at the start.
    pub link: LinkingDigest,
    /// Licence number and name of the third party, from its certificate.
    pub organisation: String,
    pub tpp_name: String,
    pub redirect_uri: Option<String>,
    pub nok_redirect_uri: Option<String>,
    pub redirect_session: Option<RedirectSession>,
}

/// The browser that opened the redirect page: the keyed hash of its session token, and its last activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedirectSession {
    pub token_hash: [u8; 32],
    pub last_seen_at: Timestamp,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, application, target_kind, target, psu_login, psu, status, password_verified, method,
                    method_kind, approach, approach_is_only, created_at, expires_at, notifies, ",
            challenge_columns!(),
            ", challenge_display, linking_digest, organisation, tpp_name, redirect_uri, nok_redirect_uri,
               session_token_hash, session_last_seen_at
             FROM authorisation ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn authorisation_insert(&mut self, record: &AuthorisationRecord) -> Result<(), StoreError> {
        let it = &record.authorisation;
        self.execute(
            "INSERT INTO authorisation (id, application, target_kind, target, psu_login, psu, status,
                password_verified, approach, approach_is_only, linking_digest, organisation, tpp_name, redirect_uri,
                nok_redirect_uri, created_at, expires_at, deadline, notifies)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
            params![
                it.id,
                it.application,
                it.target.kind().name(),
                target_id(it.target),
                &it.psu_name,
                it.psu,
                it.state.status().name(),
                is_password_verified(it),
                it.approach.reported().name(),
                is_only_approach(it),
                &record.link.0,
                &record.organisation,
                &record.tpp_name,
                record.redirect_uri.as_deref(),
                record.nok_redirect_uri.as_deref(),
                it.created_at,
                it.ends_at,
                it.next_deadline(),
                it.notifies
            ],
        )?;
        // A challenge that is sent at the start is written like any later one.
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
            params![id, application, target_id(target), target.kind().name()],
            record,
        )
    }

    /// The same, locked until the transaction ends.
    pub fn authorisation_lock(
        &mut self,
        application: ApplicationId,
        target: Target,
        id: AuthorisationId,
    ) -> Result<Option<AuthorisationRecord>, StoreError> {
        self.query_opt(
            select!("WHERE id = $1 AND application = $2 AND target = $3 AND target_kind = $4 FOR UPDATE"),
            params![id, application, target_id(target), target.kind().name()],
            record,
        )
    }

    /// The authorisations of a target, oldest first.
    pub fn authorisation_list(
        &mut self,
        application: ApplicationId,
        target: Target,
    ) -> Result<Vec<AuthorisationRecord>, StoreError> {
        self.query(
            select!("WHERE target = $1 AND target_kind = $2 AND application = $3 ORDER BY created_at, id"),
            params![target_id(target), target.kind().name(), application],
            record,
        )
    }

    /// The authorisations of a target whose stored status is not final, locked.
    pub fn authorisation_open(
        &mut self,
        application: ApplicationId,
        target: Target,
    ) -> Result<Vec<AuthorisationRecord>, StoreError> {
        self.query(
            select!(
                "WHERE target = $1 AND target_kind = $2 AND application = $3 AND deadline IS NOT NULL
                 ORDER BY id FOR UPDATE"
            ),
            params![target_id(target), target.kind().name(), application],
            record,
        )
    }

    /// Authorisations whose deadline has passed, locked, except those that are locked already.
    pub fn authorisation_expired(&mut self, now: Timestamp) -> Result<Vec<AuthorisationRecord>, StoreError> {
        self.query(
            select!("WHERE deadline <= $1 ORDER BY deadline LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![now, AUTHORISATION_SWEEP_ROWS],
            record,
        )
    }

    /// An authorisation by its id alone: the caller must have password_verified its right by a signed redirect link.
    pub fn authorisation_by_id(
        &mut self,
        id: AuthorisationId,
    ) -> Result<Option<AuthorisationRecord>, StoreError> {
        self.query_opt(select!("WHERE id = $1"), params![id], record)
    }

    /// The authorisations that wait for the customer's approval in the bank's app, newest first.
    pub fn authorisation_pending_in_app(
        &mut self,
        psu: PsuId,
        now: Timestamp,
    ) -> Result<Vec<AuthorisationRecord>, StoreError> {
        self.query(
            select!("WHERE psu = $1 AND deadline > $2 AND method_kind = $3 ORDER BY created_at DESC, id"),
            params![psu, now, MethodKind::Push.name()],
            record,
        )
    }

    /// The authorisations of a customer whose stored status is not final, locked.
    pub fn authorisation_open_by_psu(&mut self, psu: PsuId) -> Result<Vec<AuthorisationRecord>, StoreError> {
        self.query(
            select!("WHERE psu = $1 AND deadline IS NOT NULL ORDER BY id FOR UPDATE"),
            params![psu],
            record,
        )
    }

    /// Updates the state, the approach, the challenge and the redirect session. The rest never changes.
    pub fn authorisation_update(&mut self, record: &AuthorisationRecord) -> Result<(), StoreError> {
        let it = &record.authorisation;
        let (method, challenge) = (it.state.method(), record.challenge.as_ref());
        let session = record.redirect_session.as_ref();
        self.update_one(
            "authorisation",
            "UPDATE authorisation SET status = $3, password_verified = $4, method = COALESCE($5, method),
                method_kind = COALESCE($6, method_kind), approach = $7, approach_is_only = $8, deadline = $9,
                challenge_nonce = $10, challenge_otp_hash = $11, challenge_display = $12, challenge_sent_at = $13,
                challenge_expires_at = $14, challenge_attempts = $15, challenge_send_count = $16,
                session_token_hash = $17, session_last_seen_at = $18
             WHERE id = $1 AND application = $2",
            params![
                it.id,
                it.application,
                it.state.status().name(),
                is_password_verified(it),
                method.map(|method| method.id),
                method.map(|method| method.kind.name()),
                it.approach.reported().name(),
                is_only_approach(it),
                it.next_deadline(),
                challenge.map(|challenge| &challenge.nonce),
                challenge.map(|challenge| &challenge.code_hash),
                challenge.and_then(|challenge| challenge.display.as_deref()),
                challenge.map(|challenge| challenge.sent_at),
                challenge.map(Challenge::ends_at),
                challenge.map(|challenge| challenge.attempts),
                challenge.map(|challenge| challenge.sends),
                session.map(|session| &session.token_hash),
                session.map(|session| session.last_seen_at)
            ],
        )
    }
}

fn target_id(target: Target) -> Uuid {
    Uuid::from_bytes(*target.id_bytes())
}

fn is_password_verified(it: &Authorisation) -> bool {
    matches!(it.state, ScaState::Started { password_verified: true, .. })
}

fn is_only_approach(it: &Authorisation) -> bool {
    matches!(it.approach, ApproachSelection::Only(_))
}

fn record(row: &mut RowReader<'_>) -> Result<AuthorisationRecord, StoreError> {
    Ok(AuthorisationRecord {
        authorisation: authorisation(row)?,
        challenge: {
            let challenge = challenge(row)?;
            let display = row.read()?;
            challenge.map(|challenge| Challenge { display, ..challenge })
        },
        link: LinkingDigest(row.read()?),
        organisation: row.read()?,
        tpp_name: row.read()?,
        redirect_uri: row.read()?,
        nok_redirect_uri: row.read()?,
        redirect_session: {
            let (hash, seen): (Option<[u8; 32]>, _) = (row.read()?, row.read::<Option<Timestamp>>()?);
            hash.zip(seen).map(|(token_hash, last_seen_at)| RedirectSession { token_hash, last_seen_at })
        },
    })
}

fn authorisation(row: &mut RowReader<'_>) -> Result<Authorisation, StoreError> {
    let (id, application) = (row.read()?, row.read()?);
    let target_kind = row.parse(TargetKind::parse)?;
    let (target, psu_name, psu) = (row.read()?, row.read()?, row.read()?);
    let state = state(row)?;
    let approach = row.parse(ScaApproach::parse)?;
    let is_only: bool = row.read()?;
    Ok(Authorisation {
        id,
        application,
        target: Target::new(target_kind, target),
        psu_name,
        psu,
        state,
        approach: if is_only {
            ApproachSelection::Only(approach)
        } else {
            ApproachSelection::Open { reported: approach }
        },
        created_at: row.read()?,
        ends_at: row.read()?,
        notifies: row.read()?,
    })
}

fn state(row: &mut RowReader<'_>) -> Result<ScaState, StoreError> {
    let status = row.parse(ScaStatus::parse)?;
    let password_verified = row.read()?;
    let (id, kind): (Option<MethodId>, _) = (row.read()?, row.parse_opt(MethodKind::parse)?);
    let method = id.zip(kind).map(|(id, kind)| SelectedMethod { id, kind });
    Ok(match status {
        ScaStatus::Received => ScaState::Received,
        ScaStatus::PsuIdentified => ScaState::PsuIdentified,
        ScaStatus::PsuAuthenticated => ScaState::PsuAuthenticated,
        ScaStatus::ScaMethodSelected => ScaState::ScaMethodSelected(method.required("selected SCA method")?),
        ScaStatus::Started => ScaState::Started { password_verified, method },
        ScaStatus::Finalised => ScaState::Finalised,
        ScaStatus::Failed => ScaState::Failed,
        ScaStatus::Exempted => ScaState::Exempted,
    })
}
