//! The texts of the bank's app, in both languages.

use crate::text_table::text_table;

text_table! { /// The texts of the bank's app in one language.
AppTexts {
    title: "The bank's app" | "Η εφαρμογή της τράπεζας";
    offline: "There is no connection. Try again when you are online."
        | "Δεν υπάρχει σύνδεση. Δοκιμάστε ξανά όταν συνδεθείτε.";
    sign_in_text: "Sign in to see what you are asked. On a new device we send you a code first."
        | "Συνδεθείτε για να δείτε τι σας ζητείται. Σε νέα συσκευή σάς στέλνουμε πρώτα έναν κωδικό.";
    wrong: "That did not work. Check the user name and the password; after several wrong ones you have to wait."
        | "Η σύνδεση δεν έγινε. Ελέγξτε το όνομα χρήστη και τον κωδικό πρόσβασης· μετά από αρκετές λανθασμένες προσπάθειες θα χρειαστεί να περιμένετε.";
    slow: "Too many failed attempts from here. Wait a minute and try again."
        | "Πολλές αποτυχημένες προσπάθειες από εδώ. Περιμένετε ένα λεπτό και δοκιμάστε ξανά.";
    code_title: "A code for this device" | "Κωδικός για αυτή τη συσκευή";
    code_text: "We sent a text message to your phone. Enter its code, and this browser becomes your app."
        | "Σας στείλαμε μήνυμα SMS. Πληκτρολογήστε τον κωδικό του και αυτό το πρόγραμμα περιήγησης γίνεται η εφαρμογή σας.";
    start_over: "Sign in as another customer" | "Σύνδεση ως άλλος χρήστης";
    waiting: "Waiting for you" | "Εκκρεμούν για εσάς";
    nothing: "There is nothing to approve. New requests appear here automatically."
        | "Δεν υπάρχει κάτι προς έγκριση. Τα νέα αιτήματα εμφανίζονται εδώ αυτόματα.";
    hello: "Signed in as {}" | "Συνδεδεμένος χρήστης: {}";
    number: "To approve, choose the number that the other screen shows. Another number ends the request."
        | "Για έγκριση, επιλέξτε τον αριθμό που δείχνει η άλλη οθόνη. Άλλος αριθμός τερματίζει το αίτημα.";
    not_mine: "If you see no number on another screen, someone else started this request: refuse it."
        | "Αν δεν βλέπετε αριθμό σε άλλη οθόνη, το αίτημα το ξεκίνησε κάποιος άλλος: απορρίψτε το.";
    notice_ordered: "Look at it once more and approve it, and it is paid."
        | "Ελέγξτε την πληρωμή ακόμη μία φορά και εγκρίνετέ την, για να εκτελεστεί.";
    tab_waiting: "Waiting" | "Εκκρεμή";
    tab_accounts: "Accounts" | "Λογαριασμοί";
    tab_pay: "Pay" | "Πληρωμή";
    tab_permissions: "Permissions" | "Άδειες";
    booked: "Balance" | "Υπόλοιπο";
    available: "Available" | "Διαθέσιμο";
    credit_limit: "Credit limit" | "Πιστωτικό όριο";
    blocked: "blocked" | "δεσμευμένος";
    newest_lines: "Newest transactions" | "Πρόσφατες κινήσεις";
    no_lines: "No transactions yet." | "Δεν υπάρχουν κινήσεις.";
    rejected_title: "Payments that were not made" | "Πληρωμές που δεν έγιναν";
    all_accounts: "All accounts" | "Όλοι οι λογαριασμοί";
    pay_title: "Make a payment" | "Νέα πληρωμή";
    pay_text: "You check and approve it on the next page. Nothing is paid before."
        | "Στην επόμενη σελίδα το ελέγχετε και το εγκρίνετε. Πριν δεν πληρώνεται τίποτα.";
    pay_iban: "IBAN of the payee" | "IBAN του δικαιούχου";
    pay_remittance: "Reference (optional)" | "Αιτιολογία (προαιρετικά)";
    pay_iban_wrong: "This IBAN is not right. Check it digit by digit."
        | "Αυτό το IBAN δεν είναι σωστό. Ελέγξτε το ψηφίο προς ψηφίο.";
    pay_iban_elsewhere: "No account at this bank has this IBAN and the currency of yours."
        | "Κανένας λογαριασμός της τράπεζας δεν έχει αυτό το IBAN και το νόμισμα του δικού σας.";
    pay_name_wrong: "Say whom you pay, in at most 70 characters."
        | "Γράψτε ποιον πληρώνετε, έως 70 χαρακτήρες.";
    pay_amount_wrong: "Write the amount like 12.50." | "Γράψτε το ποσό όπως 12,50.";
    pay_remittance_wrong: "The reference may have at most 140 characters."
        | "Η αιτιολογία έχει έως 140 χαρακτήρες.";
    pay_another: "Make another payment" | "Νέα πληρωμή";
    receipt_paid: "Paid" | "Πληρώθηκε";
    receipt_pending: "Payment in progress" | "Η πληρωμή εκτελείται";
    receipt_waiting: "Waiting for your approval" | "Περιμένει την έγκρισή σας";
    receipt_not_paid: "Not paid" | "Δεν πληρώθηκε";
    receipt_cancelled: "Cancelled" | "Ανακλήθηκε";
    receipt_iban: "IBAN" | "Αριθμός IBAN";
    receipt_time: "Time" | "Ώρα";
    receipt_status: "Status" | "Κατάσταση";
    pay_from_wrong: "Choose one of your accounts." | "Επιλέξτε έναν λογαριασμό σας.";
    permissions_title: "Who may see what" | "Ποιος βλέπει τι";
    permissions_text: "What you have permitted others to read. Taken back, it ends at once."
        | "Τι έχετε επιτρέψει σε άλλους να διαβάζουν. Όταν το ανακαλέσετε, λήγει αμέσως.";
    permissions_now: "In force" | "Σε ισχύ";
    permissions_none: "No one may read your accounts."
        | "Κανείς δεν μπορεί να διαβάσει τους λογαριασμούς σας.";
    permissions_before: "The last two years" | "Τα τελευταία δύο χρόνια";
    permission_waiting: "Waiting for your answer" | "Περιμένει την απάντησή σας";
    permission_refused: "Not approved" | "Δεν εγκρίθηκε";
    permission_other_account: "Not granted: it named an account that is not yours" | "Δεν δόθηκε: αφορούσε λογαριασμό που δεν είναι δικός σας";
    permission_overdue: "Not approved in time" | "Δεν εγκρίθηκε εγκαίρως";
    permission_taken_back: "Withdrawn by you" | "Ανακλήθηκε από εσάς";
    permission_over: "Expired" | "Έληξε";
    permission_ended: "Ended by the third party" | "Τερματίστηκε από την άλλη πλευρά";
    permission_since: "Approved on" | "Εγκρίθηκε στις";
    permission_asked: "Requested on" | "Ζητήθηκε στις";
    permission_end: "Ended on" | "Λήξη";
    last_used: "Last used" | "Τελευταία χρήση";
    never_used: "Never" | "Ποτέ";
    withdraw: "Withdraw" | "Ανάκληση";
    permission_holder: "Company" | "Εταιρεία";
    withdraw_title: "Withdraw this permission?" | "Ανάκληση αυτής της άδειας;";
    withdraw_text: "It ends at once. The company can then read nothing with it, and must ask you again."
        | "Λήγει αμέσως. Η εταιρεία δεν διαβάζει πλέον τίποτα με αυτήν και πρέπει να σας ρωτήσει ξανά.";
    withdrawn: "Taken back. From now on nothing can be read with it."
        | "Ανακλήθηκε. Από τώρα δεν διαβάζεται τίποτα με αυτήν.";
    no_key: "This browser has no key to sign with. The app needs JavaScript and a secure connection; if it has both, remove the device below and enrol it again."
        | "Αυτό το πρόγραμμα περιήγησης δεν έχει κλειδί υπογραφής. Η εφαρμογή χρειάζεται JavaScript και ασφαλή σύνδεση· αν υπάρχουν, αφαιρέστε τη συσκευή και εγγράψτε την ξανά.";
    news: "Something else is waiting for you." | "Υπάρχει και κάτι άλλο για εσάς.";
    show: "Show it" | "Εμφάνιση";
    confirm_cancel: "Go back without a change" | "Επιστροφή χωρίς αλλαγή";
    confirm_again: "This was not signed by your device, or the amount has changed since. Check it and confirm again."
        | "Δεν υπογράφηκε από τη συσκευή σας ή το ποσό έχει αλλάξει από τότε. Ελέγξτε το και επιβεβαιώστε ξανά.";
    remove_device_title: "Remove this device?" | "Αφαίρεση αυτής της συσκευής;";
    remove_device_text: "This browser is then no longer your app and can approve nothing. To use it again you need your password and a code by text message."
        | "Αυτό το πρόγραμμα περιήγησης δεν είναι πλέον η εφαρμογή σας και δεν εγκρίνει τίποτα. Για να το χρησιμοποιήσετε ξανά χρειάζεστε τον κωδικό πρόσβασης και κωδικό με SMS.";
    remove_device: "Remove this device" | "Αφαίρεση συσκευής";
    sign_out: "Sign out" | "Αποσύνδεση";
    notice_approved: "Approved. Continue on the other screen." | "Εγκρίθηκε. Συνεχίστε στην άλλη οθόνη.";
    notice_unpaid: "You approved, but the payment was not made. The reason is below your accounts."
        | "Εγκρίνατε, αλλά η πληρωμή δεν έγινε. Ο λόγος βρίσκεται κάτω από τους λογαριασμούς σας.";
    notice_refused: "Refused. Nothing was approved." | "Απορρίφθηκε. Δεν εγκρίθηκε τίποτα.";
    notice_wrong: "That was not the number of the other screen, so the request was ended. Start again there if it was yours."
        | "Δεν ήταν ο αριθμός της άλλης οθόνης και το αίτημα τερματίστηκε. Αν ήταν δικό σας, ξεκινήστε πάλι από εκεί.";
    notice_gone: "This request has already ended." | "Αυτό το αίτημα έχει ήδη λήξει.";

    // Loans.
    tab_loans: "Loans" | "Δάνεια";
    loans_title: "Purchases that you pay later" | "Όσα αγοράσατε και πληρώνετε αργότερα";
    loans_none: "You have no purchases to pay later." | "Δεν έχετε αγοράσει κάτι με μεταγενέστερη πληρωμή.";
    loan_order: "Order" | "Παραγγελία";
    loan_financed: "Financed" | "Χρηματοδοτήθηκαν";
    loan_refunded: "Refunded by the shop" | "Επιστράφηκαν από το κατάστημα";
    loan_left: "Left to pay" | "Απομένουν";
    loan_active: "Paid as agreed" | "Εξοφλείται κανονικά";
    loan_overdue: "Overdue since {}" | "Σε καθυστέρηση από {}";
    loan_repaid: "Paid" | "Εξοφλήθηκε";
    loan_withdrawn: "Withdrawn" | "Υπαναχωρήσατε";
    loan_withdrawal_open: "You have withdrawn. Pay back what you owe by {}." | "Υπαναχωρήσατε. Επιστρέψτε όσα οφείλετε έως τις {}.";
    loan_transfer_iban: "Transfers to (IBAN)" | "Μεταφορές στον λογαριασμό (IBAN)";
    loan_transfer_reference: "Payment reference" | "Κωδικός πληρωμής";
    loan_written_off: "Closed by the bank" | "Έκλεισε από την τράπεζα";
    loan_schedule: "Installments" | "Δόσεις";
    loan_paid_total: "Paid so far" | "Έχουν πληρωθεί";
    loan_paid: "paid on {}" | "πληρώθηκε στις {}";
    loan_paid_part: "{} already paid" | "έχουν ήδη πληρωθεί {}";
    loan_cancelled: "{} interest cancelled" | "ακυρώθηκαν τόκοι {}";
    loan_failed: "could not be collected" | "δεν εισπράχθηκε";
    loan_repay: "Pay the full amount now: {}" | "Εξόφληση όλου του ποσού τώρα: {}";
    loan_withdraw: "Withdraw from the loan: {}" | "Υπαναχώρηση από το δάνειο: {}";
    loan_withdraw_text: "Until {} you can withdraw without giving a reason: you pay back the amount and the interest accrued since."
        | "Έως {} μπορείτε να υπαναχωρήσετε χωρίς αιτιολογία: επιστρέφετε το ποσό και τους τόκους των ημερών.";
    loan_shop: "Shop" | "Κατάστημα";
    loan_repay_title: "Pay the full amount now?" | "Εξόφληση όλου του ποσού τώρα;";
    loan_repay_text: "The amount is debited at once, and the loan ends. This cannot be undone."
        | "Το ποσό χρεώνεται αμέσως και το δάνειο λήγει. Αυτό δεν αναιρείται.";
    loan_repay_confirm: "Pay {}" | "Πληρωμή {}";
    loan_withdraw_title: "Withdraw from the loan?" | "Υπαναχώρηση από το δάνειο;";
    loan_withdraw_confirm_text: "You pay back the amount and the interest accrued since: at once from your account if it has enough, otherwise by transfer within 30 days. What you bought stays between you and the shop. This cannot be undone."
        | "Επιστρέφετε το ποσό και τους τόκους των ημερών: αμέσως από τον λογαριασμό σας αν το υπόλοιπο επαρκεί, αλλιώς με μεταφορά μέσα σε 30 ημέρες. Η αγορά σας αφορά εσάς και το κατάστημα. Αυτό δεν αναιρείται.";
    loan_withdraw_confirm: "Withdraw and pay {}" | "Υπαναχώρηση και πληρωμή {}";
    loan_notice_repaid: "Paid in full." | "Εξοφλήθηκε. Δεν οφείλεται πλέον τίποτα.";
    loan_notice_withdrawn: "You have withdrawn from the loan. What you bought is between you and the shop." | "Υπαναχωρήσατε από το δάνειο. Η αγορά σας αφορά εσάς και το κατάστημα.";
    loan_notice_short: "Payment failed: your account has insufficient funds or cannot be used." | "Δεν έγινε: το υπόλοιπο δεν επαρκεί ή ο λογαριασμός δεν μπορεί να χρησιμοποιηθεί.";
} }
