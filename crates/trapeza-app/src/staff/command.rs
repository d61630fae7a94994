//! The actions whose use cases exist: their parameters, the state that an approval compares, and their execution.

use super::context::{ActionContext, ActionOutcome, ActionParameters};
use super::member;
use crate::credential::{login_subject, phone_subject};
use crate::keyring::KeyPurpose;
use crate::merchant::{self, TermsChange};
use crate::{UseCaseError, application, audit, callback, loan, psu};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, CallbackId, LoanId, StaffId};
use trapeza_domain::installment::{Plan, PlanOffer};
use trapeza_domain::login::{check_name, parse_email};
use trapeza_domain::payment::PayeeAccount;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::staff::{
    SecondPerson, StaffAction, StaffRole, StaffStatus, UNBLOCK_PERIOD, UNBLOCKS_ALONE,
};
use trapeza_store::{ApplicationRecord, StoreError, Tx};

/// The kinds of objects with the data of a person, as audit events name them.
const PERSONAL_OBJECTS: [&str; 7] = ["psu", "shopper", "account", "payment", "consent", "loan", "basket"];
/// The event of the throttle that counts unblocks, and its channel.
const UNBLOCK: &str = "unblock";

/// An action with its parameters.
#[derive(Clone, Debug)]
pub(super) struct StaffCommand {
    action: StaffAction,
    order: Order,
}

#[derive(Clone, Debug)]
enum Order {
    PersonalData { kind: &'static str, id: String },
    Psu(String),
    Phone(Phone),
    Application(ApplicationId),
    Callback(CallbackId),
    Loan(LoanId),
    RefundPayout(LoanId, PayeeAccount),
    MerchantTerms(String, TermsChange),
    NewStaff { email: Email, name: String, role: StaffRole },
    Staff(StaffId),
    StaffRole(StaffId, StaffRole),
}

/// The names of an action's parameters. `None` for an action that cannot be run yet, and for the view of the console, which runs
/// nothing.
pub(super) const fn parameter_names(action: StaffAction) -> Option<&'static [&'static str]> {
    Some(match action {
        StaffAction::PersonalDataView => &["object", "id"],
        StaffAction::PsuUnblock => &["login"],
        StaffAction::PhoneUnblock => &["phone"],
        StaffAction::ApplicationDisable | StaffAction::ApplicationEnable => &["application"],
        StaffAction::CallbackReplay => &["callback"],
        StaffAction::LoanWriteOff => &["loan"],
        StaffAction::RefundPayout => &["loan", "iban", "name", "bic"],
        StaffAction::MerchantTerms => &["code", "minimum", "maximum", "discount_basis_points", "plans"],
        StaffAction::StaffCreate => &["email", "name", "role"],
        StaffAction::StaffDisable | StaffAction::StaffEnable | StaffAction::StaffReset => &["staff"],
        StaffAction::StaffRoleChange => &["staff", "role"],
        StaffAction::ConsoleView
        | StaffAction::PsuPasswordReset
        | StaffAction::ApplicationLimits
        | StaffAction::ClearingReturn
        | StaffAction::ClearingMatch
        | StaffAction::ClearingSuspense
        | StaffAction::MerchantPayout
        | StaffAction::LedgerPostManual
        | StaffAction::SettingsChange => return None,
    })
}

impl StaffCommand {
    pub(super) fn parse(action: StaffAction, given: &ActionParameters) -> Result<Self, Refusal> {
        let names = parameter_names(action).ok_or_else(|| {
            let text = format!("{} cannot be run", action.name());
            Refusal::new(RefusalReason::Unsupported, text)
        })?;
        if let Some(unknown) = given.names().find(|name| !names.contains(name)) {
            let text = format!("unknown parameter {unknown}; use {}", names.join(", "));
            return Err(Refusal::new(RefusalReason::Malformed, text));
        }
        let mut errors = FieldErrors::default();
        let order = order(action, given, &mut errors);
        errors.finish()?;
        let order = order.ok_or_else(|| Refusal::new(RefusalReason::Malformed, "a parameter is missing"))?;
        Ok(Self { action, order })
    }

