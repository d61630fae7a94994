//! `trapeza merchant add|list|set|payout|payouts`: merchants, their terms and payouts. Key and webhook secret are printed once; the database
//! stores a keyed hash of the key and the encrypted secret.

use super::describe_error;
use crate::cli::{MerchantAdd, MerchantAddresses, MerchantSet, Merchants};
use std::fmt::Write;
use trapeza_app::application::{AmountLimits, MerchantUrls, NewMerchant, Plan, PlanOffer};
use trapeza_app::merchant::{MerchantChange, MerchantView};
use trapeza_app::{App, format_timestamp};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payment::PayeeAccount;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_store::MerchantRecord;

pub async fn execute(app: &App, command: &Merchants) -> Result<String, String> {
    match command {
        Merchants::Add(arguments) => add(app, arguments).await,
        Merchants::List(_) => list(app).await,
        Merchants::Set(arguments) => set(app, arguments).await,
        Merchants::Payout(arguments) => payout(app, &arguments.code, arguments.amount.as_deref()).await,
        Merchants::Payouts(arguments) => payouts(app, &arguments.code, arguments.limit).await,
    }
}

async fn add(app: &App, arguments: &MerchantAdd) -> Result<String, String> {
    let currency = Currency::parse(&arguments.currency).map_err(|problem| format!("currency: {problem}"))?;
    let new_merchant = NewMerchant {
        name: arguments.name.clone(),
        code: arguments.code.clone(),
        number: arguments.number,
        limits: AmountLimits {
            minimum: amount("minimum", &arguments.minimum, currency)?,
            maximum: amount("maximum", &arguments.maximum, currency)?,
        },
        plans: plans(&arguments.plan)?,
        discount_basis_points: basis_points(&arguments.discount)
            .map_err(|problem| format!("discount: {problem}"))?,
        sandbox: app.is_sandbox(),
        urls: urls(&arguments.urls),
    };
    let (key, secret) = app.merchant_register(new_merchant).await.map_err(describe_error)?;
    Ok(format!(
        "X-Application-ID  {}\nkey               {}   (shown only once)\nwebhook secret    {}   (shown only once)\n",
        key.application,
        key.subscription_key.expose(),
        secret.expose()
    ))
}

fn amount(name: &str, text: &str, currency: Currency) -> Result<Money, String> {
    Money::parse(text, currency).map_err(|problem| format!("{name}: {problem}"))
}

async fn list(app: &App) -> Result<String, String> {
    let merchants = app.merchant_list().await.map_err(describe_error)?;
    let text = merchants.iter().map(describe).collect::<Vec<_>>().join("\n");
    Ok(if text.is_empty() { "no merchants\n".to_owned() } else { text })
}

async fn set(app: &App, arguments: &MerchantSet) -> Result<String, String> {
    let code = &arguments.code;
    let merchant = merchant(app, code).await?;
    let currency = merchant.limits.minimum.currency;
    let optional = |name: &str, text: &Option<String>| {
        text.as_deref().map(|text| amount(name, text, currency)).transpose()
    };
    let plans = plans(&arguments.plan)?;
    let discount = arguments.discount.as_deref().map(basis_points).transpose();
    let change = MerchantChange {
        name: arguments.name.clone(),
        minimum: optional("minimum", &arguments.minimum)?,
        maximum: optional("maximum", &arguments.maximum)?,
        plans: (!plans.is_empty()).then_some(plans),
        discount_basis_points: discount.map_err(|problem| format!("discount: {problem}"))?,
        urls: urls(&arguments.urls),
        settlement: settlement(arguments, &merchant.name)?,
    };
    Ok(describe(&app.merchant_update_terms(code, change).await.map_err(describe_error)?))
}

/// The settlement account of the arguments; an empty IBAN removes it.
fn settlement(arguments: &MerchantSet, merchant_name: &str) -> Result<Option<Option<PayeeAccount>>, String> {
    let Some(iban) = arguments.settlement_iban.as_deref() else { return Ok(None) };
    if iban.is_empty() {
        return Ok(Some(None));
    }
    let bic = arguments.settlement_bic.as_deref().map(Bic::parse).transpose();
    Ok(Some(Some(PayeeAccount {
        iban: Iban::parse(iban).map_err(|problem| format!("settlement-iban: {problem}"))?,
        name: arguments.settlement_name.as_deref().unwrap_or(merchant_name).to_owned(),
        agent: bic.map_err(|problem| format!("settlement-bic: {problem}"))?,
    })))
}

async fn payout(app: &App, code: &str, text: Option<&str>) -> Result<String, String> {
    let currency = merchant(app, code).await?.limits.minimum.currency;
    let amount = text.map(|text| amount("amount", text, currency)).transpose()?;
    let paid = app.merchant_payout(code, amount).await.map_err(describe_error)?;
    let (amount, left) = (paid.amount.to_decimal_string(), paid.left.to_decimal_string());
    let verb = if paid.is_internal { "paid" } else { "sent" };
    let (payee, payment) = (paid.payee.masked(), paid.payment);
    Ok(format!(
        "{verb}: {amount} {currency} to {payee}, payment {payment}; remaining balance: {left} {currency}\n"
    ))
}

