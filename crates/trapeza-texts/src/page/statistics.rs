//! The texts of the public page with availability and performance of the interfaces, in both languages.

use crate::text_table::text_table;

text_table! { /// The texts of the page of statistics in one language.
StatisticsTexts {
    title: "Availability and performance" | "Διαθεσιμότητα και επιδόσεις";
    text: "Daily figures of the interface for third parties and of the bank's own app, as Article 32(4) of Regulation (EU) 2018/389 requires. A day is added when it is complete."
        | "Ημερήσια στοιχεία της διεπαφής για τρίτους παρόχους και της εφαρμογής της τράπεζας, όπως απαιτεί το άρθρο 32 παράγραφος 4 του κανονισμού (ΕΕ) 2018/389. Κάθε ημέρα προστίθεται όταν ολοκληρωθεί.";
    quarter: "Quarter {}" | "Τρίμηνο {}";
    none: "There is no complete day in this quarter yet." | "Δεν υπάρχει ακόμη ολοκληρωμένη ημέρα σε αυτό το τρίμηνο.";
    day: "Day" | "Ημέρα";
    uptime: "Uptime" | "Διαθεσιμότητα";
    downtime: "Downtime" | "Μη διαθεσιμότητα";
    accounts: "Account information, ms" | "Πληροφορίες λογαριασμών, ms";
    payments: "Payments, ms" | "Πληρωμές, ms";
    funds: "Confirmation of funds, ms" | "Επιβεβαίωση κεφαλαίων, ms";
    errors: "Errors" | "Σφάλματα";
    dedicated: "Third parties" | "Τρίτοι πάροχοι";
    customer: "App" | "Εφαρμογή";
    no_value: "no requests" | "κανένα αίτημα";
    explanation: "Times are the average milliseconds per request until the answer with all information. Errors are the share of requests that failed because of the bank."
        | "Οι χρόνοι είναι ο μέσος όρος σε χιλιοστά του δευτερολέπτου ανά αίτημα μέχρι την πλήρη απάντηση. Σφάλματα είναι το ποσοστό των αιτημάτων που απέτυχαν λόγω της τράπεζας.";
    csv: "Download as CSV" | "Λήψη σε μορφή CSV";
    others: "Other quarters" | "Άλλα τρίμηνα";
    unknown_title: "There are no figures for this quarter" | "Δεν υπάρχουν στοιχεία για αυτό το τρίμηνο";
    unknown_text: "A quarter is a year and a number, for example 2026Q4." | "Ένα τρίμηνο είναι έτος και αριθμός, για παράδειγμα 2026Q4.";
    newest: "The newest figures" | "Τα νεότερα στοιχεία";
} }
