//! The texts of the page on which a borrower without an account here sees a loan, in both languages.

use crate::text_table::text_table;

text_table! { /// The texts of a borrower's loan page in one language.
LoanTexts {
    find_title: "Your loan" | "Το δάνειό σας";
    find_text: "Enter the payment reference from our text message or from your agreement. It begins with RF."
        | "Πληκτρολογήστε τον κωδικό πληρωμής από το μήνυμά μας ή από τη σύμβασή σας. Αρχίζει με RF.";
    find_label: "Payment reference" | "Κωδικός πληρωμής";
    find_wrong: "We know no loan with this reference. If your installments are collected from your account, use the bank's app."
        | "Δεν υπάρχει δάνειο με αυτόν τον κωδικό. Αν οι δόσεις σας εισπράττονται από λογαριασμό, χρησιμοποιήστε την εφαρμογή της τράπεζας.";
    find: "Continue" | "Συνέχεια";
    locked_text: "To see your loan, ask for a code. We send it to the number ending in {} with which you bought."
        | "Για να δείτε το δάνειό σας, ζητήστε έναν κωδικό. Τον στέλνουμε στον αριθμό που τελειώνει σε {} με τον οποίο αγοράσατε.";
    send_code: "Send the code" | "Αποστολή κωδικού";
    next: "Next: transfer {} by {}." | "Επόμενη πληρωμή: μεταφέρετε {} έως τις {}.";
    all: "To pay everything now, transfer {}. This amount is enough for three days."
        | "Για πλήρη εξόφληση τώρα, μεταφέρετε {}. Το ποσό αρκεί για τρεις ημέρες.";
    pay_back: "You have withdrawn. Transfer {} by {}." | "Υπαναχωρήσατε. Μεταφέρετε {} έως τις {}.";
    recognised: "Enter the reference exactly with the transfer; then the payment is recognised by itself."
        | "Γράψτε τον κωδικό ακριβώς στη μεταφορά· τότε η πληρωμή αναγνωρίζεται αυτόματα.";
    from_account: "Pay from an account at this bank" | "Πληρωμή από λογαριασμό σε αυτή την τράπεζα";
    withdraw_title: "Withdraw from the loan" | "Υπαναχώρηση από το δάνειο";
    withdraw_text: "Until {} you can withdraw without giving a reason. You then pay back {} by transfer within 30 days. What you bought is between you and the shop."
        | "Έως τις {} μπορείτε να υπαναχωρήσετε χωρίς αιτιολογία. Τότε επιστρέφετε {} με μεταφορά μέσα σε 30 ημέρες. Η αγορά σας αφορά εσάς και το κατάστημα.";
    withdraw_sure: "I want to withdraw." | "Θέλω να υπαναχωρήσω.";
    withdraw: "Withdraw" | "Υπαναχώρηση";
    withdraw_missing: "Tick the box if you want to withdraw." | "Σημειώστε το πλαίσιο αν θέλετε να υπαναχωρήσετε.";
    refresh: "Show the current state" | "Τρέχουσα κατάσταση";
    link: "See your loan" | "Δείτε το δάνειό σας";
} }
