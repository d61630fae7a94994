//! The clients for Python and TypeScript and the Postman collection, generated from `docs/openapi.json`.
//!
//! Only what depends on operations is generated; transport, errors and the verification of webhooks are written by hand beside it.

mod model;
mod postman;
mod python;
mod tools;
mod typescript;

use crate::process::Outcome;
use model::Api;

pub use tools::install;

/// The generated files and their content.
pub fn files(document: &str) -> Outcome<Vec<(&'static str, String)>> {
    let api = Api::parse(document)?;
    Ok(vec![
        ("clients/python/src/trapeza/models.py", python::models(&api)),
        ("clients/python/src/trapeza/operations.py", python::operations(&api)),
        ("clients/typescript/src/models.d.ts", typescript::models(&api)),
        ("clients/typescript/src/operations.js", typescript::operations(&api)),
        ("clients/typescript/src/operations.d.ts", typescript::declarations(&api)),
        ("clients/postman/trapeza.postman_collection.json", postman::collection(&api)),
        ("clients/postman/sandbox.postman_environment.json", postman::environment()),
    ])
}
