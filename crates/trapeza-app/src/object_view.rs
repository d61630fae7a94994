//! What the bank's staff see of one object: its state, related objects, the objects of its timeline, and the actions that its state and
//! the role of the caller allow. A page and a JSON response are made of it without knowledge of the kind.
//!
//! It contains no secrets: no hashes of keys, no codes, of card numbers the last four digits. A look at an object with the data of a
//! person is recorded before anything is returned.

mod application;
mod clearing;
mod customer;
mod loan;
mod payment;

use crate::{App, Keyring, UseCaseError, audit, format_date, format_timestamp, staff};
use std::sync::Arc;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::field::Field;
use trapeza_domain::id::StaffId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::{Staff, StaffAction};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{ObjectRelation, Param, SearchHit, StoreError, Tx};
use uuid::Uuid;

/// How many objects of a relation are listed.
pub const MAX_RELATED: usize = 50;

/// An object as staff see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectView {
    pub kind: SearchKind,
    /// As the search names it.
    pub id: String,
    pub title: String,
    /// The state in the words of the API.
    pub status: Option<String>,
    /// Labels and values.
    pub facts: Vec<(&'static str, String)>,
    pub related: Vec<RelatedObject>,
    /// The objects of the timeline ([`App::timeline`]); the first one is this object.
    pub objects: Vec<String>,
    /// What the state of the object and the role of the caller allow.
    pub actions: Vec<AvailableAction>,
}

/// An object that belongs to the one that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedObject {
    pub kind: SearchKind,
    pub id: String,
    pub label: String,
    /// What it is to the object, for example "payer account".
    pub relation: &'static str,
}

/// An action with the parameters that are known already. The person supplies the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AvailableAction {
    pub action: StaffAction,
    pub parameters: Vec<(&'static str, String)>,
}

impl AvailableAction {
    /// The action, if the role of the person may request it.
    pub(crate) fn new(
        person: &Staff,
        action: StaffAction,
        parameters: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Option<Self> {
        person.require(action).ok()?;
        Some(Self { action, parameters: parameters.into_iter().collect() })
    }
}

/// Who looks, and when.
struct ViewContext {
    person: Staff,
    now: Timestamp,
    today: Date,
    keyring: Arc<Keyring>,
}

impl App {
    /// An object by its kind and id. A look at one with the data of a person needs `personal_data.view` and is recorded.
    pub async fn object_view(
        &self,
        caller: StaffId,
        kind: SearchKind,
        id: &str,
    ) -> Result<ObjectView, UseCaseError> {
        let action =
            if kind.is_personal() { StaffAction::PersonalDataView } else { StaffAction::ConsoleView };
        let (now, keyring, id) = (self.now(), self.keyring.clone(), parse_id(id));
        let today = self.clock.zone().day(now);
        let view = self.store.read(move |tx| {
            let person = staff::required(tx, caller)?;
            person.require(action)?;
            let context = ViewContext { person, now, today, keyring: keyring.clone() };
            let view = id.map(|id| find(tx, &context, kind, id)).transpose()?.flatten();
            Ok(view.ok_or_else(unknown)?)
        });
        let view = view.await?;
        if kind.is_personal() {
            let object = view.objects.first().and_then(|object| object.split_once(':'));
            let object = object.map_or_else(|| view.id.clone(), |(_, id)| id.to_owned());
            let event = AuditEvent::new("personal_data.viewed", kind.audit_kind(), object);
            let recorded = self.store.write(move |tx| {
                staff::required(tx, caller)?.require(action)?;
                Ok(audit::record(tx, now, Actor::Staff(caller), &event)?)
            });
            recorded.await?;
        }
        Ok(view)
    }
}

fn find(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    kind: SearchKind,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    match kind {
        SearchKind::Customer => customer::customer(tx, context, id),
        SearchKind::Shopper => customer::shopper(tx, context, id),
        SearchKind::Account => customer::account(tx, id),
        SearchKind::Card => customer::card(tx, id),
        SearchKind::Application => application::application(tx, context, id),
        SearchKind::Merchant => application::merchant(tx, context, id),
        SearchKind::Callback => application::callback(tx, context, id),
        SearchKind::Request => application::request(tx, id),
        SearchKind::Payment => payment::payment(tx, context, id),
        SearchKind::Consent => payment::consent(tx, context, id),
        SearchKind::SigningBasket => payment::signing_basket(tx, context, id),
        SearchKind::Authorisation => payment::authorisation(tx, context, id),
        SearchKind::Basket => loan::basket(tx, context, id),
        SearchKind::Loan => loan::loan(tx, context, id),
        SearchKind::ClearingBatch => clearing::batch(tx, id),
        SearchKind::IncomingTransfer => clearing::incoming(tx, context, id),
    }
}

impl ObjectView {
    fn new(kind: SearchKind, id: Uuid, title: String) -> Self {
        Self {
            kind,
            id: id.to_string(),
            title,
            status: None,
            facts: Vec::new(),
            related: Vec::new(),
            objects: vec![format!("{}:{id}", kind.audit_kind())],
            actions: Vec::new(),
        }
    }

