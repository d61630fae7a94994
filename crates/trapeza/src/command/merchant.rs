//! `trapeza merchant add|list|set|payout`: how an operator lets a merchant in, changes its terms and books that it was paid. Key and webhook secret are
//! printed once; the bank keeps a keyed hash of the one and seals the other.

use super::named::{Named, named};
use super::{on_the_bank, told};
use crate::admin::{Answer, Command};
use crate::cli::{MerchantAddresses, Merchants};
use std::fmt::Write;
use trapeza_app::App;
use trapeza_app::application::{AmountLimits, MerchantOrder, MerchantUrls, Plan, PlanOffer};
use trapeza_app::merchant::{MerchantChange, MerchantView};
use trapeza_domain::money::{Currency, Money};

/// How its commands begin on the admin socket.
pub const PREFIX: &str = "merchant ";

pub fn run(merchants: &Merchants) -> (String, bool) {
    let (bank, name, arguments) = match merchants {
        Merchants::Add(add) => {
            let mut given = vec![
                named("name", &add.name),
                named("code", &add.code),
                named("number", &add.number.to_string()),
                named("currency", &add.currency),
                named("minimum", &add.minimum),
                named("maximum", &add.maximum),
                named("discount", &add.discount),
            ];
            given.extend(add.plan.iter().map(|plan| named("plan", plan)));
            given.extend(addresses(&add.urls));
            (&add.bank, "add", given)
        }
        Merchants::List(bank) => (bank, "list", Vec::new()),
        Merchants::Set(set) => {
            let mut given = vec![named("code", &set.code)];
            let changes = [
                ("name", &set.name),
                ("minimum", &set.minimum),
                ("maximum", &set.maximum),
                ("discount", &set.discount),
            ];
            given.extend(changes.iter().filter_map(|(name, value)| Some(named(name, value.as_ref()?))));
            given.extend(set.plan.iter().map(|plan| named("plan", plan)));
            given.extend(addresses(&set.urls));
            (&set.bank, "set", given)
        }
        Merchants::Payout(payout) => {
            let mut given = vec![named("code", &payout.code)];
            given.extend(payout.amount.iter().map(|amount| named("amount", amount)));
            (&payout.bank, "payout", given)
        }
    };
    let command = Command { command: format!("{PREFIX}{name}"), arguments: arguments.clone() };
    on_the_bank(bank, command, |app| report(app, name, &arguments))
}

fn addresses(urls: &MerchantAddresses) -> Vec<String> {
    let given = [
        ("success-callback", &urls.success_callback),
        ("fail-callback", &urls.fail_callback),
        ("success-redirect", &urls.success_redirect),
        ("failure-redirect", &urls.failure_redirect),
    ];
    given.iter().filter_map(|(name, url)| Some(named(name, url.as_ref()?))).collect()
}

/// Does it. Blocks until it is done.
pub fn report(app: &App, name: &str, arguments: &[String]) -> Answer {
    let given = Named(arguments);
    let done = super::runtime().and_then(|runtime| {
        runtime.block_on(async {
            match name {
                "add" => add(app, &given).await,
                "list" => list(app).await,
                "set" => set(app, &given).await,
                "payout" => payout(app, &given).await,
                _ => Err(format!("a bank does not know the command {PREFIX}{name}")),
            }
        })
    });
    match done {
        Ok(text) => Answer { text, exit: 0 },
        Err(problem) => Answer { text: format!("{problem}\n"), exit: 1 },
    }
}

async fn add(app: &App, given: &Named<'_>) -> Result<String, String> {
    let currency = given.read("currency", Currency::parse)?.ok_or("currency is missing")?;
    let amount = |name| given.read(name, |text| Money::parse(text, currency));
    let order = MerchantOrder {
        name: given.need("name")?.to_owned(),
        code: given.need("code")?.to_owned(),
        number: given.read("number", str::parse)?.ok_or("number is missing")?,
        limits: AmountLimits {
            minimum: amount("minimum")?.ok_or("minimum is missing")?,
            maximum: amount("maximum")?.ok_or("maximum is missing")?,
        },
        plans: plans(given)?,
        discount_basis_points: given.read("discount", basis_points)?.unwrap_or(0),
        sandbox: false,
        urls: urls(given),
    };
    let (key, secret) = app.merchant_register(order).await.map_err(told)?;
    Ok(format!(
        "X-Application-ID  {}\nkey               {}   (shown this once)\nwebhook secret    {}   (shown this once)\n",
        key.application,
        key.subscription_key.expose(),
        secret.expose()
    ))
}

