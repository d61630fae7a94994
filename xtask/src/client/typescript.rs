//! The generated part of the TypeScript client: `models.d.ts` with the bodies, `operations.js` with a method per operation and
//! `operations.d.ts` with their types.
//!
//! Code and declarations are separate files, so that the package needs no build and runs from a checkout.

use super::model::{Api, Caller, Operation, Parameter, camel, reference, text};
use serde_json::Value;
use std::fmt::Write;

const NOTE: &str = "// Generated from docs/openapi.json by `cargo xtask gen`; do not edit.\n";

pub fn models(api: &Api) -> String {
    let mut out = NOTE.to_owned();
    for (name, schema) in &api.schemas {
        let _ = write!(out, "\n{}", comment(&text(&schema["description"]), ""));
        let _ = match schema["properties"].is_object() {
            true => writeln!(out, "export interface {name} {}", object(api, name, schema, "")),
            false => writeln!(out, "export type {name} = {};", kind(api, name, schema, "")),
        };
    }
    out
}

fn object(api: &Api, name: &str, schema: &Value, indent: &str) -> String {
    let deeper = format!("{indent}  ");
    let mut out = "{\n".to_owned();
    for (field, of) in schema["properties"].as_object().into_iter().flatten() {
        out.push_str(&comment(&text(&of["description"]), &deeper));
        let optional = if api.is_required(name, schema, field) { "" } else { "?" };
        let _ = writeln!(out, "{deeper}{}{optional}: {};", key(field), kind(api, "", of, &deeper));
    }
    let _ = write!(out, "{indent}}}");
    out
}

/// The type of a schema; `name` is that of a component.
fn kind(api: &Api, name: &str, schema: &Value, indent: &str) -> String {
    if let Some(reference) = reference(schema) {
        return reference.to_owned();
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let choices: Vec<String> = choices.iter().map(|choice| kind(api, name, choice, indent)).collect();
        return choices.join(" | ");
    }
    if schema["properties"].is_object() {
        return object(api, name, schema, indent);
    }
    if schema["additionalProperties"].is_object() {
        return format!("Record<string, {}>", kind(api, "", &schema["additionalProperties"], indent));
    }
    if schema["items"].is_object() {
        return format!("Array<{}>", kind(api, "", &schema["items"], indent));
    }
    scalar(schema)
}

fn scalar(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let of = |kind: &str| match kind {
        "string" => "string",
        "integer" | "number" => "number",
        "boolean" => "boolean",
        "array" => "unknown[]",
        "object" => "Record<string, unknown>",
        "null" => "null",
        _ => "unknown",
    };
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).map(of).collect::<Vec<_>>().join(" | "),
        kind => of(kind.as_str().unwrap_or_default()).to_owned(),
    }
}

pub fn operations(api: &Api) -> String {
    let mut out = format!("{NOTE}\nimport {{ Client }} from \"./transport.js\";\n");
    for caller in Caller::ALL {
        let _ = write!(out, "\nexport class {}Operations extends Client {{", class(caller));
        for operation in api.of(caller) {
            let _ = write!(
                out,
                "\n  {}({}) {{\n    return this.send({});\n  }}\n",
                operation.id,
                names(operation),
                request(operation)
            );
        }
        out.push_str("}\n");
    }
    out
}

pub fn declarations(api: &Api) -> String {
    let mut out = format!(
        "{NOTE}\nimport {{ Client }} from \"./transport.js\";\nimport type * as models from \"./models.js\";\n"
    );
    for caller in Caller::ALL {
        let _ = write!(
            out,
            "\n{}export declare class {}Operations extends Client {{",
            comment(caller.about(), ""),
            class(caller)
        );
        for operation in api.of(caller) {
            let about = format!("{}: `{} {}`.", operation.summary, operation.method, operation.path);
            let _ = write!(
                out,
                "\n{}  {}({}): Promise<{}>;\n",
                comment(&about, "  "),
                operation.id,
                arguments(operation),
                answer(operation)
            );
        }
        out.push_str("}\n");
    }
    out
}

fn class(caller: Caller) -> &'static str {
    caller.class().trim_end_matches("Client")
}

