//! The texts of the price widget that shops embed, in both languages.

use crate::text_table::text_table;

text_table! { /// The texts of the price widget in one language.
PriceTexts {
    title: "Pay in installments" | "Πληρωμή σε δόσεις";
    // The standard information that an advertisement with figures must contain (Directive (EU) 2023/2225, Article 8).
    terms: "Credit of {}, fixed rate {} a year, APR {}, {} monthly payments, total {}."
        | "Πίστωση {}, σταθερό ετήσιο επιτόκιο {}, ΣΕΠΕ {}, {} μηνιαίες δόσεις, σύνολο {}.";
    warning: "Caution! Borrowing money costs money." | "Προσοχή! Ο δανεισμός χρημάτων κοστίζει.";
    range: "Pay in installments from {} to {}." | "Πληρωμή σε δόσεις από {} έως {}.";
} }
