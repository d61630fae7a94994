//! The texts of the checkout, in both languages.

use crate::text_table::text_table;
use trapeza_domain::basket::DeclineReason;

text_table! { /// The texts of the checkout in one language.
CheckoutTexts {
    // Every page.
    step_phone: "Telephone" | "Τηλέφωνο";
    step_plan: "Plan" | "Πρόγραμμα";
    step_agree: "Agree" | "Συμφωνία";
    leave: "Leave without buying" | "Έξοδος χωρίς αγορά";
    total: "Total" | "Σύνολο";
    order: "Order" | "Παραγγελία";

    // The first page.
    start_title: "Buy at {} now, pay later" | "Αγοράστε τώρα από «{}», πληρώστε αργότερα";
    start_text: "The bank pays the shop, and you pay the bank in monthly installments. You see all terms before you agree to anything."
        | "Η τράπεζα πληρώνει το κατάστημα και εσείς πληρώνετε την τράπεζα σε μηνιαίες δόσεις. Βλέπετε όλους τους όρους πριν συμφωνήσετε σε οτιδήποτε.";
    start_browser: "You can go on in one browser only: this one, if you continue."
        | "Μπορείτε να συνεχίσετε μόνο σε ένα πρόγραμμα περιήγησης: σε αυτό, αν συνεχίσετε.";
    until: "You can decide until {}." | "Μπορείτε να αποφασίσετε έως τις {}.";

    // The phone number.
    phone_title: "Your telephone" | "Το τηλέφωνό σας";
    phone_text: "We send a code to it, to be sure that it is yours."
        | "Στέλνουμε έναν κωδικό, για να βεβαιωθούμε ότι είναι δικό σας.";
    phone_label: "Mobile number" | "Κινητό τηλέφωνο";
    phone_hint: "A number from another country begins with + and the country code."
        | "Αριθμός άλλης χώρας αρχίζει με + και τον κωδικό χώρας.";
    phone_given: "Leave it empty to use the number ending in {} that the shop gave us."
        | "Αφήστε το κενό για τον αριθμό που τελειώνει σε {} και μας έδωσε το κατάστημα.";
    phone_send: "Send the code" | "Αποστολή κωδικού";
    phone_wrong: "That is no telephone number. Write it as you dial it, or with a plus sign and the country code, such as +306900000001."
        | "Αυτό δεν είναι αριθμός τηλεφώνου. Γράψτε τον όπως τον καλείτε ή με το σύμβολο + και τον κωδικό χώρας, π.χ. +306900000001.";
    code_title: "The code from the message" | "Ο κωδικός του μηνύματος";
    code_text: "We sent a text message to the number ending in {}. Enter its code."
        | "Στείλαμε μήνυμα SMS στον αριθμό που τελειώνει σε {}. Πληκτρολογήστε τον κωδικό του.";
    code_text_typed: "We sent a text message to {}. Enter its code."
        | "Στείλαμε μήνυμα SMS στον αριθμό {}. Πληκτρολογήστε τον κωδικό του.";
    code_over: "The code for the number ending in {} is no longer good."
        | "Ο κωδικός για τον αριθμό που τελειώνει σε {} δεν ισχύει πια.";
    code_prove: "Continue" | "Συνέχεια";
    code_other: "Use another number" | "Άλλος αριθμός";

    // The plan.
    plan_title: "How do you want to pay?" | "Πώς θέλετε να πληρώσετε;";
    plan_each: "{} a month" | "{} τον μήνα";
    plan_count: "{} monthly installments" | "{} μηνιαίες δόσεις";
    plan_free: "No extra cost" | "Χωρίς επιβάρυνση";
    plan_costs: "{} in total" | "{} συνολικά";
    plan_terms: "APR {}, interest {}, total {}" | "ΣΕΠΕ {}, τόκοι {}, σύνολο {}";
    plan_declined: "Not available to you now" | "Δεν είναι διαθέσιμο για εσάς τώρα";
    customer_title: "Do you have an account with us?" | "Έχετε λογαριασμό στην τράπεζά μας;";
    customer_text: "Sign in, and installments are collected by themselves; you can also buy for more than €200.00 at a time."
        | "Συνδεθείτε και οι δόσεις εισπράττονται αυτόματα· μπορείτε επίσης να αγοράσετε για περισσότερα από 200,00 € κάθε φορά.";
    customer_known: "You are signed in. Installments are collected from {}."
        | "Έχετε συνδεθεί. Οι δόσεις εισπράττονται από τον λογαριασμό {}.";
    customer_bare: "You are signed in, but have no account here that installments could be collected from."
        | "Έχετε συνδεθεί, αλλά δεν έχετε εδώ λογαριασμό από τον οποίο θα μπορούσαν να εισπραχθούν δόσεις.";
    sign_in_wrong: "User name, password and telephone do not belong together. Check them and try again; after several wrong tries you have to wait."
        | "Το όνομα χρήστη, ο κωδικός και το τηλέφωνο δεν ταιριάζουν. Ελέγξτε τα και δοκιμάστε ξανά· μετά από αρκετές αποτυχίες πρέπει να περιμένετε.";
    sign_in_back: "Continue without signing in" | "Συνέχεια χωρίς σύνδεση";

    // The agreement.
    agree_title: "Read this before you agree" | "Διαβάστε αυτά πριν συμφωνήσετε";
    fact_lender: "You borrow from" | "Δανείζεστε από";
    fact_amount: "Amount lent" | "Ποσό δανείου";
    fact_rate: "Yearly interest rate" | "Ετήσιο επιτόκιο";
    fact_apr: "Yearly cost (APR)" | "Συνολικό Ετήσιο Πραγματικό Επιτόκιο (ΣΕΠΕ)";
    fact_total: "Total to repay" | "Συνολικό πληρωτέο ποσό";
    fact_collected: "Collected from" | "Είσπραξη από";
    fact_payment: "Payment" | "Πληρωμή";
    fact_not_collected: "You pay by bank transfer" | "Πληρώνετε με τραπεζική μεταφορά";
    fact_iban: "Transfer to (IBAN)" | "Μεταφορά στον λογαριασμό (IBAN)";
    fact_reference: "Your payment reference" | "Ο κωδικός πληρωμής σας";
    due_title: "When you pay" | "Πότε πληρώνετε";
    due_moved: "collected on {}" | "είσπραξη στις {}";
    due_transfer: "transfer it by {}" | "μεταφορά έως τις {}";
    withdrawal: "You may withdraw within 14 days, without giving a reason: then you pay back the amount and the interest of the days you had it."
        | "Μπορείτε να υπαναχωρήσετε μέσα σε 14 ημέρες, χωρίς αιτιολογία: τότε επιστρέφετε το ποσό και τους τόκους των ημερών.";
    late: "If an installment cannot be collected, it is tried again after 3 and after 7 days. A long delay counts against you in later decisions."
        | "Αν μια δόση δεν μπορεί να εισπραχθεί, γίνεται νέα προσπάθεια μετά από 3 και 7 ημέρες. Μεγάλη καθυστέρηση μετρά σε επόμενες αποφάσεις.";
    late_transfer: "If a transfer comes late, the loan is overdue. A long delay counts against you in later decisions."
        | "Αν μια μεταφορά καθυστερήσει, το δάνειο είναι σε καθυστέρηση. Μεγάλη καθυστέρηση μετρά σε επόμενες αποφάσεις.";
    agree_read: "I have read this and agree." | "Τα διάβασα και συμφωνώ.";
    agree: "Buy now, pay later" | "Αγορά τώρα, πληρωμή αργότερα";
    agree_missing: "Tick the box if you agree." | "Σημειώστε το πλαίσιο αν συμφωνείτε.";
    other_plan: "Choose another plan" | "Άλλο πρόγραμμα";

    // The end.
    end_approved: "Bought" | "Η αγορά ολοκληρώθηκε";
    end_approved_text: "The bank pays {}. You pay {} installments to the bank, the first on {}."
        | "Η τράπεζα πληρώνει: {}. Εσείς πληρώνετε {} δόσεις στην τράπεζα, την πρώτη στις {}.";
    end_transfer: "Pay by transfer to {} with the reference {}."
        | "Πληρώστε με μεταφορά στον λογαριασμό {} με κωδικό πληρωμής {}.";
    end_left: "Installments left to pay to the bank: {}, the next due on {}."
        | "Δόσεις που απομένουν προς την τράπεζα: {}, η επόμενη λήγει στις {}.";
    end_refunded: "{} refunded {}." | "Επιστροφή από {}: {}.";
    end_undone: "{} cancelled the whole purchase. Nothing is left to pay to the bank."
        | "Επιστροφή ολόκληρης της αγοράς από {}. Δεν απομένει τίποτα να πληρώσετε στην τράπεζα.";
    end_settled: "Nothing is left to pay to the bank." | "Δεν απομένει τίποτα να πληρώσετε στην τράπεζα.";
    end_declined: "Not bought" | "Η αγορά δεν ολοκληρώθηκε";
    why_merchant_limit: "The amount is outside what this shop may sell in installments. Nothing was agreed."
        | "Το ποσό είναι εκτός των ορίων αυτού του καταστήματος για δόσεις. Δεν συμφωνήθηκε τίποτα.";
    why_phone_blocked: "The bank does not lend on this telephone number. Ask the bank if you think that is wrong."
        | "Η τράπεζα δεν δανείζει με αυτόν τον αριθμό τηλεφώνου. Ρωτήστε την τράπεζα αν νομίζετε ότι είναι λάθος.";
    why_late_history: "An installment of yours was more than 30 days late in the last 12 months."
        | "Μια δόση σας καθυστέρησε πάνω από 30 ημέρες τους τελευταίους 12 μήνες.";
    why_exposure: "With this purchase you would owe more at a time than the bank lends. Pay back a part, sign in if you have an account here, or choose something smaller."
        | "Με αυτή την αγορά θα οφείλατε περισσότερα από όσα δανείζει η τράπεζα. Επιστρέψτε ένα μέρος, συνδεθείτε αν έχετε λογαριασμό εδώ, ή διαλέξτε κάτι μικρότερο.";
    why_velocity: "You have bought three times in the last 24 hours. Try again tomorrow."
        | "Έχετε αγοράσει τρεις φορές τις τελευταίες 24 ώρες. Δοκιμάστε ξανά αύριο.";
    why_affordability: "The installments would be too large a part of what you earn in a month. A longer plan may fit."
        | "Οι δόσεις θα ήταν πολύ μεγάλο μέρος όσων κερδίζετε κάθε μήνα. Ίσως ταιριάζει ένα μεγαλύτερο πρόγραμμα.";
    why_customer_left: "You left without buying. Nothing was agreed." | "Αποχωρήσατε χωρίς αγορά. Δεν συμφωνήθηκε τίποτα.";
    why_expired: "The time to decide is over. Nothing was agreed; the shop can make a new basket."
        | "Ο χρόνος για απόφαση τελείωσε. Δεν συμφωνήθηκε τίποτα· το κατάστημα μπορεί να φτιάξει νέο καλάθι.";
    why_voided: "The shop took the basket back. Nothing was agreed; ask the shop if you still want to buy."
        | "Το κατάστημα ακύρωσε το καλάθι. Δεν συμφωνήθηκε τίποτα· ρωτήστε το κατάστημα αν θέλετε ακόμη να αγοράσετε.";
    why_sandbox: "A test by the shop ended this purchase." | "Το τερμάτισε μια δοκιμή του καταστήματος.";

    // Other states.
    foreign_title: "Open in another browser" | "Ανοιχτό σε άλλο πρόγραμμα περιήγησης";
    foreign_text: "This purchase was begun in another browser or on another device. Go on there, or ask the shop for a new basket."
        | "Αυτή η αγορά ξεκίνησε σε άλλο πρόγραμμα περιήγησης ή συσκευή. Συνεχίστε εκεί ή ζητήστε από το κατάστημα νέο καλάθι.";
    over_title: "This purchase has ended" | "Αυτή η αγορά έχει τελειώσει";
    over_text: "It was decided, or its time is over. Ask the shop for a new basket if you still want to buy."
        | "Αποφασίστηκε ή τελείωσε ο χρόνος της. Ζητήστε από το κατάστημα νέο καλάθι αν θέλετε ακόμη να αγοράσετε.";
    none_title: "Basket not found" | "Το καλάθι δεν βρέθηκε";
    none_text: "Check the address, or ask the shop for a new one." | "Ελέγξτε τη διεύθυνση ή ζητήστε νέα από το κατάστημα.";
} }

impl CheckoutTexts {
    /// The text of a decline reason.
    pub const fn why(&self, reason: DeclineReason) -> &'static str {
        match reason {
            DeclineReason::MerchantLimit => self.why_merchant_limit,
            DeclineReason::PhoneBlocked => self.why_phone_blocked,
            DeclineReason::LateHistory => self.why_late_history,
            DeclineReason::Exposure => self.why_exposure,
            DeclineReason::Velocity => self.why_velocity,
            DeclineReason::Affordability => self.why_affordability,
            DeclineReason::CustomerLeft => self.why_customer_left,
            DeclineReason::Expired => self.why_expired,
            DeclineReason::Voided => self.why_voided,
            DeclineReason::Sandbox => self.why_sandbox,
        }
    }
}