async fn list(app: &App) -> Result<String, String> {
    let merchants = app.merchant_list().await.map_err(told)?;
    let text = merchants.iter().map(described).collect::<Vec<_>>().join("\n");
    Ok(if text.is_empty() { "there are no merchants yet\n".to_owned() } else { text })
}

async fn set(app: &App, given: &Named<'_>) -> Result<String, String> {
    let code = given.need("code")?;
    let currency = currency(app, code).await?;
    let plans = plans(given)?;
    let change = MerchantChange {
        name: given.get("name").map(str::to_owned),
        minimum: given.read("minimum", |text| Money::parse(text, currency))?,
        maximum: given.read("maximum", |text| Money::parse(text, currency))?,
        plans: (!plans.is_empty()).then_some(plans),
        discount_basis_points: given.read("discount", basis_points)?,
        urls: urls(given),
    };
    Ok(described(&app.merchant_update_terms(code, change).await.map_err(told)?))
}

async fn payout(app: &App, given: &Named<'_>) -> Result<String, String> {
    let code = given.need("code")?;
    let currency = currency(app, code).await?;
    let amount = given.read("amount", |text| Money::parse(text, currency))?;
    let paid = app.merchant_payout(code, amount).await.map_err(told)?;
    let (amount, left) = (paid.amount.to_decimal_string(), paid.left.to_decimal_string());
    Ok(format!("paid out: {amount} {currency}; {left} {currency} are still owed\n"))
}

/// What a merchant's amounts are in.
async fn currency(app: &App, code: &str) -> Result<Currency, String> {
    let known = app.merchant_list().await.map_err(told)?;
    let known = known.iter().find(|one| one.merchant.code == code).ok_or("there is no such merchant")?;
    Ok(known.merchant.limits.minimum.currency)
}

fn described(view: &MerchantView) -> String {
    let merchant = &view.merchant;
    let AmountLimits { minimum, maximum } = merchant.limits;
    let plans: Vec<String> = view.plans.iter().map(plan_text).collect();
    let mut text = format!(
        "{}  {}, number {}\nlimits            {} to {} {}\nplans             {}\ndiscount          {} %\nowed              {} {}\n",
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

fn urls(given: &Named<'_>) -> MerchantUrls {
    let url = |name| given.get(name).map(str::to_owned);
    MerchantUrls {
        success_callback: url("success-callback"),
        fail_callback: url("fail-callback"),
        success_redirect: url("success-redirect"),
        failure_redirect: url("failure-redirect"),
    }
}

fn plans(given: &Named<'_>) -> Result<Vec<PlanOffer>, String> {
    let each = given.all("plan").into_iter().enumerate().map(|(bank, text)| {
        let (months, rate) = text.split_once(':').unwrap_or((text, "0"));
        let installments = months.parse().map_err(|_| format!("plan: {months} is not a number of months"))?;
        let yearly_rate_bp = basis_points(rate).map_err(|problem| format!("plan: {problem}"))?;
        Ok(PlanOffer { plan: Plan { installments, yearly_rate_bp }, is_default: bank == 0 })
    });
    each.collect()
}

fn plan_text(offer: &PlanOffer) -> String {
    let Plan { installments, yearly_rate_bp } = offer.plan;
    let default = if offer.is_default { " (default)" } else { "" };
    format!("{installments} at {} %{default}", percent(yearly_rate_bp))
}

/// Percent with at most two decimals, in hundredths of a percent.
fn basis_points(text: &str) -> Result<u32, String> {
    let wrong = || format!("{text} is not a percentage with at most two decimals");
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
    fn percentages_are_read_to_the_hundredth() {
        for (text, expected) in [("0", 0), ("2.5", 250), ("9.99", 999), ("12.05", 1205), ("100", 10_000)] {
            assert_eq!(basis_points(text), Ok(expected), "{text}");
            assert_eq!(basis_points(&percent(expected)), Ok(expected));
        }
        for odd in ["", ".5", "5.", "1.234", "-1", "1e2", "99999999999", "5 %"] {
            assert!(basis_points(odd).is_err(), "{odd}");
        }
    }
}
