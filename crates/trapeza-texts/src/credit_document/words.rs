//! The sentences of the documents. The terms are those of Directive (EU) 2023/2225 in each language.

use crate::Language;
use crate::text_table::text_table;

text_table! { /// The texts of the documents in one language.
Words {
    information_name: "Pre-contractual information (SECCI)" | "Προσυμβατικές πληροφορίες";
    agreement_name: "Credit agreement" | "Σύμβαση πίστωσης";

    // The pre-contractual information, Annex I.
    information_title: "Standard European Consumer Credit Information" | "Τυποποιημένες Ευρωπαϊκές Πληροφορίες Καταναλωτικής Πίστης";
    key_title: "Key information" | "Βασικές πληροφορίες";
    creditor: "Creditor" | "Πιστωτικός φορέας";
    intermediary: "Credit intermediary" | "Μεσίτης πιστώσεων";
    amount: "Total amount of credit" | "Συνολικό ποσό της πίστωσης";
    amount_text: "{}. This is the whole sum that is made available under the credit agreement."
        | "{}. Είναι το σύνολο των ποσών που διατίθενται δυνάμει της σύμβασης πίστωσης.";
    duration: "Duration of the credit agreement" | "Διάρκεια της σύμβασης πίστωσης";
    duration_text: "{} months, until {}" | "{} μήνες, έως τις {}";
    rate: "Borrowing rate" | "Χρεωστικό επιτόκιο";
    rate_text: "{} a year, fixed for the whole duration" | "{} ετησίως, σταθερό για όλη τη διάρκεια";
    apr: "Annual percentage rate of charge (APR)" | "Συνολικό ετήσιο πραγματικό επιτόκιο (ΣΕΠΕ)";
    apr_text: "{}. This is the total cost, expressed as an annual percentage of the total amount of credit. The APR helps you to compare offers."
        | "{}. Είναι το συνολικό κόστος, εκφρασμένο ως ετήσιο ποσοστό του συνολικού ποσού της πίστωσης. Το ΣΕΠΕ σάς βοηθά να συγκρίνετε προσφορές.";
    total: "Total amount you will have to pay" | "Συνολικό ποσό που θα πρέπει να καταβάλετε";
    total_text: "{}. This is the amount borrowed plus {} of interest. There are no other costs."
        | "{}. Είναι το κεφάλαιο που δανείζεστε συν τόκους {}. Δεν υπάρχουν άλλα έξοδα.";
    goods: "Goods or services" | "Αγαθά ή υπηρεσίες";
    goods_text: "The credit pays for the order {} at {}." | "Η πίστωση χρηματοδοτεί την παραγγελία {} στο κατάστημα {}.";
    goods_names: "It contains: {}." | "Περιλαμβάνει: {}.";
    goods_more: "and {} more" | "και {} ακόμη";
    cash_price: "Cash price" | "Τιμή τοις μετρητοίς";
    late_costs: "Costs in the case of late payments" | "Έξοδα σε περίπτωση καθυστερημένων πληρωμών";
    late_costs_text: "You will be charged nothing for late payments: no fee, and no default interest."
        | "Δεν θα χρεωθείτε τίποτα για καθυστερημένες πληρωμές: ούτε έξοδα ούτε τόκους υπερημερίας.";
    installments: "Installments" | "Δόσεις";
    installments_equal: "{} monthly installments of {}." | "{} μηνιαίες δόσεις των {}.";
    installments_last: "{} monthly installments: {} of {}, and the last of {}."
        | "{} μηνιαίες δόσεις: {} των {} και η τελευταία των {}.";
    installments_order: "The first is due on {}. Each pays its interest first, then principal."
        | "Η πρώτη λήγει στις {}. Κάθε δόση εξοφλεί πρώτα τους τόκους της και μετά κεφάλαιο.";
    warning_title: "Missing or late payments could have severe consequences for you"
        | "Η μη πληρωμή ή η καθυστέρηση πληρωμών μπορεί να έχει σοβαρές συνέπειες για εσάς";
    warning_collection: "If an installment cannot be collected, the bank tries again after 3 and after 7 days. "
        | "Αν μια δόση δεν μπορεί να εισπραχθεί, η τράπεζα προσπαθεί ξανά μετά από 3 και μετά από 7 ημέρες. ";
    warning_text: "After three bank working days the credit is overdue; the bank then offers a pause or a longer plan, free of charge. If an installment is more than 30 days late, you get no further credit from this bank for 12 months. The bank can write an overdue credit off as a loss; that stays in its records. Obtaining credit may become more difficult."
        | "Μετά από τρεις εργάσιμες ημέρες τραπεζών η πίστωση είναι ληξιπρόθεσμη· τότε η τράπεζα προσφέρει αναβολή ή μεγαλύτερη διάρκεια, χωρίς χρέωση. Αν μια δόση καθυστερήσει πάνω από 30 ημέρες, δεν λαμβάνετε άλλη πίστωση από αυτή την τράπεζα για 12 μήνες. Η τράπεζα μπορεί να διαγράψει ληξιπρόθεσμη πίστωση ως ζημία· αυτό παραμένει στα αρχεία της. Η λήψη πίστωσης μπορεί να γίνει δυσκολότερη.";
    withdrawal: "Right of withdrawal" | "Δικαίωμα υπαναχώρησης";
    withdrawal_short: "You have the right to withdraw from the credit agreement within 14 calendar days."
        | "Έχετε δικαίωμα να υπαναχωρήσετε από τη σύμβαση πίστωσης εντός 14 ημερολογιακών ημερών.";
    early: "Early repayment" | "Πρόωρη εξόφληση";
    early_short: "You have the right to repay the credit early, in full or in part, at any time. The bank asks for no compensation."
        | "Έχετε δικαίωμα να εξοφλήσετε πρόωρα την πίστωση, πλήρως ή μερικώς, οποτεδήποτε. Η τράπεζα δεν ζητά αποζημίωση.";
    contact: "How to reach the creditor" | "Στοιχεία επικοινωνίας του πιστωτικού φορέα";

    product_title: "Main features of the credit" | "Κύρια χαρακτηριστικά της πίστωσης";
    kind: "Type of credit" | "Είδος πίστωσης";
    kind_text: "A loan for one purchase, repaid in monthly installments. It is a linked credit agreement."
        | "Δάνειο για μία αγορά, που εξοφλείται σε μηνιαίες δόσεις. Είναι συνδεδεμένη σύμβαση πίστωσης.";
    drawdown: "How and when you obtain the money" | "Πώς και πότε λαμβάνετε τα χρήματα";
    drawdown_text: "When you agree and the bank approves, the whole amount is credited to {} at once. You do not receive it yourself."
        | "Όταν συμφωνήσετε και η τράπεζα εγκρίνει, όλο το ποσό πιστώνεται αμέσως στο κατάστημα {}. Δεν το λαμβάνετε εσείς.";
    security: "Security" | "Ασφάλειες";
    security_text: "None is required." | "Δεν απαιτείται καμία.";
    payment: "How you pay" | "Πώς πληρώνετε";
    payment_collection: "The bank collects each installment from your account {} on its payment date."
        | "Η τράπεζα εισπράττει κάθε δόση από τον λογαριασμό σας {} την ημέρα πληρωμής.";
    payment_transfer: "You transfer each installment to {} with the reference {}."
        | "Μεταφέρετε κάθε δόση στον λογαριασμό {} με κωδικό πληρωμής {}.";
    personalised: "Personalised price" | "Εξατομικευμένη τιμή";
    personalised_text: "The price of this offer was not personalised by automated processing: it is the same for every customer of the shop."
        | "Η τιμή αυτής της προσφοράς δεν εξατομικεύτηκε με αυτοματοποιημένη επεξεργασία: είναι ίδια για κάθε πελάτη του καταστήματος.";

    costs_title: "Costs of the credit" | "Κόστος της πίστωσης";
    services: "Compulsory insurance or other service" | "Υποχρεωτική ασφάλιση ή άλλη υπηρεσία";
    services_text: "None. You need no insurance, no other contract and no payment account with the bank to obtain this credit."
        | "Καμία. Για την πίστωση αυτή δεν χρειάζεστε ασφάλιση, άλλη σύμβαση ή λογαριασμό πληρωμών στην τράπεζα.";
    related: "Related costs" | "Συναφή έξοδα";
    related_text: "None: no fee for the agreement, for an account or for a means of payment, and no notarial fee."
        | "Κανένα: ούτε έξοδα σύμβασης, λογαριασμού ή μέσου πληρωμής ούτε συμβολαιογραφικά έξοδα.";

    legal_title: "Other important legal aspects" | "Άλλες σημαντικές νομικές πτυχές";
    withdrawal_text: "You can withdraw within 14 calendar days of the day of the agreement, without giving a reason: {}. You then pay back {} and the interest of the days that you had it, {} a day, at the latest 30 days after you withdrew. Nothing else is charged. If you do not withdraw, the agreement stays in force."
        | "Μπορείτε να υπαναχωρήσετε εντός 14 ημερολογιακών ημερών από την ημέρα της σύμβασης, χωρίς αιτιολογία: {}. Τότε επιστρέφετε {} και τους τόκους των ημερών που το είχατε, {} την ημέρα, το αργότερο 30 ημέρες μετά την υπαναχώρηση. Δεν χρεώνεται τίποτα άλλο. Αν δεν υπαναχωρήσετε, η σύμβαση παραμένει σε ισχύ.";
    withdrawal_app: "in the bank's app, on the page of the loan" | "στην εφαρμογή της τράπεζας, στη σελίδα του δανείου";
    withdrawal_page: "on the page /loan of the bank's website, with the reference {} and a code that is sent to your telephone"
        | "στη σελίδα /loan του ιστότοπου της τράπεζας, με τον κωδικό πληρωμής {} και έναν κωδικό που στέλνεται στο τηλέφωνό σας";
    early_text: "You can repay early in full or in part. You then pay the open principal and the interest up to that day; the interest of the remaining time is not owed. The app and the loan's page show the amount."
        | "Μπορείτε να εξοφλήσετε πρόωρα, πλήρως ή μερικώς. Τότε πληρώνετε το ανεξόφλητο κεφάλαιο και τους τόκους έως εκείνη την ημέρα· οι τόκοι του υπόλοιπου χρόνου δεν οφείλονται. Η εφαρμογή και η σελίδα του δανείου δείχνουν το ποσό.";
    database: "Consultation of a database" | "Έρευνα σε βάση δεδομένων";
    database_text: "The bank decides by its own records. It consults no external credit database."
        | "Η τράπεζα αποφασίζει με βάση τα δικά της αρχεία. Δεν κάνει έρευνα σε εξωτερική βάση δεδομένων πιστώσεων.";
    draft: "Draft of the agreement" | "Σχέδιο της σύμβασης";
    draft_text: "On request you receive a copy of the draft credit agreement free of charge."
        | "Κατόπιν αιτήματος λαμβάνετε δωρεάν αντίγραφο του σχεδίου της σύμβασης πίστωσης.";
    valid: "How long this information holds" | "Διάρκεια ισχύος των πληροφοριών";
    valid_text: "On {}, at the checkout for which it was made." | "Στις {}, για την αγορά για την οποία δημιουργήθηκε.";

    distance_title: "Distance marketing of financial services" | "Εμπορία χρηματοπιστωτικών υπηρεσιών από απόσταση";
    registration: "Registration" | "Εγγραφή σε μητρώο";
    authority: "Supervisory authority" | "Εποπτική αρχή";
    language: "Language" | "Γλώσσα";
    language_text: "Information, agreement and messages are in English." | "Οι πληροφορίες, η σύμβαση και τα μηνύματα είναι στα ελληνικά.";
    complaints: "Complaints and redress" | "Καταγγελίες και μέσα έννομης προστασίας";
    complaints_text: "Complain to the bank first: {}. You also have access to an out-of-court procedure for disputes with banks, and to the courts."
        | "Απευθυνθείτε πρώτα στην τράπεζα: {}. Έχετε επίσης πρόσβαση σε εξωδικαστική επίλυση διαφορών με τράπεζες και στα δικαστήρια.";

    complaints_body_text: "Complain to the bank first: {}. You can also turn to {} for a settlement out of court, and to the courts."
        | "Απευθυνθείτε πρώτα στην τράπεζα: {}. Μπορείτε επίσης να απευθυνθείτε για εξωδικαστική επίλυση στον φορέα {} και στα δικαστήρια.";
    law: "Applicable law and courts" | "Εφαρμοστέο δίκαιο και αρμόδια δικαστήρια";

    // The explanation before the agreement.
    explanation_how: "The bank pays {} {} for you, and you owe that to the bank. You pay it back in {} monthly installments, {} in all, of which {} is interest. Agree only if you can pay each of them."
        | "Η τράπεζα πληρώνει για εσάς στο κατάστημα {} {} και εσείς οφείλετε το ποσό στην τράπεζα. Το επιστρέφετε σε {} μηνιαίες δόσεις, συνολικά {}, από τα οποία {} είναι τόκοι. Συμφωνήστε μόνο αν μπορείτε να πληρώνετε κάθε δόση.";

    // The schedule.
    schedule_title: "When you pay" | "Πότε πληρώνετε";
    column_number: "No." | "Αρ.";
    column_due: "Due date" | "Λήξη";
    column_principal: "Principal" | "Κεφάλαιο";
    column_interest: "Interest" | "Τόκοι";
    column_amount: "Amount" | "Ποσό";
    column_collected: "Collected on" | "Είσπραξη στις";
    column_transfer: "Transfer by" | "Μεταφορά έως";
    schedule_sum: "Total" | "Σύνολο";

    // The agreement, Art. 21.
    agreement_title: "Credit agreement" | "Σύμβαση πίστωσης";
    parties_title: "Parties" | "Συμβαλλόμενα μέρη";
    debtor: "Borrower" | "Δανειολήπτης";
    debtor_text: "{}, telephone {}" | "{}, τηλέφωνο {}";
    debtor_phone: "The holder of the telephone number {}" | "Ο κάτοχος του αριθμού τηλεφώνου {}";
    reference: "Reference of the loan" | "Κωδικός του δανείου";
    concluded: "Concluded on" | "Ημερομηνία σύναψης";
    terms_title: "The credit" | "Η πίστωση";
    agreement_rights_title: "Your rights" | "Τα δικαιώματά σας";
    agreement_withdrawal_until: "The last day on which you can withdraw is {}." | "Η τελευταία ημέρα υπαναχώρησης είναι στις {}.";
    statement: "Statement of the installments" | "Κατάσταση των δόσεων";
    statement_text: "You can have a statement in the form of an amortisation table at any time, free of charge. The schedule below is the one of the day of the agreement."
        | "Μπορείτε να λαμβάνετε κατάσταση με τη μορφή πίνακα χρεολυσίων οποτεδήποτε και δωρεάν. Το παρακάτω πρόγραμμα ισχύει κατά την ημέρα της σύμβασης.";
    linked: "The purchase and the credit" | "Η αγορά και η πίστωση";
    linked_text: "If you withdraw from the purchase under consumer law, you are no longer bound by this agreement: the shop refunds the bank, and the refund reduces what you owe. If the goods or services are not supplied, or not as agreed, and you did not get what you are entitled to from the shop, you may have remedies against the bank."
        | "Αν υπαναχωρήσετε από την αγορά βάσει του δικαίου των καταναλωτών, δεν δεσμεύεστε πια από αυτή τη σύμβαση: το κατάστημα επιστρέφει το ποσό στην τράπεζα και η επιστροφή μειώνει την οφειλή σας. Αν τα αγαθά ή οι υπηρεσίες δεν παρασχεθούν, ή όχι όπως συμφωνήθηκε, και δεν λάβατε ό,τι δικαιούστε από το κατάστημα, μπορεί να έχετε αξιώσεις κατά της τράπεζας.";
    ending: "End of the agreement" | "Λήξη της σύμβασης";
    ending_text: "The agreement ends when everything is paid, by withdrawal or by early repayment."
        | "Η σύμβαση λήγει με την πλήρη εξόφληση, με υπαναχώρηση ή με πρόωρη εξόφληση.";
} }

impl Words {
    pub(super) const fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::Greek => &GREEK,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn every_text_has_both_languages_with_the_same_placeholders() {
        let greek = |text: &str| text.chars().any(|c| ('\u{370}'..='\u{3ff}').contains(&c));
        for (key, english, other) in TABLE {
            assert!(!english.trim().is_empty() && !greek(english), "{key} in English: {english}");
            assert!(greek(other), "{key} in Greek: {other}");
            assert_eq!(english.matches("{}").count(), other.matches("{}").count(), "{key}");
        }
    }
}
