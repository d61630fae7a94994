//! The texts of the signed-in customer's pages in the bank's app: overview, statements, cards, payments and the session.

use crate::text_table::text_table;

text_table! { /// The texts of the signed-in customer's pages in one language.
CustomerTexts {
    tab_home: "Home" | "Αρχική";
    navigation: "The bank's app" | "Η εφαρμογή της τράπεζας";
    accounts: "Accounts" | "Λογαριασμοί";
    accounts_none: "You have no account at this bank." | "Δεν έχετε λογαριασμό σε αυτή την τράπεζα.";
    cards: "Cards" | "Κάρτες";

    // Loans.
    loans_active: "You are paying" | "Πληρώνετε τώρα";
    loans_ended: "Ended" | "Έχουν λήξει";
    loan_next: "Next payment" | "Επόμενη πληρωμή";
    loan_next_value: "{} on {}" | "{} στις {}";
    loan_show: "Show all details" | "Όλα τα στοιχεία";
    all_loans: "All purchases" | "Όλες οι αγορές";
} }
