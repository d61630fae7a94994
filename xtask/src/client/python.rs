//! The generated part of the Python client: `models.py` with the bodies and `operations.py` with a method per operation.
//!
//! Bodies are `TypedDict`s with the names of the reference, so that a request looks like its documentation. Required and optional
//! fields are two classes, because `NotRequired` is newer than the oldest supported Python.

use super::model::{Api, Caller, Operation, Parameter, pascal, reference, snake, text};
use serde_json::Value;
use std::fmt::Write;

const NOTE: &str = "# Generated from docs/openapi.json by `cargo xtask gen`; do not edit.\n";

pub fn models(api: &Api) -> String {
    let mut out = format!(
        "\"\"\"The bodies of requests and responses.\"\"\"\n\n{NOTE}\nfrom __future__ import annotations\n\n\
         from decimal import Decimal\nfrom typing import Any, Dict, List, Literal, Optional, TypedDict, Union\n\n\
         #: An amount or rate. Responses have int or Decimal.\nNumber = Union[int, Decimal]\n\
         #: An amount in a request.\nNumberInput = Union[int, float, Decimal]\n"
    );
    let mut models = Models { api, out: &mut out, is_request: false };
    // An alias is evaluated when the module is loaded, so the classes that it names come first.
    let (classes, aliases): (Vec<_>, Vec<_>) =
        api.schemas.iter().partition(|(_, schema)| schema["properties"].is_object());
    for (name, schema) in classes.into_iter().chain(aliases) {
        models.is_request = api.request_schemas.contains(name);
        models.schema(name, schema);
    }
    out
}

struct Models<'a> {
    api: &'a Api,
    out: &'a mut String,
    is_request: bool,
}

impl Models<'_> {
    /// Writes a named schema, after the nested objects that it has.
    fn schema(&mut self, name: &str, schema: &Value) {
        let Some(fields) = schema["properties"].as_object() else {
            let kind = self.kind(name, schema);
            let _ = write!(self.out, "\n{}{name} = {kind}\n", comment(schema));
            return;
        };
        let rows: Vec<(String, String, bool)> = fields
            .iter()
            .map(|(field, schema_of)| {
                let kind = self.kind(&format!("{name}{}", pascal(field)), schema_of);
                (field.clone(), kind, self.api.is_required(name, schema, field))
            })
            .collect();
        let dictionary = |out: &mut String, name: &str, total: bool| {
            let _ = write!(out, "\n{name} = TypedDict(\n    \"{name}\",\n    {{\n");
            for (field, kind, required) in &rows {
                let _ = (*required == total).then(|| writeln!(out, "        \"{field}\": \"{kind}\","));
            }
            let _ = write!(out, "    }},\n    total={},\n)\n", if total { "True" } else { "False" });
        };
        let (required, optional) = (rows.iter().any(|row| row.2), rows.iter().any(|row| !row.2));
        let about = text(&schema["description"]);
        let about = if about.is_empty() { format!("`{name}`.") } else { about };
        if required && optional {
            dictionary(self.out, &format!("_{name}Required"), true);
            dictionary(self.out, &format!("_{name}Optional"), false);
            let bases = format!("_{name}Required, _{name}Optional");
            let _ = write!(self.out, "\n\nclass {name}({bases}):\n    \"\"\"{about}\"\"\"\n");
        } else {
            dictionary(self.out, &format!("_{name}Fields"), required);
            let _ = write!(self.out, "\n\nclass {name}(_{name}Fields):\n    \"\"\"{about}\"\"\"\n");
        }
        self.out.push('\n');
    }

    /// The type of a schema. Nested objects become classes of their own.
    fn kind(&mut self, name: &str, schema: &Value) -> String {
        if let Some(reference) = reference(schema) {
            return reference.to_owned();
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            let choices: Vec<String> = choices.iter().map(|choice| self.kind(name, choice)).collect();
            return format!("Union[{}]", choices.join(", "));
        }
        if schema["properties"].is_object() {
            self.schema(name, schema);
            return name.to_owned();
        }
        if schema["additionalProperties"].is_object() {
            let value = self.kind(&format!("{name}Value"), &schema["additionalProperties"]);
            return format!("Dict[str, {value}]");
        }
        if schema["items"].is_object() {
            return format!("List[{}]", self.kind(&format!("{name}Item"), &schema["items"]));
        }
        scalar(schema, if self.is_request { "NumberInput" } else { "Number" })
    }
}

/// The type of a value without fields. `number` is the type of a JSON number.
fn scalar(schema: &Value, number: &str) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(|value| value.to_string().replace('"', "'")).collect();
        return format!("Literal[{}]", values.join(", "));
    }
    let (kind, nullable) = match &schema["type"] {
        Value::Array(kinds) => (
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
            kinds.iter().any(|kind| kind == "null"),
        ),
        kind => (kind.as_str(), false),
    };
    let kind = match kind {
        Some("string") => "str",
        Some("integer") => "int",
        Some("number") => number,
        Some("boolean") => "bool",
        Some("array") => "List[Any]",
        Some("object") => "Dict[str, Any]",
        _ => "Any",
    };
    if nullable { format!("Optional[{kind}]") } else { kind.to_owned() }
}

