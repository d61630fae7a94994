//! What the configuration says about the bank.

use crate::config::Config;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use trapeza_app::bank_profile::{BankContact, BankProfile, Brand, LegalDetails, Logo, MAX_LOGO_BYTES};

/// What the configuration says about the bank, with the logo from its file. Errors name the setting.
pub fn bank_profile(config: &Config) -> Result<BankProfile, String> {
    let bank = config.bank.clone();
    let picture = bank.logo.as_deref().map(logo).transpose()?;
    Ok(BankProfile {
        name: bank.name.into(),
        contact: BankContact {
            telephone: bank.contact_telephone,
            email: bank.contact_email,
            website: bank.contact_website,
            postal_address: bank.contact_address,
        },
        legal: LegalDetails {
            name: bank.legal_name,
            registration: bank.registration,
            supervisory_authority: bank.supervisory_authority,
            applicable_law: bank.applicable_law,
            dispute_body: bank.dispute_body,
        },
        languages: bank.languages,
        country: bank.country,
        debt_advice: bank.debt_advice,
        brand: Brand { logo: picture, colour_light: bank.colour_light, colour_dark: bank.colour_dark },
    })
}

fn logo(file: &Path) -> Result<Logo, String> {
    let unusable = |text: String| format!("bank.logo: {} {text}", file.display());
    // One byte more than is allowed shows that the file is too long.
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|open| open.take(MAX_LOGO_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| unusable(format!("cannot be read ({error})")))?;
    Logo::parse(bytes).map_err(|text| unusable(text.to_owned()))
}
