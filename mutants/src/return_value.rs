//! Values that a mutant returns instead of running a function.

use syn::{GenericArgument, PathArguments, ReturnType, Type};

/// The values of a return type as source; none when it has no simple value.
pub fn values(output: &ReturnType) -> Vec<String> {
    match output {
        ReturnType::Default => vec!["()".to_owned()],
        ReturnType::Type(_, kind) => of_type(kind),
    }
}

fn of_type(kind: &Type) -> Vec<String> {
    match kind {
        Type::Tuple(tuple) if tuple.elems.is_empty() => vec!["()".to_owned()],
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return Vec::new() };
            match last.ident.to_string().as_str() {
                "bool" => vec!["true".to_owned(), "false".to_owned()],
                "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => {
                    vec!["0".to_owned(), "1".to_owned()]
                }
                "String" => vec!["String::new()".to_owned()],
                "Vec" => vec!["Vec::new()".to_owned()],
                "Option" => vec!["None".to_owned()],
                "Result" => first_argument(&last.arguments)
                    .map(of_type)
                    .unwrap_or_default()
                    .iter()
                    .map(|value| format!("Ok({value})"))
                    .collect(),
                "Self" => Vec::new(),
                _ => vec!["Default::default()".to_owned()],
            }
        }
        _ => Vec::new(),
    }
}

fn first_argument(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(kind) => Some(kind),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        values(&syn::parse_str(text).expect("a return type"))
    }

    #[test]
    fn values_follow_the_return_type() {
        assert_eq!(of("-> bool"), ["true", "false"]);
        assert_eq!(of("-> Result<Result<(), Refusal>, StoreError>"), ["Ok(Ok(()))"]);
        assert_eq!(of("-> Result<Option<Payment>, StoreError>"), ["Ok(None)"]);
        assert_eq!(of("-> &Payment"), Vec::<String>::new());
        assert_eq!(of("-> impl Iterator<Item = u8>"), Vec::<String>::new());
        assert_eq!(of(""), ["()"]);
    }
}
