//! The pages of the work lists: every role finds its lists on the first page and no other one.

use rstest::rstest;
use trapeza_app::work_list::WorkListKind;
use trapeza_domain::staff::StaffRole;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ConsoleUser, TestBank};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn role_sees_its_own_lists_only(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    for role in StaffRole::ALL {
        let mut person = ConsoleUser::enrol(&bank, *role, &format!("{}@bank.example", role.name())).await;
        let overview = person.browser.get("/console").await;
        for kind in WorkListKind::ALL {
            let path = format!("/console/work/{}", kind.name());
            let page = person.browser.get(&path).await;
            let is_own = kind.roles().contains(role);
            assert_eq!(overview.says(&format!("\"{path}\"")), is_own, "{role:?} {kind:?}");
            let expected = if is_own { (200, kind.title()) } else { (403, "Not permitted") };
            assert_eq!((page.status, page.title().as_str()), expected, "{role:?} {kind:?}: {page:?}");
        }
        assert_eq!(person.browser.get("/console/work/everything").await.status, 404);
    }
}
