//! The texts of the signed-in customer's pages in the bank's app: overview, statements, cards, payments and the session.

use crate::text_table::text_table;

text_table! { /// The texts of the signed-in customer's pages in one language.
CustomerTexts {
    tab_home: "Home" | "Αρχική";
    navigation: "The bank's app" | "Η εφαρμογή της τράπεζας";
    accounts: "Accounts" | "Λογαριασμοί";
    accounts_none: "You have no account at this bank." | "Δεν έχετε λογαριασμό σε αυτή την τράπεζα.";
    cards: "Cards" | "Κάρτες";

    // Statements.
    search: "Search" | "Αναζήτηση";
    search_hint: "Name, reference or amount" | "Όνομα, αιτιολογία ή ποσό";
    search_wrong: "Search for at most 140 characters." | "Αναζητήστε έως 140 χαρακτήρες.";
    month: "Month" | "Μήνας";
    month_all: "All months" | "Όλοι οι μήνες";
    month_wrong: "Choose one of the months." | "Επιλέξτε έναν από τους μήνες.";
    filter: "Show" | "Εμφάνιση";
    filter_clear: "Show everything" | "Εμφάνιση όλων";
    cursor_wrong: "This link is not of this statement, so the newest transactions are shown."
        | "Ο σύνδεσμος δεν είναι αυτού του λογαριασμού και εμφανίζονται οι πιο πρόσφατες κινήσεις.";
    pending: "Pending" | "Σε εκκρεμότητα";
    booked: "Transactions" | "Κινήσεις";
    found_none: "No transaction matches." | "Δεν βρέθηκε κίνηση.";
    pages: "Pages" | "Σελίδες";
    older: "Older" | "Παλαιότερες";
    newer: "Newer" | "Νεότερες";
    newest: "Newest" | "Πιο πρόσφατες";
    search_further: "Search further back" | "Αναζήτηση και παλαιότερα";
    export: "Download {} as a CSV file" | "Λήψη σε αρχείο CSV: {}";
    export_too_many: "This month has too many transactions for one file. Ask the bank for a statement."
        | "Ο μήνας έχει πολλές κινήσεις για ένα αρχείο. Ζητήστε κατάσταση από την τράπεζα.";
    valid_until: "Valid until" | "Ισχύει έως";
    paid_from: "Paid from" | "Πληρώνεται από";
    reserved: "Reserved" | "Δεσμευμένα";
    not_invoiced: "Not billed yet" | "Δεν έχουν χρεωθεί ακόμη";

    // One transaction.
    kind: "Kind" | "Είδος";
    status: "Status" | "Κατάσταση";
    status_booked: "Booked" | "Καταχωρίστηκε";
    status_pending: "Pending: the amount is reserved and not booked yet"
        | "Σε εκκρεμότητα: το ποσό δεσμεύτηκε και δεν έχει καταχωριστεί";
    payer: "From" | "Από";
    counterparty_iban: "Account number" | "Αριθμός λογαριασμού";
    ultimate: "On behalf of" | "Για λογαριασμό";
    own_account: "Your account" | "Ο λογαριασμός σας";
    creditor_reference: "Creditor reference" | "Κωδικός πληρωμής";
    end_to_end: "End-to-end reference" | "Αναφορά πληρωτή (end-to-end)";
    mandate: "Mandate" | "Εντολή πάγιας χρέωσης";
    purpose: "Purpose code" | "Κωδικός σκοπού";
    information: "Information" | "Πληροφορίες";
    booking_day: "Booked on" | "Ημερομηνία καταχώρισης";
    value_day: "Value date" | "Ημερομηνία τοκισμού (valeur)";
    placed_day: "Reserved on" | "Ημερομηνία δέσμευσης";
    used_day: "Used on" | "Ημερομηνία χρήσης";
    balance_after: "Balance after it" | "Υπόλοιπο μετά";
    original_amount: "Original amount" | "Αρχικό ποσό";
    exchange_rate: "Exchange rate" | "Ισοτιμία";
    markup: "Exchange fee, included" | "Προμήθεια συναλλάγματος, περιλαμβάνεται";
    place: "Place" | "Τόπος";
    transaction_id: "Transaction number" | "Αριθμός κίνησης";
    receipt: "Receipt of the payment" | "Απόδειξη της πληρωμής";
    back_to_statement: "Back to the transactions" | "Πίσω στις κινήσεις";

    // Loans.
    loans_active: "You are paying" | "Πληρώνετε τώρα";
    loans_ended: "Ended" | "Έχουν λήξει";
    loan_next: "Next payment" | "Επόμενη πληρωμή";
    loan_next_value: "{} on {}" | "{} στις {}";
    loan_show: "Show all details" | "Όλα τα στοιχεία";
    all_loans: "All purchases" | "Όλες οι αγορές";
} }
