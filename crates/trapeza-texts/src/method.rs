//! Names of SCA methods, one per kind: the methods of a customer and the decoys of an unknown one have the same names.

use crate::Language;
use trapeza_domain::psu::MethodKind;

pub const fn method_name(language: Language, kind: MethodKind) -> &'static str {
    match (language, kind) {
        (Language::English, MethodKind::Sms) => "Text message to my phone",
        (Language::Greek, MethodKind::Sms) => "Μήνυμα στο τηλέφωνό μου",
        (Language::English, MethodKind::Chip) => "Card reader",
        (Language::Greek, MethodKind::Chip) => "Συσκευή ανάγνωσης κάρτας",
        (Language::English, MethodKind::Photo) => "Photo reader",
        (Language::Greek, MethodKind::Photo) => "Συσκευή σάρωσης εικόνας",
        (Language::English, MethodKind::Push) => "The bank's app",
        (Language::Greek, MethodKind::Push) => "Η εφαρμογή της τράπεζας",
    }
}
