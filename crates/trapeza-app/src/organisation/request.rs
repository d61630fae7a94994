//! The request log of an application as the members of its organisation see it.

use super::PortalMember;
use crate::request_log::{RequestFilter, RequestRecord, RequestSummary};
use crate::{App, UseCaseError};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use uuid::Uuid;

/// How many requests a page lists.
const PAGE_ROWS: usize = 50;

/// A page of requests, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestPage {
    pub requests: Vec<RequestSummary>,
    /// The request before which the next page begins; `None` on the last page.
    pub next: Option<Uuid>,
}

impl App {
    /// The requests of an application that a filter includes.
    pub async fn portal_request_list(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
        filter: RequestFilter,
    ) -> Result<RequestPage, UseCaseError> {
        self.portal_application(caller, application, MemberRole::Viewer).await?;
        let limit = i64::try_from(PAGE_ROWS).unwrap_or(i64::MAX) + 1;
        let mut requests = self.request_log_list(application, filter, limit).await?;
        let is_last = requests.len() <= PAGE_ROWS;
        requests.truncate(PAGE_ROWS);
        let next = if is_last { None } else { requests.last().map(|request| request.id) };
        Ok(RequestPage { requests, next })
    }

    /// The requests of an application with a correlation id.
    pub async fn portal_request_by_correlation(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
        correlation: Uuid,
    ) -> Result<RequestPage, UseCaseError> {
        self.portal_application(caller, application, MemberRole::Viewer).await?;
        let requests = self.request_log_by_correlation(application, correlation).await?;
        Ok(RequestPage { requests, next: None })
    }

    /// The operations that occur in the log of an application.
    pub async fn portal_request_operations(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
    ) -> Result<Vec<String>, UseCaseError> {
        self.portal_application(caller, application, MemberRole::Viewer).await?;
        self.store.read(move |tx| Ok(tx.request_log_operations(application)?)).await
    }

    /// A request of an application with its headers and bodies.
    pub async fn portal_request(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
        id: Uuid,
    ) -> Result<RequestRecord, UseCaseError> {
        self.portal_application(caller, application, MemberRole::Viewer).await?;
        let found = self.request_log_find(application, id).await?;
        Ok(found.ok_or_else(|| Refusal::new(RefusalReason::ResourceUnknown, "unknown request"))?)
    }
}
