//! Finds the mutants of a file: comparisons at their boundary, conditions and statements left out, arithmetic reversed, functions that
//! return a constant.

use crate::mutation::{Edit, Mutant, hash_of};
use crate::return_value;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, Signature, Stmt, UnOp};

/// Adds the mutants of a file to `mutants`, and returns the edits that contain them.
pub fn file(name: &str, source: &str, mutants: &mut Vec<Mutant>) -> Result<Vec<Edit>, String> {
    let parsed = syn::parse_file(source).map_err(|e| format!("{name}: {e}"))?;
    let (hash, function) = (hash_of(source), String::new());
    let mut finder = Finder { name, source, hash, function, mutants, edits: Vec::new() };
    finder.visit_file(&parsed);
    Ok(finder.edits)
}

struct Finder<'a> {
    name: &'a str,
    source: &'a str,
    hash: u64,
    function: String,
    mutants: &'a mut Vec<Mutant>,
    edits: Vec<Edit>,
}

fn is_active(number: u32) -> String {
    format!("crate::mutant_switch::is_active({number}u32)")
}

impl Finder<'_> {
    fn mutant(&mut self, node: &impl Spanned, change: String) -> u32 {
        let start = node.span().start();
        let number = u32::try_from(self.mutants.len() + 1).unwrap_or(u32::MAX);
        self.mutants.push(Mutant {
            number,
            file: self.name.to_owned(),
            file_hash: self.hash,
            line: start.line,
            column: start.column + 1,
            function: self.function.clone(),
            change,
        });
        number
    }

    fn replace(&mut self, number: u32, range: Range<usize>, text: String) {
        self.edits.push(Edit { range, text, number });
    }

    fn insert(&mut self, number: u32, at: usize, text: String) {
        self.replace(number, at..at, text);
    }

    /// The source of a node on one line.
    fn text(&self, node: &impl Spanned) -> String {
        let text: Vec<&str> = self.source[node.span().byte_range()].split_whitespace().collect();
        let text = text.join(" ");
        match text.char_indices().nth(60) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    fn is_test_only(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| {
            let text = self.text(attribute);
            text.starts_with("#[cfg(test") || text.starts_with("#[test") || text.starts_with("#[cfg(all(test")
        })
    }

    fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        // The switch cannot be read in a constant.
        if signature.constness.is_some() || self.is_test_only(attributes) {
            return;
        }
        let outer = std::mem::replace(&mut self.function, signature.ident.to_string());
        if !block.stmts.is_empty() {
            for value in return_value::values(&signature.output) {
                let number = self.mutant(&signature.ident, format!("returns {value}"));
                let at = block.brace_token.span.open().byte_range().end;
                self.insert(number, at, format!(" if {} {{ return {value}; }}", is_active(number)));
            }
        }
        self.visit_block(block);
        self.function = outer;
    }

    /// Visits an operand that a mutant leaves out.
    fn operand(&mut self, operand: &Expr, parent: &BinOp) {
        let is_chain = matches!(operand, Expr::Binary(inner) if same_logic(&inner.op, parent));
        if is_chain || contains_let(operand) {
            return self.visit_expr(operand);
        }
        let number = self.mutant(operand, format!("without `{}`", self.text(operand)));
        let range = operand.span().byte_range();
        let active = is_active(number);
        let open = if matches!(parent, BinOp::And(_)) {
            format!("({active} || (")
        } else {
            format!("(!{active} && (")
        };
        self.insert(number, range.start, open);
        self.visit_expr(operand);
        self.insert(number, range.end, "))".to_owned());
    }

    /// `a < b` becomes a match over both, whose arm has both operators.
    fn operator(&mut self, node: &syn::ExprBinary, change: &Replacement) {
        let (left, right) = (node.left.span().byte_range(), node.right.span().byte_range());
        let operator = node.op.span().byte_range();
        let number = self.mutant(&node.op, format!("`{}` with {}", self.text(node), change.with));
        let (reference, place) = if change.by_reference { ("&", "*") } else { ("", "") };
        self.insert(number, left.start, format!("(match ({reference}("));
        self.visit_expr(&node.left);
        self.replace(number, operator.clone(), format!("), {reference}("));
        self.visit_expr(&node.right);
        let was = &self.source[operator];
        let arm = format!(
            ")) {{ (l, r) => if {} {{ {place}l {} {place}r }} else {{ {place}l {was} {place}r }} }})",
            is_active(number),
            change.with
        );
        self.insert(number, right.end, arm);
    }
}

struct Replacement {
    with: &'static str,
    by_reference: bool,
}

/// What a mutant has instead of an operator.
fn replacement(operator: &BinOp) -> Option<Replacement> {
    let (with, by_reference) = match operator {
        BinOp::Eq(_) => ("!=", true),
        BinOp::Ne(_) => ("==", true),
        BinOp::Lt(_) => ("<=", true),
        BinOp::Le(_) => ("<", true),
        BinOp::Gt(_) => (">=", true),
        BinOp::Ge(_) => (">", true),
        BinOp::Add(_) => ("-", false),
        BinOp::Sub(_) => ("+", false),
        BinOp::Mul(_) => ("/", false),
        BinOp::Div(_) => ("*", false),
        _ => return None,
    };
    Some(Replacement { with, by_reference })
}

