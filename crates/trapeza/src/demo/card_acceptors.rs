//! Made-up shops where the demo bank's cards are used.

use trapeza_domain::card::AcceptorAddress;
use trapeza_domain::money::Currency;

/// A shop with the price range of one purchase, in minor units of its currency.
pub struct Shop {
    pub name: &'static str,
    pub merchant_category_code: &'static str,
    pub acceptor_id: &'static str,
    street: &'static str,
    building_number: &'static str,
    pub city: &'static str,
    postal_code: &'static str,
    country: &'static str,
    pub currency: Currency,
    pub lowest: i64,
    pub highest: i64,
    pub online: bool,
}

impl Shop {
    pub fn address(&self) -> AcceptorAddress {
        AcceptorAddress {
            street: Some(self.street.to_owned()),
            building_number: Some(self.building_number.to_owned()),
            city: Some(self.city.to_owned()),
            postal_code: Some(self.postal_code.to_owned()),
            country: self.country.to_owned(),
        }
    }
}

macro_rules! shops {
    ($($name:literal, $mcc:literal, $id:literal, $street:literal $number:literal, $postal:literal $city:literal
        $country:literal, $currency:ident $lowest:literal - $highest:literal, online $online:literal;)*) => {
        &[$(Shop {
            name: $name,
            merchant_category_code: $mcc,
            acceptor_id: $id,
            street: $street,
            building_number: $number,
            city: $city,
            postal_code: $postal,
            country: $country,
            currency: Currency::$currency,
            lowest: $lowest,
            highest: $highest,
            online: $online,
        }),*]
    };
}

/// Shops in the cards' own currency.
pub const HOME: &[Shop] = shops![
    "Demeter Market", "5411", "GRDEM0001", "Ermou" "112", "10554" "Athens" "GR", EUR 640 - 9_800, online false;
    "Kafeneio Plaka", "5814", "GRKAF0007", "Adrianou" "35", "10555" "Athens" "GR", EUR 250 - 1_450, online false;
    "Argo Fuel", "5541", "GRARG0042", "Leoforos Syngrou" "201", "17121" "Athens" "GR", EUR 2_500 - 7_400, online false;
    "Pharmacy Asklepios", "5912", "GRASK0003", "Solonos" "58", "10672" "Athens" "GR", EUR 480 - 4_200, online false;
    "Librairie des Quais", "5942", "FRLIB0011", "Quai Voltaire" "9", "75007" "Paris" "FR", EUR 900 - 5_600, online false;
    "Boulangerie Lefort", "5462", "FRBOU0002", "Rue des Martyrs" "22", "75009" "Paris" "FR", EUR 210 - 1_600, online false;
    "Bahnladen Mitte", "5499", "DEBAH0019", "Georgenstrasse" "14", "10117" "Berlin" "DE", EUR 350 - 2_900, online false;
    "Ilios Streaming", "4899", "GRILI0100", "Kifisias" "90", "11526" "Athens" "GR", EUR 999 - 1_499, online true;
    "Nautilus Electronics", "5732", "GRNAU0005", "Patission" "76", "10434" "Athens" "GR", EUR 1_900 - 42_000, online true;
    "Cyclades Ferries", "4411", "GRCYC0021", "Akti Miaouli" "1", "18535" "Piraeus" "GR", EUR 3_800 - 18_500, online true;
];

/// Shops whose prices are converted.
pub const ABROAD: &[Shop] = shops![
    "Harbor Books", "5942", "USHAR0008", "Commercial Street" "410", "04101" "Portland" "US", USD 1_200 - 8_900, online true;
    "Cloud Office", "5734", "USCLD0077", "Market Street" "900", "94103" "San Francisco" "US", USD 900 - 12_000, online true;
    "Camden Records", "5735", "GBCAM0004", "Camden High Street" "71", "NW1 7JL" "London" "GB", GBP 800 - 6_400, online false;
    "Hotel Limmatblick", "7011", "CHLIM0002", "Limmatquai" "40", "8001" "Zurich" "CH", CHF 12_000 - 38_000, online false;
    "Kyoto Tea House", "5499", "JPKYO0006", "Gionmachi" "570", "605-0074" "Kyoto" "JP", JPY 1_800 - 14_000, online true;
];