    /// Whether the action needs a second person now.
    pub(super) fn needs_second_person(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
        person: StaffId,
    ) -> Result<bool, StoreError> {
        Ok(match self.action.rule().second_person {
            SecondPerson::Never => false,
            SecondPerson::Always => true,
            SecondPerson::AfterUnblocks => match self.unblock_subject(context) {
                Some(subject) => {
                    let since = context.now.minus(UNBLOCK_PERIOD);
                    tx.sca_event_count(&subject, UNBLOCK, UNBLOCK, since)?.from_all >= UNBLOCKS_ALONE
                }
                None => true,
            },
            SecondPerson::WithAdministrators => tx.staff_list()?.iter().any(|other| {
                other.id != person
                    && other.role == StaffRole::Administrator
                    && other.status == StaffStatus::Active
            }),
        })
    }

    /// The state of the object, which must be the same at the approval. Refused when the action is not possible.
    pub(super) fn state(&self, tx: &mut Tx<'_>, context: &ActionContext) -> Result<String, UseCaseError> {
        Ok(match &self.order {
            Order::PersonalData { .. } => String::new(),
            Order::Psu(login) => psu::required(tx, login)?.id.to_string(),
            Order::Phone(phone) => phone.as_str().to_owned(),
            Order::Application(id) => format!("{:?}", application_for(tx, *id, self.action)?),
            Order::Callback(id) => id.to_string(),
            Order::Loan(id) => loan::write_off_state(tx, *id, context.now)?,
            Order::RefundPayout(id, payee) => {
                loan::refund_payout_check(payee, context.collection)?;
                loan::refund_payout_state(tx, *id)?
            }
            Order::MerchantTerms(code, change) => merchant::terms_state(tx, code, change)?,
            Order::NewStaff { email, .. } => {
                member::require_unused(tx, email)?;
                String::new()
            }
            Order::Staff(id) => match self.action {
                StaffAction::StaffEnable => format!("{:?}", member::require_enable(tx, *id)?),
                StaffAction::StaffReset => format!("{:?}", member::require_reset(tx, *id)?),
                _ => format!("{:?}", member::require_disable(tx, *id)?),
            },
            Order::StaffRole(id, role) => format!("{:?}", member::require_role_change(tx, *id, *role)?),
        })
    }

