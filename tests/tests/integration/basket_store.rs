//! Baskets as rows, the same on both engines: what was kept before their lines moved into their own row is read as it was.

use rstest::rstest;
use trapeza_domain::basket::{Basket, BasketId, BasketOrder, BasketState, Product, PublicBasketId};
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::id::{ApplicationId, MerchantId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Timestamp;
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

/// The last step before the lines moved.
const BEFORE: &str = "0017_refund";

fn merchant() -> MerchantId {
    MerchantId::new(Uuid::from_u128(1))
}

fn application() -> ApplicationId {
    ApplicationId::new(Uuid::from_u128(2))
}

fn euros(minor: i64) -> Money {
    Money::new(minor, Currency::EUR)
}

fn line(name: &str, minor: i64) -> Product {
    Product {
        number: None,
        name: name.into(),
        quantity: "1".into(),
        quantity_units: None,
        unit_price: euros(minor),
        tax_rate: None,
        total: euros(minor),
        discount: None,
        tax: None,
        url: None,
        image_url: None,
    }
}

/// Every field, and texts that look like the form they are kept in.
fn rich() -> Product {
    Product {
        number: Some("B-204".into()),
        name: "Ιστορία 3:x;~'".into(),
        quantity: "3.0".into(),
        quantity_units: Some("pieces".into()),
        unit_price: euros(3680),
        tax_rate: Some("6.0".into()),
        total: euros(10_540),
        discount: Some(euros(500)),
        tax: Some(euros(-597)),
        url: Some("https://merchant_fixture.example/b-204".into()),
        image_url: Some("https://merchant_fixture.example/日本.png".into()),
    }
}

fn basket(number: i64, products: Vec<Product>) -> Basket {
    let at = Timestamp(1_700_000_000_000_000);
    Basket {
        id: BasketId::new(number),
        public: PublicBasketId::new([number.to_le_bytes()[0]; 16]),
        application: application(),
        merchant: merchant(),
        request: "6F9619FF-8B86-4011-B42D-00CF4FC964FF".into(),
        order: BasketOrder {
            value: euros(12_030),
            order_identifier: "order-1138".into(),
            products,
            merchant_data: Some("till 4".into()),
            phone: Some(Phone::parse("+306900000001").unwrap()),
            email: Some(Email::parse("maria@merchant_fixture.example").unwrap()),
        },
        state: BasketState::Created,
        created_at: at,
        expires_at: Timestamp(at.0 + 1),
        last_action: at,
    }
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn opt_text(given: Option<&str>) -> String {
    given.map_or("NULL".into(), text)
}

fn opt_amount(given: Option<Money>) -> String {
    given.map_or("NULL".into(), |amount| amount.minor.to_string())
}

/// Writes a basket as programs did that knew no step behind [`BEFORE`]. The lines are written from the last to the first:
/// their order is in their places.
fn write_before(database: &Database, basket: &Basket) {
    let (id, order) = (basket.id.number(), &basket.order);
    let bytes = |bytes: &[u8]| database.literal(bytes);
    database.tamper(&format!(
        "INSERT INTO basket (number, public, merchant, application, request, status, created_at, expires_at,
            last_action, due_at, currency, value_minor, order_identifier, merchant_data, phone, email, product_count)
         VALUES ({id}, {}, {}, {}, {}, 'created', {}, {}, {}, {}, 'EUR', {}, {}, {}, {}, {}, {})",
        bytes(basket.public.as_bytes()),
        bytes(basket.merchant.as_bytes()),
        bytes(basket.application.as_bytes()),
        text(&basket.request),
        basket.created_at.0,
        basket.expires_at.0,
        basket.last_action.0,
        basket.expires_at.0,
        order.value.minor,
        text(&order.order_identifier),
        opt_text(order.merchant_data.as_deref()),
        opt_text(order.phone.as_ref().map(Phone::as_str)),
        opt_text(order.email.as_ref().map(Email::as_str)),
        order.products.len()
    ));
    for (place, product) in order.products.iter().enumerate().rev() {
        database.tamper(&format!(
            "INSERT INTO basket_product VALUES ({id}, {place}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {})",
            opt_text(product.number.as_deref()),
            text(&product.name),
            text(&product.quantity),
            opt_text(product.quantity_units.as_deref()),
            product.unit_price.minor,
            opt_text(product.tax_rate.as_deref()),
            product.total.minor,
            opt_amount(product.discount),
            opt_amount(product.tax),
            opt_text(product.url.as_deref()),
            opt_text(product.image_url.as_deref())
        ));
    }
}

fn write_merchant(database: &Database) {
    let (merchant, application) = (merchant(), application());
    let (merchant, application) =
        (database.literal(merchant.as_bytes()), database.literal(application.as_bytes()));
    database.tamper(&format!(
        "INSERT INTO merchant (id, number, code, name, currency, minimum_minor, maximum_minor)
         VALUES ({merchant}, 1, 'M-1', 'A merchant_fixture', 'EUR', 1, 1000000);
         INSERT INTO application (id, merchant, name, sandbox, created_at)
         VALUES ({application}, {merchant}, 'till', 1, 0)"
    ));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_basket_from_before_its_lines_moved_is_read_as_it_was(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let baskets = [
        basket(11, vec![rich(), line("Delivery", 1490)]),
        basket(12, Vec::new()),
        basket(13, (0..12).map(|place| line(&format!("line {place}"), place)).collect()),
    ];
    database.grow_to(BEFORE);
    write_merchant(&database);
    baskets.iter().for_each(|basket| write_before(&database, basket));
    let store = database.open();
    for basket in baskets {
        let (id, expected) = (basket.id, basket.clone());
        let found = store.read(move |tx| Ok(tx.basket_find(merchant(), id)?)).await.unwrap();
        assert_eq!(found, Some(expected));
        // And it is kept as a new one is.
        let copy = Basket {
            id: BasketId::new(id.number() + 100),
            public: PublicBasketId::new([200 + id.number().to_le_bytes()[0]; 16]),
            ..basket
        };
        store
            .write(move |tx| {
                assert!(tx.basket_insert(&copy)?);
                Ok(())
            })
            .await
            .unwrap();
        let lines = |number: i64| {
            store.read(move |tx| {
                let sql = "SELECT lines FROM basket WHERE number = $1";
                Ok(tx.query_one(sql, &[number.into()], |row| row.opt_text(0))?)
            })
        };
        assert_eq!(lines(id.number()).await.unwrap(), lines(id.number() + 100).await.unwrap());
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_leaves_the_lines_alone(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    write_merchant(&database);
    let made = basket(21, vec![rich()]);
    let (kept, due) = (made.clone(), made.expires_at);
    let swept = store.write(move |tx| {
        assert!(tx.basket_insert(&kept)?);
        let overdue = tx.basket_expired(due)?;
        for basket in overdue.clone() {
            tx.basket_update(&basket.expire_if_due(due).0)?;
        }
        Ok(overdue.len())
    });
    assert_eq!(swept.await.unwrap(), 1);
    let found = store.read(move |tx| Ok(tx.basket_find(merchant(), BasketId::new(21))?)).await.unwrap();
    assert_eq!(found, Some(made.expire_if_due(due).0));
}
