//! What only the sandbox may do: advance the clock, let an application change its own URLs, give fixed outcomes to some
//! inputs (`behaviour`), and create, export and replace the customers of the bank (`bank`, `export`).

mod bank;
mod behaviour;
mod content;
mod export;
pub mod magic_value;
pub mod number_generator;
mod posting;
mod transaction_list;

pub use bank::{ContentCount, MAX_CUSTOMERS};
pub(crate) use behaviour::SLOW_DECISION_DELAY;
pub use behaviour::{SandboxBehaviour, SandboxCreditOutcome};
pub use content::{
    AccountContent, BankContent, CardContent, CustomerContent, DemoBuilder, HistoryBuilder,
    TransactionContent, TransactionSubject, TransactionTexts,
};
pub use export::SandboxCustomer;
pub use transaction_list::{TRANSACTION_PAGE_ROWS, TransactionCursor, TransactionList};

use crate::{App, Required, UseCaseError, audit, external_url};
use trapeza_domain::application::MerchantUrls;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{FieldErrors, Refusal};
use trapeza_domain::time::{TimeDelta, Timestamp};

/// What an application may change about itself; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct ApplicationChange {
    pub urls: MerchantUrls,
    pub redirect_uris: Option<Vec<String>>,
}

/// An application as of now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationView {
    pub id: ApplicationId,
    pub created_at: Timestamp,
    pub urls: MerchantUrls,
    pub redirect_uris: Vec<String>,
}

/// The longest step; a longer one is taken for a typing error.
const MAX_CLOCK_ADVANCE: TimeDelta = TimeDelta::days(3660);

/// The end of the year 9998. Dates end with the year 9999, and deadlines are computed a year ahead.
const MAX_CLOCK: Timestamp = Timestamp(253_370_764_799_999_999);

impl App {
    /// Advances the bank's clock for all processes and runs the sweep. Returns the new time.
    pub async fn clock_advance(&self, by: TimeDelta) -> Result<Timestamp, UseCaseError> {
        if by.0 <= 0 || by > MAX_CLOCK_ADVANCE {
            let text = "must be a duration greater than zero and at most ten years, for example P1D or PT20M";
            return Err(Refusal::malformed(Field::ClockAdvance, text).into());
        }
        let (now, system) = (self.now(), self.clock.system_now());
        let actor = audit::current_actor();
        let ahead = self
            .store
            .write(move |tx| {
                let ahead = tx.clock_advance(by)?;
                check_clock(system.plus(ahead))?;
                let event = AuditEvent::new("clock.advanced", "clock", "bank").with("micros", by.0);
                audit::record(tx, now, actor, &event)?;
                Ok(ahead)
            })
            .await?;
        self.clock.set_offset(ahead);
        let now = self.now();
        self.sweep(now).await?;
        Ok(now)
    }

    /// Changes an application's URLs.
    pub async fn application_change(
        &self,
        id: ApplicationId,
        change: ApplicationChange,
    ) -> Result<ApplicationView, UseCaseError> {
        check_addresses(&change)?;
        let now = self.now();
        self.store
            .write(move |tx| {
                let record = tx.application_find(id)?;
                let record = record.required("application")?;
                let (old, new) = (record.urls, change.urls.clone());
                let urls = MerchantUrls {
                    success_callback: new.success_callback.or(old.success_callback),
                    fail_callback: new.fail_callback.or(old.fail_callback),
                    success_redirect: new.success_redirect.or(old.success_redirect),
                    failure_redirect: new.failure_redirect.or(old.failure_redirect),
                };
                tx.application_urls_set(id, &urls)?;
                if let Some(uris) = &change.redirect_uris {
                    tx.redirect_uri_replace(id, uris)?;
                }
                let event = AuditEvent::new("application.changed", "application", id);
                audit::record(tx, now, Actor::Application(id), &event)?;
                let redirect_uris = tx.redirect_uri_list(id)?;
                Ok(ApplicationView { id, created_at: record.created_at, urls, redirect_uris })
            })
            .await
    }
}

fn check_clock(target: Timestamp) -> Result<(), Refusal> {
    if target <= MAX_CLOCK {
        return Ok(());
    }
    Err(Refusal::malformed(Field::ClockAdvance, "the clock cannot go beyond the year 9998"))
}

fn check_addresses(change: &ApplicationChange) -> Result<(), Refusal> {
    let urls = &change.urls;
    let mut errors = FieldErrors::default();
    // In the sandbox the developer's own machine may be called.
    let egress_policy = EgressPolicy::PublicOrLoopback;
    for (field, url) in
        [(Field::SuccessCallback, &urls.success_callback), (Field::FailCallback, &urls.fail_callback)]
    {
        if let Some(url) = url {
            errors.collect(field, external_url::parse_callback(url, egress_policy));
        }
    }
    for (field, url) in
        [(Field::SuccessRedirect, &urls.success_redirect), (Field::FailureRedirect, &urls.failure_redirect)]
    {
        if let Some(url) = url {
            errors.collect(field, external_url::parse(url, egress_policy));
        }
    }
    for (index, uri) in change.redirect_uris.iter().flatten().enumerate() {
        errors.collect(Field::RedirectUris.element(index), external_url::parse(uri, egress_policy));
    }
    errors.finish()
}
