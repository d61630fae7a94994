//! Baskets are read back as they were inserted, on both engines.

use rstest::rstest;
use trapeza_domain::application::{Application, ApplicationOwner, MerchantUrls};
use trapeza_domain::basket::{
    AmountLimits, Basket, BasketId, BasketOrder, BasketState, Product, PublicBasketId,
};
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::id::{ApplicationId, MerchantId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{ApplicationRecord, MerchantRecord, Store};
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

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

/// A product with every field.
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
        url: Some("https://merchant.example/b-204".into()),
        image_url: Some("https://merchant.example/日本.png".into()),
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
            email: Some(Email::parse("maria@merchant.example").unwrap()),
            success_callback: Some("https://shop.example/paid".to_owned()),
            fail_callback: None,
            success_redirect: Some("https://merchant.example/thanks".into()),
            failure_redirect: None,
        },
        state: BasketState::Created,
        created_at: at,
        expires_at: Timestamp(at.0 + 1),
        last_action: at,
    }
}

/// A merchant with one application.
async fn insert_merchant(store: &Store) {
    let record = MerchantRecord {
        id: merchant(),
        number: 1,
        code: "M-1".into(),
        name: "A merchant".into(),
        limits: AmountLimits { minimum: euros(1), maximum: euros(1_000_000) },
        basket_ttl: TimeDelta::minutes(30),
        discount_basis_points: 0,
    };
    let client = ApplicationRecord {
        application: Application {
            id: application(),
            owner: ApplicationOwner::Merchant { id: merchant(), currency: Currency::EUR },
            name: "checkout".into(),
            sandbox: true,
        },
        created_at: Timestamp(0),
        urls: MerchantUrls::default(),
        disabled_at: None,
    };
    let inserted = store.write(move |tx| {
        tx.merchant_insert(&record, &[])?;
        Ok(tx.application_insert(&client)?)
    });
    inserted.await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn inserted_basket_is_found_with_all_its_products(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    insert_merchant(&store).await;
    let baskets = [
        basket(11, vec![rich(), line("Delivery", 1490)]),
        basket(12, Vec::new()),
        basket(13, (0..12).map(|number| line(&format!("product {number}"), number)).collect()),
    ];
    for basket in baskets {
        let (id, expected) = (basket.id, basket.clone());
        let inserted = store.write(move |tx| Ok(tx.basket_insert(&basket)?)).await;
        assert_eq!(inserted, Ok(true));
        let found = store.read(move |tx| Ok(tx.basket_find(merchant(), id)?)).await.unwrap();
        assert_eq!(found, Some(expected));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sweep_keeps_the_products(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    insert_merchant(&store).await;
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