async fn payouts(app: &App, code: &str, limit: u32) -> Result<String, String> {
    let payouts = app.merchant_payout_list(code, i64::from(limit)).await.map_err(describe_error)?;
    let mut text = String::new();
    for payout in &payouts {
        let (payment, terms) = (&payout.payment, &payout.payment.instruction);
        let _ = write!(
            text,
            "{}  {}  {} {} to {}: {}",
            format_timestamp(payment.created_at),
            payment.id,
            terms.amount.to_decimal_string(),
            terms.amount.currency,
            terms.creditor.masked(),
            payment.state.status().name()
        );
        if payout.returned.is_positive() {
            let _ = write!(text, ", {} returned", payout.returned.to_decimal_string());
        }
        text.push('\n');
    }
    Ok(if text.is_empty() { "no payouts\n".to_owned() } else { text })
}

async fn merchant(app: &App, code: &str) -> Result<MerchantRecord, String> {
    let merchants = app.merchant_list().await.map_err(describe_error)?;
    let found = merchants.into_iter().find(|one| one.merchant.code == code);
    Ok(found.ok_or("no merchant has this code")?.merchant)
}

fn describe(view: &MerchantView) -> String {
    let merchant = &view.merchant;
    let AmountLimits { minimum, maximum } = merchant.limits;
    let plans: Vec<String> = view.plans.iter().map(plan_text).collect();
    let mut text = format!(
        "{}  {}, number {}\nlimits            {} to {} {}\nplans             {}\ndiscount          {} %\nbalance           {} {}\n",
        merchant.code,
        merchant.name,
        merchant.number,
        minimum.to_decimal_string(),
        maximum.to_decimal_string(),
        minimum.currency,
        plans.join(", "),
        percent(merchant.discount_basis_points),
        view.payable.to_decimal_string(),
        view.payable.currency
    );
    if view.in_payouts.is_positive() {
        let sum = view.in_payouts.to_decimal_string();
        let _ = writeln!(text, "in payouts        {sum} {}", view.in_payouts.currency);
    }
    if let Some(account) = &view.settlement {
        let bic = account.agent.as_ref().map(|bic| format!(", {}", bic.as_str())).unwrap_or_default();
        let _ = writeln!(text, "settlement        {}, {}{bic}", account.iban.as_str(), account.name);
    }
    for application in &view.applications {
        let _ = writeln!(text, "X-Application-ID  {}", application.application.id);
        let urls = &application.urls;
        for (name, url) in [
            ("success callback", &urls.success_callback),
            ("fail callback", &urls.fail_callback),
            ("success redirect", &urls.success_redirect),
            ("failure redirect", &urls.failure_redirect),
        ] {
            if let Some(url) = url {
                let _ = writeln!(text, "{name:16}  {url}");
            }
        }
    }
    text
}

fn urls(urls: &MerchantAddresses) -> MerchantUrls {
    MerchantUrls {
        success_callback: urls.success_callback.clone(),
        fail_callback: urls.fail_callback.clone(),
        success_redirect: urls.success_redirect.clone(),
        failure_redirect: urls.failure_redirect.clone(),
    }
}

fn plans(texts: &[String]) -> Result<Vec<PlanOffer>, String> {
    let each = texts.iter().enumerate().map(|(index, text)| {
        let (months, rate) = text.split_once(':').unwrap_or((text, "0"));
        let installments =
            months.parse().map_err(|_| format!("plan: {months} must be a number of months"))?;
        let yearly_rate_bp = basis_points(rate).map_err(|problem| format!("plan: {problem}"))?;
        Ok(PlanOffer { plan: Plan { installments, yearly_rate_bp }, is_default: index == 0 })
    });
    each.collect()
}

fn plan_text(offer: &PlanOffer) -> String {
    let Plan { installments, yearly_rate_bp } = offer.plan;
    let default = if offer.is_default { " (default)" } else { "" };
    format!("{installments} at {} %{default}", percent(yearly_rate_bp))
}

/// Parses a percentage with at most two decimals into basis points.
fn basis_points(text: &str) -> Result<u32, String> {
    let wrong = || format!("{text} must be a percentage with at most two decimals");
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 2 {
        return Err(wrong());
    }
    let (whole, part): (u32, u32) =
        (whole.parse().map_err(|_| wrong())?, format!("{part:0<2}").parse().map_err(|_| wrong())?);
    whole.checked_mul(100).and_then(|whole| whole.checked_add(part)).ok_or_else(wrong)
}

fn percent(basis_points: u32) -> String {
    format!("{}.{:02}", basis_points / 100, basis_points % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basis_points_parses_percentages_with_two_decimals() {
        for (text, expected) in [("0", 0), ("2.5", 250), ("9.99", 999), ("12.05", 1205), ("100", 10_000)] {
            assert_eq!(basis_points(text), Ok(expected), "{text}");
            assert_eq!(basis_points(&percent(expected)), Ok(expected));
        }
        for odd in ["", ".5", "5.", "1.234", "-1", "1e2", "99999999999", "5 %"] {
            assert!(basis_points(odd).is_err(), "{odd}");
        }
    }
}
