//! The texts of the sandbox's first page, in both languages. A text in two parts surrounds a link.

use crate::text_table::text_table;

text_table! { /// The texts of the sandbox's first page in one language.
HomeTexts {
    first_steps: "First steps in the sandbox" | "Τα πρώτα βήματα στο sandbox";
    sample_tpp: "Use the sample third party" | "Δοκιμάστε την εφαρμογή-παράδειγμα ενός τρίτου παρόχου";
    sample_tpp_text: "Give a consent, read accounts and pay in three ways, with every call beside it."
        | "Δώστε συγκατάθεση, διαβάστε λογαριασμούς και πληρώστε με τρεις τρόπους, βλέποντας δίπλα κάθε κλήση.";
    commands: "With commands to copy:" | "Με έτοιμες εντολές:";
    guide_consent: "create a consent" | "δημιουργία συγκατάθεσης";
    guide_payment: "order a payment" | "εντολή πληρωμής";
    sample_shop: "Buy something in the sample shop" | "Αγοράστε κάτι στο κατάστημα-παράδειγμα";
    sample_shop_text: "Pay in installments, and refund the order." | "Πληρώστε σε δόσεις και επιστρέψτε την παραγγελία.";
    sign_up: "Sign up in the portal" | "Εγγραφείτε στην πύλη";
    sign_up_text: "For your own application, keys and test certificate."
        | "Για δική σας εφαρμογή, κλειδιά και δοκιμαστικό πιστοποιητικό.";
    keys: "The keys of the demo applications are in sandbox.json, in the data directory."
        | "Τα κλειδιά των δοκιμαστικών εφαρμογών βρίσκονται στο αρχείο sandbox.json, στον κατάλογο δεδομένων.";
    described: "The interface is described by" | "Το API περιγράφεται στο";
    outcomes: "What forces an outcome:" | "Τι προκαλεί ορισμένο αποτέλεσμα:";
    clock: "Clock" | "Ρολόι";
    clock_text: "It is {}." | "Είναι {}.";
    manage: "Manage the sandbox" | "Διαχείριση του sandbox";
    manage_text: "Move the clock, create customers, accounts, cards and transactions, and export, import or reset the bank."
        | "Μετακινήστε το ρολόι, δημιουργήστε πελάτες, λογαριασμούς, κάρτες και κινήσεις, και κάντε εξαγωγή, εισαγωγή ή επαναφορά της τράπεζας.";
    customers: "Customers" | "Πελάτες";
    user: "User name" | "Όνομα χρήστη";
    password: "Password" | "Κωδικός πρόσβασης";
    account: "Account" | "Λογαριασμός";
    styleguide: "Design system of the pages" | "Σύστημα σχεδίασης των σελίδων";
} }