    /// Executes the action and records it for the actor.
    pub(super) fn run(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<ActionOutcome, UseCaseError> {
        let by = (context.actor, context.now);
        let text = match &self.order {
            Order::PersonalData { kind, id } => {
                let event = AuditEvent::new("personal_data.viewed", kind, id);
                audit::record(tx, context.now, context.actor, &event)?;
                format!("viewed {kind} {id}")
            }
            Order::Psu(login) => {
                let lifted = psu::unblock(tx, &context.keyring, login, by)?;
                self.count_unblock(tx, context)?;
                format!("lifted {lifted} blocks")
            }
            Order::Phone(phone) => {
                let lifted = psu::unblock_phone(tx, &context.keyring, phone, by)?;
                self.count_unblock(tx, context)?;
                format!("lifted {lifted} blocks")
            }
            Order::Application(id) => {
                let enabled = self.action == StaffAction::ApplicationEnable;
                application::enabled_set(tx, *id, enabled, by)?;
                format!("{} application {id}", if enabled { "enabled" } else { "disabled" })
            }
            Order::Callback(id) => {
                callback::replay_one(tx, *id, by)?;
                format!("replays callback {id}")
            }
            Order::Loan(id) => {
                let closing = loan::write_off(tx, *id, (context.actor, context.now, context.today))?;
                format!("wrote off loan {id}, principal {} minor units", closing.principal_minor)
            }
            Order::RefundPayout(id, payee) => {
                let payment = loan::refund_payout(tx, *id, payee, &context.refund_payout())?;
                format!("payment {} to the borrower of loan {id}", payment.id)
            }
            Order::MerchantTerms(code, change) => {
                merchant::terms_set(tx, code, change, by)?;
                format!("changed the terms of merchant {code}")
            }
            Order::NewStaff { email, name, role } => {
                return member::create(tx, context, (email, name, *role));
            }
            Order::Staff(id) => {
                return match self.action {
                    StaffAction::StaffEnable => member::enable(tx, context, *id),
                    StaffAction::StaffReset => member::reset(tx, context, *id),
                    _ => member::disable(tx, context, *id),
                };
            }
            Order::StaffRole(id, role) => return member::role_change(tx, context, *id, *role),
        };
        Ok(ActionOutcome::of(text))
    }

    /// The subject under which unblocks are counted. An unblock deletes the other events of the customer or telephone number.
    fn unblock_subject(&self, context: &ActionContext) -> Option<[u8; 32]> {
        let subject = match &self.order {
            Order::Psu(login) => login_subject(&context.keyring, login),
            Order::Phone(phone) => phone_subject(&context.keyring, phone),
            _ => return None,
        };
        Some(context.keyring.hash(KeyPurpose::Subject, &[UNBLOCK.as_bytes(), &subject]))
    }

    fn count_unblock(&self, tx: &mut Tx<'_>, context: &ActionContext) -> Result<(), StoreError> {
        let Some(subject) = self.unblock_subject(context) else { return Ok(()) };
        let since = context.now.minus(UNBLOCK_PERIOD);
        tx.sca_event_insert(&subject, UNBLOCK, UNBLOCK, context.now, since)
    }
}

/// An application that is not yet as the action would leave it.
fn application_for(
    tx: &mut Tx<'_>,
    id: ApplicationId,
    action: StaffAction,
) -> Result<ApplicationRecord, UseCaseError> {
    let unknown = || Refusal::at(RefusalReason::ResourceUnknown, Field::ApplicationId, "unknown application");
    let found = tx.application_find(id)?.filter(|_| id != ApplicationId::BANK).ok_or_else(unknown)?;
    if found.disabled_at.is_none() == (action == StaffAction::ApplicationEnable) {
        let state = if found.disabled_at.is_none() { "enabled" } else { "disabled" };
        let text = format!("the application is {state} already");
        return Err(Refusal::at(RefusalReason::StatusInvalid, Field::ApplicationId, text).into());
    }
    Ok(found)
}

fn order(action: StaffAction, given: &ActionParameters, errors: &mut FieldErrors) -> Option<Order> {
    let errors = std::cell::RefCell::new(errors);
    let text = |name: &str, field: Field| {
        let value = given.get(name);
        if value.is_none() {
            errors.borrow_mut().add(field, "is required");
        }
        value
    };
    let wrong = |field: Field, expected: &str| errors.borrow_mut().add(field, expected);
    macro_rules! id {
        ($type:ident, $name:literal, $field:ident) => {
            text($name, Field::$field).and_then(|value| {
                $type::parse(value).or_else(|| {
                    wrong(Field::$field, "must be an id");
                    None
                })
            })
        };
    }
    let role = || {
        text("role", Field::StaffRole).and_then(|value| {
            StaffRole::parse(value).or_else(|| {
                wrong(Field::StaffRole, "must be support, operations, risk, auditor or administrator");
                None
            })
        })
    };
    match action {
        StaffAction::PersonalDataView => {
            let kind = text("object", Field::Object)?;
            let known = PERSONAL_OBJECTS.into_iter().find(|known| *known == kind);
            if known.is_none() {
                wrong(Field::Object, &format!("must be one of {}", PERSONAL_OBJECTS.join(", ")));
            }
            let id = text("id", Field::ObjectId)?;
            let is_id = id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if !is_id {
                wrong(Field::ObjectId, "must be an id");
            }
            Some(Order::PersonalData { kind: known?, id: id.to_owned() })
        }
        StaffAction::PsuUnblock => Some(Order::Psu(text("login", Field::Login)?.to_owned())),
        StaffAction::PhoneUnblock => {
            let phone = Phone::parse(text("phone", Field::PhoneNumber)?);
            errors.borrow_mut().collect(Field::PhoneNumber, phone).map(Order::Phone)
        }
        StaffAction::ApplicationDisable | StaffAction::ApplicationEnable => {
            id!(ApplicationId, "application", ApplicationId).map(Order::Application)
        }
        StaffAction::CallbackReplay => id!(CallbackId, "callback", CallbackId).map(Order::Callback),
        StaffAction::LoanWriteOff => id!(LoanId, "loan", LoanId).map(Order::Loan),
        StaffAction::RefundPayout => {
            let (loan, name) = (id!(LoanId, "loan", LoanId), text("name", Field::Name));
            let iban = text("iban", Field::Iban).map(Iban::parse);
            let iban = iban.and_then(|iban| errors.borrow_mut().collect(Field::Iban, iban));
            let bic = given.get("bic").map(Bic::parse);
            let agent = bic.and_then(|bic| errors.borrow_mut().collect(Field::CreditorAgent, bic));
            Some(Order::RefundPayout(loan?, PayeeAccount { iban: iban?, name: name?.to_owned(), agent }))
        }
        StaffAction::MerchantTerms => {
            let discount =
                given.get("discount_basis_points").map(|text| text.parse().map_err(|_| "must be a number"));
            let plans = given.get("plans").map(plans);
            let change = TermsChange {
                minimum: given.get("minimum").map(str::to_owned),
                maximum: given.get("maximum").map(str::to_owned),
                discount_basis_points: discount
                    .and_then(|discount| errors.borrow_mut().collect(Field::Discount, discount)),
                plans: plans.and_then(|plans| errors.borrow_mut().collect(Field::Plans, plans)),
            };
            Some(Order::MerchantTerms(text("code", Field::MerchantCode)?.to_owned(), change))
        }
        StaffAction::StaffCreate => {
            let (name, role) = (text("name", Field::Name), role());
            if let Some(name) = name {
                check_name(&mut errors.borrow_mut(), Field::Name, name);
            }
            let email = parse_email(text("email", Field::Email)?);
            let email = errors.borrow_mut().collect(Field::Email, email);
            Some(Order::NewStaff { email: email?, name: name?.to_owned(), role: role? })
        }
        StaffAction::StaffDisable | StaffAction::StaffEnable | StaffAction::StaffReset => {
            id!(StaffId, "staff", StaffId).map(Order::Staff)
        }
        StaffAction::StaffRoleChange => {
            let (id, role) = (id!(StaffId, "staff", StaffId), role());
            Some(Order::StaffRole(id?, role?))
        }
        _ => None,
    }
}

/// Plans as `3:0,6:990`: months and yearly rate in basis points. The first one is the default.
fn plans(text: &str) -> Result<Vec<PlanOffer>, &'static str> {
    let wrong = "must be months and yearly rates in basis points, for example 3:0,6:990";
    let each = text.split(',').enumerate().map(|(index, plan)| {
        let (months, rate) = plan.trim().split_once(':').ok_or(wrong)?;
        let installments = months.parse().map_err(|_| wrong)?;
        let yearly_rate_bp = rate.parse().map_err(|_| wrong)?;
        Ok(PlanOffer { plan: Plan { installments, yearly_rate_bp }, is_default: index == 0 })
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(action: StaffAction, values: &[(&str, &str)]) -> Result<StaffCommand, Refusal> {
        StaffCommand::parse(action, &ActionParameters::new(values.iter().copied()))
    }

    #[test]
    fn command_without_parameters_names_the_required_ones() {
        for action in StaffAction::ALL {
            let refusal = parse(*action, &[]).unwrap_err();
            match parameter_names(*action) {
                Some(_) => {
                    assert_eq!(refusal.reason, RefusalReason::Malformed, "{action:?}");
                    assert!(refusal.errors.iter().all(|error| error.text == "is required"), "{refusal:?}");
                }
                None => assert_eq!(refusal.reason, RefusalReason::Unsupported, "{action:?}"),
            }
        }
    }

    #[test]
    fn command_with_an_unknown_or_invalid_parameter_is_refused() {
        let id = "6f9619ff-8b86-d011-b42d-00cf4fc964ff";
        assert!(parse(StaffAction::LoanWriteOff, &[("loan", id)]).is_ok());
        assert!(parse(StaffAction::LoanWriteOff, &[("loan", id), ("force", "1")]).is_err());
        assert!(parse(StaffAction::LoanWriteOff, &[("loan", "1")]).is_err());
        assert!(parse(StaffAction::StaffRoleChange, &[("staff", id), ("role", "owner")]).is_err());
        assert!(parse(StaffAction::PersonalDataView, &[("object", "ledger"), ("id", id)]).is_err());
        assert!(parse(StaffAction::PersonalDataView, &[("object", "psu"), ("id", "a=b c")]).is_err());
        assert!(parse(StaffAction::MerchantTerms, &[("code", "SHOP"), ("plans", "3")]).is_err());
    }
}
