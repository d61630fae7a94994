//! The headlines of pages that ask for a decision: what people look for first, in both languages.

use crate::text_table::text_table;

text_table! { /// The headlines in one language.
HeadlineTexts {
    pay: "{} to {}" | "{} προς {}";
    cancel: "Cancel {} to {}" | "Ανάκληση: {} προς {}";
    // The sum, and how many payments.
    bulk: "{} in {} payments" | "{} σε {} πληρωμές";
    bulk_cancel: "Cancel {} in {} payments" | "Ανάκληση: {} σε {} πληρωμές";
    see_one: "{} wants to see one account" | "Η εταιρεία «{}» θέλει να δει έναν λογαριασμό";
    see_several: "{} wants to see {} accounts" | "Η εταιρεία «{}» θέλει να δει {} λογαριασμούς";
    see_list: "{} wants to see which accounts you have" | "Η εταιρεία «{}» θέλει να δει ποιους λογαριασμούς έχετε";
    see_balances: "{} wants to see your accounts and balances"
        | "Η εταιρεία «{}» θέλει να δει τους λογαριασμούς και τα υπόλοιπά σας";
    see_chosen: "Choose what {} may see" | "Επιλέξτε τι μπορεί να δει η εταιρεία «{}»";
    see_all: "{} wants to see all your accounts and cards"
        | "Η εταιρεία «{}» θέλει να δει όλους τους λογαριασμούς και τις κάρτες σας";
    funds: "{} wants to check whether an amount is available"
        | "Η εταιρεία «{}» θέλει να ελέγχει αν ένα ποσό είναι διαθέσιμο";
    // Number of installments, each amount, first payment.
    plan: "{} × {}, first on {}" | "{} × {}, η πρώτη στις {}";
} }