fn same_logic(one: &BinOp, other: &BinOp) -> bool {
    matches!((one, other), (BinOp::And(_), BinOp::And(_)) | (BinOp::Or(_), BinOp::Or(_)))
}

/// Whether a condition is, or is a chain with, `let`.
fn contains_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => contains_let(&binary.left) || contains_let(&binary.right),
        _ => false,
    }
}

fn is_assignment(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::BitXorAssign(_)
    )
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.function(&node.attrs, &node.sig, &node.block);
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.function(&node.attrs, &node.sig, &node.block);
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        if let Some(block) = &node.default {
            self.function(&node.attrs, &node.sig, block);
        }
    }

    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if !self.is_test_only(&node.attrs) {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}

    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, _: &'ast syn::ExprRepeat) {}

    fn visit_type(&mut self, _: &'ast syn::Type) {}

    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        if matches!(node.op, BinOp::And(_) | BinOp::Or(_)) {
            self.operand(&node.left, &node.op);
            self.operand(&node.right, &node.op);
        } else if let Some(change) = replacement(&node.op) {
            self.operator(node, &change);
        } else {
            visit::visit_expr_binary(self, node);
        }
    }

    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        if !matches!(node.op, UnOp::Not(_)) {
            return visit::visit_expr_unary(self, node);
        }
        let number = self.mutant(node, format!("`{}` without !", self.text(node)));
        let range = node.span().byte_range();
        self.insert(number, range.start, format!("({} != (", is_active(number)));
        visit::visit_expr_unary(self, node);
        self.insert(number, range.end, "))".to_owned());
    }

    fn visit_expr_if(&mut self, node: &'ast syn::ExprIf) {
        let number = self.mutant(&node.cond, format!("never `if {}`", self.text(&node.cond)));
        let range = node.cond.span().byte_range();
        let has_let = contains_let(&node.cond);
        let (open, close) = if has_let { ("", "") } else { ("(", ")") };
        self.insert(number, range.start, format!("!{} && {open}", is_active(number)));
        self.visit_expr(&node.cond);
        self.insert(number, range.end, close.to_owned());
        self.visit_block(&node.then_branch);
        if let Some((_, branch)) = &node.else_branch {
            self.visit_expr(branch);
        }
    }

    fn visit_pat_guard(&mut self, node: &'ast syn::PatGuard) {
        if contains_let(&node.guard) {
            return self.visit_expr(&node.guard);
        }
        let number = self.mutant(&node.guard, format!("without the guard `{}`", self.text(&node.guard)));
        let range = node.guard.span().byte_range();
        self.insert(number, range.start, format!("({} || (", is_active(number)));
        self.visit_expr(&node.guard);
        self.insert(number, range.end, "))".to_owned());
    }

    fn visit_stmt(&mut self, node: &'ast Stmt) {
        let is_left_out = match node {
            Stmt::Expr(Expr::Binary(binary), Some(_)) => is_assignment(&binary.op),
            Stmt::Expr(expr, Some(_)) => {
                matches!(
                    expr,
                    Expr::Call(_) | Expr::MethodCall(_) | Expr::Try(_) | Expr::Await(_) | Expr::Assign(_)
                )
            }
            _ => false,
        };
        if !is_left_out {
            return visit::visit_stmt(self, node);
        }
        let number = self.mutant(node, format!("without `{}`", self.text(node)));
        let range = node.span().byte_range();
        self.insert(number, range.start, format!("if !{} {{ ", is_active(number)));
        visit::visit_stmt(self, node);
        self.insert(number, range.end, " }".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutation::apply;

    /// The changes of a source, and the source with all mutants.
    fn changes(source: &str) -> (Vec<String>, String) {
        let mut mutants = Vec::new();
        let edits = file("a.rs", source, &mut mutants).expect("the source is valid");
        let text = apply(source, &edits, |_| true).text;
        assert!(syn::parse_file(&text).is_ok(), "{text}");
        (mutants.into_iter().map(|mutant| mutant.change).collect(), text)
    }

    #[test]
    fn mutants_of_a_function() {
        let (found, _) = changes(
            "fn f(a: u8, b: u8) -> bool { if a < b && !x(a) { g(a + 1)?; } match a { n if n == b => true, _ => false } }",
        );
        let expected = [
            "returns true",
            "returns false",
            "never `if a < b && !x(a)`",
            "without `a < b`",
            "`a < b` with <=",
            "without `!x(a)`",
            "`!x(a)` without !",
            "without `g(a + 1)?;`",
            "`a + 1` with -",
            "without the guard `n == b`",
            "`n == b` with !=",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn chains_with_let_stay_valid() {
        let (found, text) = changes("fn f() { if let Some(a) = b() && a == 1 && c { d = e; } }");
        let expected = [
            "returns ()",
            "never `if let Some(a) = b() && a == 1 && c`",
            "without `a == 1`",
            "`a == 1` with !=",
            "without `c`",
            "without `d = e;`",
        ];
        assert_eq!(found, expected);
        assert!(
            text.contains("if !crate::mutant_switch::is_active(2u32) && let Some(a) = b() && ("),
            "{text}"
        );
    }

    #[test]
    fn constants_and_tests_have_no_mutants() {
        let source = "const A: u8 = 1 + 2; const fn f() -> bool { A == 3 } #[cfg(test)] mod tests { fn g() -> bool { 1 == 2 } }";
        assert_eq!(changes(source), (Vec::new(), source.to_owned()));
    }
}