fn comment(schema: &Value) -> String {
    match schema["description"].as_str() {
        Some(description) => format!("#: {description}\n"),
        None => String::new(),
    }
}

pub fn operations(api: &Api) -> String {
    let mut out = format!(
        "\"\"\"A method for every operation, by caller.\"\"\"\n\n{NOTE}\nfrom __future__ import annotations\n\n\
         from typing import Literal, Optional, cast\n\nfrom . import models\nfrom ._transport import Client, segment\n"
    );
    for caller in Caller::ALL {
        let _ = write!(
            out,
            "\n\nclass {}Operations(Client):\n    \"\"\"{}\"\"\"\n",
            caller.class().trim_end_matches("Client"),
            caller.about()
        );
        api.of(caller).for_each(|operation| method(&mut out, operation));
    }
    out
}

fn method(out: &mut String, operation: &Operation) {
    let answer = match (&operation.response, operation.is_text) {
        (None, _) => "None".to_owned(),
        (Some(_), true) => "str".to_owned(),
        (Some(schema), false) => model_kind(schema),
    };
    let _ = write!(out, "\n    def {}(\n        self,\n", snake(&operation.id));
    for parameter in operation.path_parameters.iter().filter(|one| fixed(one).is_none()) {
        let _ = writeln!(out, "        {}: {},", snake(&parameter.name), scalar(&parameter.schema, "float"));
    }
    if let Some(body) = &operation.body {
        let kind = model_kind(&body.schema);
        let _ = match body.required {
            true => writeln!(out, "        body: {kind},"),
            false => writeln!(out, "        body: Optional[{kind}] = None,"),
        };
    }
    let named: Vec<&Parameter> = operation.headers.iter().chain(&operation.query).collect();
    if !named.is_empty() || operation.has_request_id {
        out.push_str("        *,\n");
    }
    for parameter in &named {
        let (name, kind) = (snake(&parameter.name), scalar(&parameter.schema, "float"));
        let _ = match parameter.required {
            true => writeln!(out, "        {name}: {kind},"),
            false => writeln!(out, "        {name}: Optional[{kind}] = None,"),
        };
    }
    if operation.has_request_id {
        out.push_str("        request_id: Optional[str] = None,\n");
    }
    let _ = write!(
        out,
        "    ) -> {answer}:\n        \"\"\"{}: `{} {}`.\"\"\"\n",
        operation.summary, operation.method, operation.path
    );
    let call = call(operation);
    let _ = match (answer.as_str(), operation.is_text) {
        ("None", _) => writeln!(out, "        {call}"),
        (_, true) => writeln!(out, "        return cast(str, {call})"),
        (kind, false) => writeln!(out, "        return cast({kind}, {call})"),
    };
}

fn call(operation: &Operation) -> String {
    let mut path = operation.path.clone();
    let mut is_format = false;
    for parameter in &operation.path_parameters {
        let value = fixed(parameter).unwrap_or_else(|| {
            is_format = true;
            format!("{{segment({})}}", snake(&parameter.name))
        });
        path = path.replace(&format!("{{{}}}", parameter.name), &value);
    }
    let prefix = if is_format { "f" } else { "" };
    let mut call =
        format!("self._send(\n            \"{}\",\n            {prefix}\"{path}\",\n", operation.method);
    for (argument, parameters) in [("headers", &operation.headers), ("query", &operation.query)] {
        if parameters.is_empty() {
            continue;
        }
        let _ = writeln!(call, "            {argument}={{");
        for parameter in parameters {
            let _ = writeln!(call, "                \"{}\": {},", parameter.name, snake(&parameter.name));
        }
        call.push_str("            },\n");
    }
    if let Some(body) = &operation.body {
        call.push_str("            body=body,\n");
        if body.has_key {
            call.push_str("            has_key=True,\n");
        }
    }
    if operation.has_request_id {
        call.push_str("            request_id=request_id,\n            has_request_id=True,\n");
    }
    if operation.is_text {
        call.push_str("            is_text=True,\n");
    }
    let _ = write!(
        call,
        "            repeatable={},\n        )",
        if operation.is_repeatable() { "True" } else { "False" }
    );
    call
}

/// The value of a parameter that has only one.
fn fixed(parameter: &Parameter) -> Option<String> {
    match parameter.schema["enum"].as_array().map(Vec::as_slice) {
        Some([only]) => only.as_str().map(str::to_owned),
        _ => None,
    }
}

fn model_kind(schema: &Value) -> String {
    match reference(schema) {
        Some(name) => format!("models.{name}"),
        None => "dict[str, object]".to_owned(),
    }
}
