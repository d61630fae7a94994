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
    mandate: "Mandate" | "Εντολή άμεσης χρέωσης";
    purpose: "Purpose code" | "Κωδικός σκοπού";
    information: "Information" | "Πληροφορίες";
    booking_day: "Booked on" | "Ημερομηνία καταχώρισης";
    value_day: "Value date" | "Ημερομηνία αξίας (valeur)";
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

    // Payments.
    payments: "Your payments" | "Οι πληρωμές σας";
    payments_upcoming: "Scheduled payments and standing orders" | "Προγραμματισμένες πληρωμές και πάγιες εντολές";
    payments_none: "You have made no payment in the app." | "Δεν έχετε κάνει πληρωμή στην εφαρμογή.";
    payments_cursor_wrong: "This link is not of this list, so the newest payments are shown."
        | "Ο σύνδεσμος δεν είναι αυτής της λίστας και εμφανίζονται οι πιο πρόσφατες πληρωμές.";
    pay_fees: "Fees: within this bank {}, to other banks {}." | "Έξοδα: εντός της τράπεζας {}, προς άλλες τράπεζες {}.";
    pay_free: "none" | "κανένα";
    pay_currency_wrong: "Payments to other banks are made in euros. Choose an account in euros."
        | "Οι πληρωμές σε άλλες τράπεζες γίνονται σε ευρώ. Επιλέξτε λογαριασμό σε ευρώ.";
    pay_country_wrong: "This country does not take part in SEPA, so it cannot be paid from here."
        | "Η χώρα αυτή δεν συμμετέχει στον SEPA και δεν μπορεί να πληρωθεί από εδώ.";
    pay_no_route: "No bank is known for this account number. Check it digit by digit."
        | "Δεν είναι γνωστή τράπεζα για αυτόν τον αριθμό λογαριασμού. Ελέγξτε τον ψηφίο προς ψηφίο.";
    pay_same_account: "This is the account that you pay from." | "Αυτός είναι ο λογαριασμός από τον οποίο πληρώνετε.";
    payment_waiting: "Nothing is paid before you approve it." | "Δεν πληρώνεται τίποτα πριν το εγκρίνετε.";
    payment_scheduled: "Scheduled" | "Προγραμματισμένη";
    payment_scheduled_text: "The payment is made on its execution date, or on the next day on which banks settle payments. Until then no money is reserved."
        | "Η πληρωμή θα γίνει την ημερομηνία εκτέλεσής της ή την επόμενη ημέρα διακανονισμού των τραπεζών. Ως τότε δεν δεσμεύονται χρήματα.";
    payment_accepted: "Accepted" | "Έγινε δεκτή";
    payment_accepted_text: "The amount is reserved. The payment goes to the payee's bank with the next clearing."
        | "Το ποσό δεσμεύτηκε. Η πληρωμή φεύγει για την τράπεζα του δικαιούχου με την επόμενη εκκαθάριση.";
    payment_returned: "Returned" | "Επιστράφηκε";
    payment_returned_text: "The payee's bank has sent {} back. It is on your account again."
        | "Η τράπεζα του δικαιούχου επέστρεψε {}. Το ποσό είναι και πάλι στον λογαριασμό σας.";
    payment_submitted: "Sent" | "Στάλθηκε";
    payment_submitted_text: "The payment was sent to the payee's bank, which has not confirmed it yet."
        | "Η πληρωμή στάλθηκε στην τράπεζα του δικαιούχου, που δεν την έχει επιβεβαιώσει ακόμη.";
    payment_settled: "The money is at the payee's bank." | "Τα χρήματα βρίσκονται στην τράπεζα του δικαιούχου.";
    payment_cancelled: "The payment was cancelled. Nothing was paid." | "Η πληρωμή ανακλήθηκε. Δεν πληρώθηκε τίποτα.";
    payment_too_late: "This payment can no longer be cancelled." | "Αυτή η πληρωμή δεν μπορεί πλέον να ανακληθεί.";
    payment_approve: "Check and approve it" | "Έλεγχος και έγκριση";
    payment_cancel: "Cancel this payment" | "Ανάκληση της πληρωμής";
    payment_cancel_title: "Cancel this payment?" | "Ανάκληση αυτής της πληρωμής;";
    payment_cancel_text: "Nothing is paid then, and a reserved amount is free again. This cannot be undone."
        | "Τότε δεν πληρώνεται τίποτα και ένα δεσμευμένο ποσό αποδεσμεύεται. Αυτό δεν αναιρείται.";
    payment_cancel_confirm: "Cancel the payment of {}" | "Ανάκληση της πληρωμής {}";
    receipt_pdf: "Download as PDF" | "Λήψη σε PDF";
    receipt_heading: "Receipt of a payment" | "Απόδειξη πληρωμής";
    payment_id: "Payment number" | "Αριθμός πληρωμής";

    // The session.
    lock: "Lock the app" | "Κλείδωμα εφαρμογής";
    until: "Until {}" | "Έως τις {}";
    stay: "Stay signed in" | "Παραμονή σε σύνδεση";
    ends_soon: "For your safety the app locks itself in one minute." | "Για την ασφάλειά σας η εφαρμογή κλειδώνει σε ένα λεπτό.";
    locked_title: "Welcome back, {}" | "Καλώς ήρθατε ξανά, {}";
    locked: "The app is locked. Enter your password to open it." | "Η εφαρμογή είναι κλειδωμένη. Πληκτρολογήστε τον κωδικό πρόσβασης για να ανοίξει.";
    timed_out: "Your session ended on {}: the app locks itself after five minutes without use. Enter your password to open it."
        | "Η σύνδεσή σας έληξε στις {}: η εφαρμογή κλειδώνει μετά από πέντε λεπτά χωρίς χρήση. Πληκτρολογήστε τον κωδικό πρόσβασης για να ανοίξει.";
    not_you: "Not you? Sign in as another customer" | "Δεν είστε εσείς; Σύνδεση ως άλλος χρήστης";

    // Devices and help.
    devices: "Your devices" | "Οι συσκευές σας";
    devices_text: "Each of these browsers can approve payments with its own key. Remove one that you have lost or sold."
        | "Καθένα από αυτά τα προγράμματα περιήγησης εγκρίνει πληρωμές με δικό του κλειδί. Αφαιρέστε όποιο χάσατε ή πουλήσατε.";
    device_this: "This device" | "Αυτή η συσκευή";
    device_other: "Another device" | "Άλλη συσκευή";
    device_since: "Enrolled on" | "Εγγράφηκε στις";
    device_expires: "Enrolled until, without a sign-in" | "Ισχύει έως, χωρίς σύνδεση";
    device_signed_in: "signed in now" | "συνδεδεμένη τώρα";
    device_remove: "Remove" | "Αφαίρεση";
    device_remove_title: "Remove this other device?" | "Αφαίρεση της άλλης συσκευής;";
    device_remove_text: "It can approve nothing any more. To use it again, its owner needs the password and a code by text message."
        | "Δεν εγκρίνει πλέον τίποτα. Για να χρησιμοποιηθεί ξανά χρειάζονται ο κωδικός πρόσβασης και κωδικός με SMS.";
    device_removed: "The device was removed." | "Η συσκευή αφαιρέθηκε.";
    help: "Help" | "Βοήθεια";
    help_contact: "How to reach us" | "Πώς επικοινωνείτε μαζί μας";
    help_no_contact: "Ask at a branch of {}." | "Απευθυνθείτε σε κατάστημα της τράπεζας {}.";
    help_lost: "Lost your phone?" | "Χάσατε το τηλέφωνό σας;";
    help_lost_text: "Remove it from your devices here, from any other device of yours, and tell us."
        | "Αφαιρέστε το εδώ από τις συσκευές σας, από οποιαδήποτε άλλη συσκευή σας, και ενημερώστε μας.";
    help_unknown: "A payment that you did not make?" | "Πληρωμή που δεν κάνατε εσείς;";
    help_unknown_text: "Tell us at once, at the latest 13 months after it. We return an unauthorised payment by the end of the next business day."
        | "Ενημερώστε μας αμέσως, το αργότερο 13 μήνες μετά. Επιστρέφουμε μη εγκεκριμένη πληρωμή έως το τέλος της επόμενης εργάσιμης ημέρας.";
    help_third: "Who reads your accounts?" | "Ποιος διαβάζει τους λογαριασμούς σας;";
    help_third_text: "See every company that you have permitted to, and withdraw a permission at any time."
        | "Δείτε κάθε εταιρεία στην οποία το έχετε επιτρέψει και ανακαλέστε μια άδεια οποτεδήποτε.";

    // Loans.
    loans_active: "You are paying" | "Πληρώνετε τώρα";
    loans_ended: "Ended" | "Έχουν λήξει";
    loan_next: "Next payment" | "Επόμενη πληρωμή";
    loan_next_value: "{} on {}" | "{} στις {}";
    loan_show: "Show all details" | "Όλα τα στοιχεία";
    all_loans: "All purchases" | "Όλες οι αγορές";
} }
