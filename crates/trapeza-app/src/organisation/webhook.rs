//! The webhook log of an application: callbacks with their attempts, resending one, and test events.

use super::PortalMember;
use crate::callback::{self, CallbackDetail, CallbackEvent, CallbackRecord, EnqueueContext};
use crate::{App, UseCaseError, audit, trace};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::callback::{CallbackKind, CallbackStatus};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use uuid::Uuid;

/// How many callbacks of each status the log shows.
const LOG_ROWS: i64 = 50;

impl App {
    /// The newest callbacks of an application, newest first.
    pub async fn portal_webhook_list(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
    ) -> Result<Vec<CallbackRecord>, UseCaseError> {
        self.portal_application(caller, application, MemberRole::Viewer).await?;
        self.store
            .read(move |tx| {
                let mut records = Vec::new();
                for status in CallbackStatus::ALL {
                    records.extend(tx.callback_list_by_application(application, *status, LOG_ROWS)?);
                }
                records.sort_by_key(|record| std::cmp::Reverse(record.callback.created_at));
                Ok(records)
            })
            .await
    }

    /// A callback of an application with its attempts.
    pub async fn portal_webhook(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
        id: CallbackId,
    ) -> Result<CallbackDetail, UseCaseError> {
        self.portal_application(caller, application, MemberRole::Viewer).await?;
        let detail = self.callback_detail(id).await?;
        if detail.record.callback.application != application {
            return Err(unknown().into());
        }
        Ok(detail)
    }

    /// Makes the next attempt of a callback that failed due now, or begins again when it was given up or disabled.
    pub async fn portal_webhook_resend(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
        id: CallbackId,
    ) -> Result<(), UseCaseError> {
        self.portal_application(caller, application, MemberRole::Developer).await?;
        let (now, actor) = (self.now(), Actor::Member(caller.member.id));
        self.store
            .write(move |tx| {
                let record = tx.callback_lock(application, id)?.ok_or_else(unknown)?;
                let (callback, event) = record.callback.resend(now)?;
                tx.callback_update(&callback)?;
                match event {
                    Some(event) => Ok(audit::record(tx, now, actor, &event)?),
                    None => Ok(()),
                }
            })
            .await
    }

    /// Sends a test event, in the sandbox: the outcome of a basket that does not exist. Elsewhere a shop could take it for real.
    pub async fn portal_webhook_test(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
        kind: CallbackKind,
    ) -> Result<CallbackId, UseCaseError> {
        self.portal_application(caller, application, MemberRole::Developer).await?;
        if !self.is_sandbox() {
            let text = "only a sandbox sends test events";
            return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
        }
        let event = CallbackEvent {
            kind,
            public_basket: Uuid::nil().to_string(),
            order: "test-event".to_owned(),
            request: Uuid::nil().to_string(),
            loan: None,
            amount: None,
            reason: (kind != CallbackKind::Approved).then(|| "SANDBOX".to_owned()),
            address: None,
            sequence: 0,
        };
        let (id, now, actor) =
            (CallbackId::new(self.entropy.uuid()), self.now(), Actor::Member(caller.member.id));
        let context = EnqueueContext {
            id,
            now,
            trace: trace::current(),
            sandbox_system_time: self.sandbox_system_time(),
        };
        self.store
            .write(move |tx| {
                if !callback::enqueue(tx, application, &event, &context)? {
                    let text =
                        "the application has no callback address for this event; set one on its page first";
                    return Err(Refusal::malformed(Field::CallbackId, text).into());
                }
                let event = AuditEvent::new("callback.test_sent", "callback", id);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await?;
        Ok(id)
    }
}

fn unknown() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "unknown callback")
}
