//! `trapeza merchant add|list|set|payout`: merchants and their terms. Key and webhook secret are printed once; the database
//! stores a keyed hash of the key and the encrypted secret.

use super::describe_error;
use crate::cli::{MerchantAdd, MerchantAddresses, MerchantSet, Merchants};
use std::fmt::Write;
use trapeza_app::App;
use trapeza_app::application::{AmountLimits, MerchantOrder, MerchantUrls, Plan, PlanOffer};
use trapeza_app::merchant::{MerchantChange, MerchantView};
use trapeza_domain::money::{Currency, Money};

pub async fn execute(app: &App, command: &Merchants) -> Result<String, String> {
    match command {
        Merchants::Add(arguments) => add(app, arguments).await,
        Merchants::List(_) => list(app).await,
        Merchants::Set(arguments) => set(app, arguments).await,
        Merchants::Payout(payout) => book_payout(app, &payout.code, payout.amount.as_deref()).await,
    }
}

async fn add(app: &App, arguments: &MerchantAdd) -> Result<String, String> {
    let currency = Currency::parse(&arguments.currency).map_err(|problem| format!("currency: {problem}"))?;
    let order = MerchantOrder {
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
    let (key, secret) = app.merchant_register(order).await.map_err(describe_error)?;
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
    let currency = currency(app, code).await?;
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
    };
    Ok(describe(&app.merchant_update_terms(code, change).await.map_err(describe_error)?))
}

async fn book_payout(app: &App, code: &str, text: Option<&str>) -> Result<String, String> {
    let currency = currency(app, code).await?;
    let amount = text.map(|text| amount("amount", text, currency)).transpose()?;
    let paid = app.merchant_payout(code, amount).await.map_err(describe_error)?;
    let (amount, left) = (paid.amount.to_decimal_string(), paid.left.to_decimal_string());
    Ok(format!("paid out: {amount} {currency}; remaining balance: {left} {currency}\n"))
}

/// The currency of a merchant's amounts.
async fn currency(app: &App, code: &str) -> Result<Currency, String> {
    let merchants = app.merchant_list().await.map_err(describe_error)?;
    let merchant =
        merchants.iter().find(|one| one.merchant.code == code).ok_or("no merchant has this code")?;
    Ok(merchant.merchant.limits.minimum.currency)
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
        view.owed.to_decimal_string(),
        view.owed.currency
    );
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
