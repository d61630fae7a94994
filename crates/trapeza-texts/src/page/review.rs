//! The texts about decisions of the bank's program, their review by a person, and help with payments, in both languages.

use crate::text_table::text_table;
use trapeza_domain::loan::IncomeSource;

text_table! { /// The texts about reviews in one language.
ReviewTexts {
    automated: "A computer program made this decision, from your loans and payments here and, if you signed in, from what comes into your account. You have the right to an explanation, to state your view and to have a person review it."
        | "Την απόφαση πήρε ένα πρόγραμμα υπολογιστή, με βάση τα δάνεια και τις πληρωμές σας εδώ και, αν συνδεθήκατε, όσα μπαίνουν στον λογαριασμό σας. Έχετε δικαίωμα σε εξήγηση, να εκφράσετε την άποψή σας και να επανεξεταστεί η απόφαση από άνθρωπο.";
    ask: "Ask for a review by a person" | "Ζητήστε επανεξέταση από άνθρωπο";
    title: "Ask a person to review the decision" | "Επανεξέταση της απόφασης από άνθρωπο";
    text: "Someone at the bank looks at your case again and sends you the answer with its reasons by text message. An approval is for your next purchase within 30 days, up to the same amount."
        | "Κάποιος στην τράπεζα εξετάζει ξανά την υπόθεσή σας και σας στέλνει την απάντηση με τους λόγους της με μήνυμα SMS. Μια έγκριση ισχύει για την επόμενη αγορά σας μέσα σε 30 ημέρες, έως το ίδιο ποσό.";
    statement: "Why should we decide otherwise?" | "Γιατί να αποφασίσουμε διαφορετικά;";
    statement_wrong: "Write up to 500 characters." | "Γράψτε έως 500 χαρακτήρες.";
    income: "Your net income in a month" | "Το καθαρό μηνιαίο εισόδημά σας";
    income_optional: "Your net income in a month (optional)" | "Το καθαρό μηνιαίο εισόδημά σας (προαιρετικό)";
    income_title: "What you earn and spend" | "Τι κερδίζετε και τι ξοδεύετε";
    income_text: "The bank lends only what you can pay back. Declare your income and your regular expenses, or sign in if you have an account here: then the bank looks at what comes into it."
        | "Η τράπεζα δανείζει μόνο όσα μπορείτε να επιστρέψετε. Δηλώστε το εισόδημα και τα τακτικά σας έξοδα ή συνδεθείτε αν έχετε λογαριασμό εδώ: τότε η τράπεζα εξετάζει όσα μπαίνουν σε αυτόν.";
    expenses: "Your regular expenses in a month" | "Τα τακτικά μηνιαία έξοδά σας";
    amount_wrong: "Enter an amount, such as 1250.00." | "Γράψτε ένα ποσό, π.χ. 1250,00.";
    source: "Where your income comes from" | "Πηγή του εισοδήματός σας";
    source_employment: "Employment" | "Μισθωτή εργασία";
    source_self_employment: "Self-employment" | "Ελεύθερο επάγγελμα";
    source_pension: "Pension" | "Σύνταξη";
    source_benefits: "Benefits" | "Επιδόματα";
    source_other: "Other" | "Άλλη";
    declared: "What you declare is stored with the decision. The bank may ask you for proof."
        | "Όσα δηλώνετε αποθηκεύονται μαζί με την απόφαση. Η τράπεζα μπορεί να σας ζητήσει αποδεικτικά.";
    send: "Send the request" | "Αποστολή αιτήματος";
    cancel: "Back" | "Πίσω";
    trouble_title: "If you cannot pay as agreed" | "Αν δεν μπορείτε να πληρώσετε όπως συμφωνήθηκε";
    pause: "Pause for a month" | "Αναβολή για έναν μήνα";
    pause_title: "Pause your installments?" | "Αναβολή των δόσεων;";
    pause_text: "All installments that are left move by a month, and the next one is due at least a month from today. It costs nothing, and you can do it once."
        | "Όλες οι δόσεις που απομένουν μεταφέρονται κατά έναν μήνα και η επόμενη λήγει τουλάχιστον έναν μήνα από σήμερα. Δεν κοστίζει τίποτα και μπορείτε να το κάνετε μία φορά.";
    pause_offer: "You can move all installments that are left by a month, once and free of charge."
        | "Μπορείτε να μεταφέρετε όλες τις δόσεις που απομένουν κατά έναν μήνα, μία φορά και χωρίς χρέωση.";
    paused: "You paused the installments on {}." | "Κάνατε αναβολή των δόσεων στις {}.";
    extension: "Ask for a longer plan" | "Ζητήστε μεγαλύτερη διάρκεια";
    extension_title: "Ask for a longer plan" | "Αίτημα για μεγαλύτερη διάρκεια";
    extension_text: "With a longer plan you pay about half as much a month, twice as long, without further costs. A person at the bank decides and sends you the answer with its reasons by text message. Until then nothing is collected."
        | "Με μεγαλύτερη διάρκεια πληρώνετε περίπου τα μισά κάθε μήνα, για διπλάσιο χρόνο, χωρίς άλλη επιβάρυνση. Αποφασίζει ένας υπάλληλος της τράπεζας και σας στέλνει την απάντηση με τους λόγους της με μήνυμα SMS. Μέχρι τότε δεν εισπράττεται τίποτα.";
    extension_statement: "What has changed for you?" | "Τι άλλαξε για εσάς;";
    extension_offer: "You can ask for a longer plan with smaller installments, free of charge. A person decides."
        | "Μπορείτε να ζητήσετε μεγαλύτερη διάρκεια με μικρότερες δόσεις, χωρίς χρέωση. Αποφασίζει άνθρωπος.";
    extension_requested: "You asked for a longer plan on {}. Nothing is collected until we have answered."
        | "Ζητήσατε μεγαλύτερη διάρκεια στις {}. Δεν εισπράττεται τίποτα μέχρι να απαντήσουμε.";
    extension_granted: "You have a longer plan." | "Έχετε μεγαλύτερη διάρκεια.";
    extension_rejected: "A longer plan is not possible." | "Δεν είναι δυνατή μεγαλύτερη διάρκεια.";
    advice: "Independent advice about debts: {}." | "Ανεξάρτητη συμβουλή για χρέη: {}.";
    help_notice_paused: "The installments are paused." | "Οι δόσεις αναβλήθηκαν.";
    help_notice_asked: "Your request was sent." | "Το αίτημά σας στάλθηκε.";
    requested: "You asked for a review on {}. We send you the answer by text message."
        | "Ζητήσατε επανεξέταση στις {}. Θα σας στείλουμε την απάντηση με μήνυμα SMS.";
    granted: "A person has reviewed the decision: you can buy for up to {} in installments until {}."
        | "Ένας υπάλληλος επανεξέτασε την απόφαση: μπορείτε να αγοράσετε με δόσεις έως {} μέχρι τις {}.";
    rejected: "A person has reviewed the decision. It stays as it is." | "Ένας υπάλληλος επανεξέτασε την απόφαση. Η απόφαση παραμένει.";
} }

impl ReviewTexts {
    pub const fn source_name(&self, source: IncomeSource) -> &'static str {
        match source {
            IncomeSource::Employment => self.source_employment,
            IncomeSource::SelfEmployment => self.source_self_employment,
            IncomeSource::Pension => self.source_pension,
            IncomeSource::Benefits => self.source_benefits,
            IncomeSource::Other => self.source_other,
        }
    }
}