    fn status(mut self, status: impl Into<String>) -> Self {
        self.status = Some(status.into());
        self
    }

    fn fact(&mut self, label: &'static str, value: impl ToString) {
        self.facts.push((label, value.to_string()));
    }

    /// A fact that an object may lack.
    fn fact_opt(&mut self, label: &'static str, value: Option<impl ToString>) {
        self.facts.extend(value.map(|value| (label, value.to_string())));
    }

    fn time(&mut self, label: &'static str, at: Timestamp) {
        self.fact(label, format_timestamp(at));
    }

    fn day(&mut self, label: &'static str, day: Date) {
        self.fact(label, format_date(day));
    }

    fn relate(&mut self, relation: &'static str, hits: impl IntoIterator<Item = SearchHit>) {
        for SearchHit { kind, id, label, status } in hits {
            let label = if kind == SearchKind::Card { card_label(&label) } else { label };
            let gap = if label.is_empty() || status.is_empty() { "" } else { ", " };
            let label = format!("{label}{gap}{status}");
            self.related.push(RelatedObject { kind, id: id.to_string(), label, relation });
        }
    }

    /// Adds the first objects of a relation, and a fact when there are more.
    fn relate_bounded(&mut self, relation: &'static str, mut hits: Vec<SearchHit>) {
        if hits.len() > MAX_RELATED {
            hits.truncate(MAX_RELATED);
            self.fact("Not listed", format!("{relation}: more than the {MAX_RELATED} that are listed"));
        }
        self.relate(relation, hits);
    }

    fn relate_all<'p>(
        &mut self,
        tx: &mut Tx<'_>,
        relation: &'static str,
        which: ObjectRelation,
        key: impl Into<Param<'p>>,
    ) -> Result<(), StoreError> {
        let hits = tx.object_related(which, key, limit())?;
        self.relate_bounded(relation, hits);
        Ok(())
    }

    /// The object of a kind with this id, if there is one.
    fn relate_one(
        &mut self,
        tx: &mut Tx<'_>,
        relation: &'static str,
        kind: SearchKind,
        id: Uuid,
    ) -> Result<(), StoreError> {
        let hit = tx.search_find(kind, id)?;
        self.relate(relation, hit);
        Ok(())
    }

    /// Adds the related objects of a kind to the timeline.
    fn include_in_timeline(&mut self, kind: SearchKind) {
        let related = self.related.iter().filter(|related| related.kind == kind);
        let objects: Vec<String> =
            related.map(|related| format!("{}:{}", kind.audit_kind(), related.id)).collect();
        self.objects.extend(objects);
    }

    /// Adds an action if the role of the caller may request it.
    fn action(
        &mut self,
        context: &ViewContext,
        action: StaffAction,
        parameters: impl IntoIterator<Item = (&'static str, String)>,
    ) {
        self.actions.extend(AvailableAction::new(&context.person, action, parameters));
    }
}

/// One more than is listed, to notice that there are more.
fn limit() -> i64 {
    i64::try_from(MAX_RELATED).unwrap_or(i64::MAX).saturating_add(1)
}

/// The last four digits of a masked card number.
fn card_label(masked: &str) -> String {
    let digits: Vec<char> = masked.chars().rev().take(4).collect();
    format!("card ending in {}", digits.into_iter().rev().collect::<String>())
}

/// An id that does not parse is the id of no object.
fn parse_id(text: &str) -> Option<Uuid> {
    (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten()
}

fn unknown() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::ObjectId, "unknown object")
}