/// The parameters of the method: path, body, options.
fn names(operation: &Operation) -> String {
    let mut names: Vec<String> = path_names(operation).collect();
    names.extend(operation.body.as_ref().map(|_| "body".to_owned()));
    names.extend(has_options(operation).then(|| "options = {}".to_owned()));
    names.join(", ")
}

fn arguments(operation: &Operation) -> String {
    let free = operation.path_parameters.iter().filter(|one| fixed(one).is_none());
    let mut arguments: Vec<String> =
        free.map(|one| format!("{}: {}", camel(&one.name), scalar(&one.schema))).collect();
    let options: Vec<&Parameter> = operation.headers.iter().chain(&operation.query).collect();
    let needs_options = options.iter().any(|one| one.required);
    if let Some(body) = &operation.body {
        // A parameter before a required one cannot be left out.
        let kind = model_kind(&body.schema);
        arguments.push(match (body.required, needs_options) {
            (true, _) => format!("body: {kind}"),
            (false, false) => format!("body?: {kind}"),
            (false, true) => format!("body: {kind} | undefined"),
        });
    }
    if has_options(operation) {
        let mut fields: Vec<String> = options
            .iter()
            .map(|one| {
                let optional = if one.required { "" } else { "?" };
                format!("{}{optional}: {}", camel(&one.name), scalar(&one.schema))
            })
            .collect();
        fields.extend(operation.has_request_id.then(|| "requestId?: string".to_owned()));
        let optional = if needs_options { "" } else { "?" };
        arguments.push(format!("options{optional}: {{ {} }}", fields.join("; ")));
    }
    arguments.join(", ")
}

fn has_options(operation: &Operation) -> bool {
    operation.has_request_id || !operation.headers.is_empty() || !operation.query.is_empty()
}

fn path_names(operation: &Operation) -> impl Iterator<Item = String> {
    operation.path_parameters.iter().filter(|one| fixed(one).is_none()).map(|one| camel(&one.name))
}

fn answer(operation: &Operation) -> String {
    match (&operation.response, operation.is_text) {
        (None, _) => "void".to_owned(),
        (Some(_), true) => "string".to_owned(),
        (Some(schema), false) => model_kind(schema),
    }
}

fn model_kind(schema: &Value) -> String {
    reference(schema).map_or_else(|| "Record<string, unknown>".to_owned(), |name| format!("models.{name}"))
}

/// The argument of `Client.send`.
fn request(operation: &Operation) -> String {
    let mut path = operation.path.clone();
    for parameter in &operation.path_parameters {
        let value = fixed(parameter)
            .unwrap_or_else(|| format!("${{encodeURIComponent({})}}", camel(&parameter.name)));
        path = path.replace(&format!("{{{}}}", parameter.name), &value);
    }
    let quote = if path.contains("${") { '`' } else { '"' };
    let mut out = format!("{{\n      method: \"{}\",\n      path: {quote}{path}{quote},\n", operation.method);
    for (name, parameters) in [("headers", &operation.headers), ("query", &operation.query)] {
        if parameters.is_empty() {
            continue;
        }
        let fields: Vec<String> = parameters
            .iter()
            .map(|one| format!("{}: options.{}", key(&one.name), camel(&one.name)))
            .collect();
        let _ = writeln!(out, "      {name}: {{ {} }},", fields.join(", "));
    }
    if let Some(body) = &operation.body {
        out.push_str("      body,\n");
        out.push_str(if body.has_key { "      hasKey: true,\n" } else { "" });
    }
    if operation.has_request_id {
        out.push_str("      requestId: options.requestId,\n      hasRequestId: true,\n");
    }
    out.push_str(if operation.is_text { "      isText: true,\n" } else { "" });
    let _ = write!(out, "      repeatable: {},\n    }}", operation.is_repeatable());
    out
}

/// The value of a parameter that has only one.
fn fixed(parameter: &Parameter) -> Option<String> {
    match parameter.schema["enum"].as_array().map(Vec::as_slice) {
        Some([only]) => only.as_str().map(str::to_owned),
        _ => None,
    }
}

/// The key of a property, quoted unless it is an identifier.
fn key(name: &str) -> String {
    let is_identifier = name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
    if is_identifier { name.to_owned() } else { format!("{name:?}") }
}

fn comment(text: &str, indent: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{indent}/** {} */\n", text.replace("*/", "* /")) }
}
