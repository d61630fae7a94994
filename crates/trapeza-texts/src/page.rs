//! The texts of the pages, in English and Greek side by side. A `{}` is a placeholder; templates escape its value.

pub mod app;
pub mod checkout;
pub mod checkout_document;
pub mod customer;
pub mod headline;
pub mod home;
pub mod loan;
pub mod price;
pub mod review;
pub mod statistics;

use crate::account::account_name;
use crate::{Language, format, rejection};
use app::AppTexts;
use checkout::CheckoutTexts;
use checkout_document::CheckoutDocumentTexts;
use customer::CustomerTexts;
use headline::HeadlineTexts;
use home::HomeTexts;
use loan::LoanTexts;
use price::PriceTexts;
use review::ReviewTexts;
use statistics::StatisticsTexts;
use trapeza_domain::account::AccountName;
use trapeza_domain::money::Money;
use trapeza_domain::payment::PaymentRejection;
use trapeza_domain::time::Date;

macro_rules! texts {
    ($($key:ident: $english:literal | $greek:literal;)*) => {
        /// All texts of the pages in one language.
        #[derive(Debug)]
        pub struct PageTexts {
            pub language: Language,
            /// The texts of the app.
            pub app: &'static AppTexts,
            /// The texts of the signed-in customer's pages in the app.
            pub customer: &'static CustomerTexts,
            /// The headlines of pages that ask for a decision.
            pub headline: &'static HeadlineTexts,
            /// The texts of the sandbox's first page.
            pub home: &'static HomeTexts,
            /// The texts of the checkout.
            pub checkout: &'static CheckoutTexts,
            /// The texts around the documents of a credit agreement.
            pub checkout_document: &'static CheckoutDocumentTexts,
            /// The texts of a borrower's loan page.
            pub loan: &'static LoanTexts,
            /// The texts about reviews by a person.
            pub review: &'static ReviewTexts,
            /// The texts of the price widget.
            pub price: &'static PriceTexts,
            /// The texts of the page of statistics.
            pub statistics: &'static StatisticsTexts,
            $(pub $key: &'static str,)*
        }

        pub static ENGLISH: PageTexts = PageTexts {
            language: Language::English,
            app: &app::ENGLISH,
            checkout: &checkout::ENGLISH,
            headline: &headline::ENGLISH,
            home: &home::ENGLISH,
            customer: &customer::ENGLISH,
            checkout_document: &checkout_document::ENGLISH,
            loan: &loan::ENGLISH,
            review: &review::ENGLISH,
            price: &price::ENGLISH,
            statistics: &statistics::ENGLISH,
            $($key: $english,)*
        };
        pub static GREEK: PageTexts = PageTexts {
            language: Language::Greek,
            app: &app::GREEK,
            checkout: &checkout::GREEK,
            headline: &headline::GREEK,
            home: &home::GREEK,
            customer: &customer::GREEK,
            checkout_document: &checkout_document::GREEK,
            loan: &loan::GREEK,
            review: &review::GREEK,
            price: &price::GREEK,
            statistics: &statistics::GREEK,
            $($key: $greek,)*
        };

        #[cfg(test)]
        const TABLE: &[(&str, &str, &str)] = &[$((stringify!($key), $english, $greek),)*];
    };
}

texts! {
    // Every page.
    safety: "The bank never asks for a password or a code by telephone, e-mail or message."
        | "Η τράπεζα δεν ζητά ποτέ κωδικό πρόσβασης ή κωδικό μίας χρήσης από τηλέφωνο, e-mail ή μήνυμα.";
    demo: "Demo bank: nothing here is real. Messages to customers are at"
        | "Δοκιμαστική τράπεζα: τίποτα εδώ δεν είναι αληθινό. Τα μηνύματα προς πελάτες βρίσκονται στο";
    contact: "Contact:" | "Επικοινωνία:";
    other_language: "Language" | "Γλώσσα";
    carry_on: "Continue" | "Συνέχεια";
    refuse: "Refuse" | "Απόρριψη";
    back_to: "Back to {}" | "Επιστροφή: {}";
    close_window: "You may close this window." | "Μπορείτε να κλείσετε αυτό το παράθυρο.";
    on_the_way: "You will be taken back to {} in a moment." | "Σε λίγο θα μεταφερθείτε πίσω: {}.";
    stay: "Stay on this page" | "Παραμονή σε αυτή τη σελίδα";
    try_again: "Try again" | "Δοκιμάστε ξανά";
    steps: "Steps" | "Βήματα";
    step_sign_in: "Sign in" | "Σύνδεση";
    step_check: "Check" | "Έλεγχος";
    step_confirm: "Confirm" | "Επιβεβαίωση";

    // The first page of a link.
    start_title: "{} needs your agreement" | "Η εταιρεία «{}» χρειάζεται τη συγκατάθεσή σας";
    start_consent: "It asks to read information about your accounts at this bank."
        | "Ζητά να διαβάσει στοιχεία των λογαριασμών σας σε αυτή την τράπεζα.";
    start_funds: "It asks to check whether money is available on an account of yours."
        | "Ζητά να ελέγχει αν υπάρχουν διαθέσιμα χρήματα σε λογαριασμό σας.";
    start_payment: "It asks to pay from an account of yours at this bank."
        | "Ζητά να πληρώσει από λογαριασμό σας σε αυτή την τράπεζα.";
    start_cancellation: "It asks to cancel one of your payments." | "Ζητά να ανακαλέσει πληρωμή σας.";
    start_basket: "It asks you to approve several orders together." | "Ζητά να εγκρίνετε μαζί περισσότερες εντολές.";
    start_next: "Sign in to see exactly what is asked. Nothing is agreed before you say so. The link opens in one browser only: this one, if you continue."
        | "Συνδεθείτε για να δείτε ακριβώς τι ζητείται. Τίποτα δεν εγκρίνεται αν δεν το πείτε εσείς. Ο σύνδεσμος ανοίγει μόνο σε ένα πρόγραμμα περιήγησης: σε αυτό, αν συνεχίσετε.";

    // Signing in.
    sign_in_title: "Sign in" | "Σύνδεση";
    sign_in_for: "To see what {} asks." | "Για να δείτε τι ζητά η εταιρεία «{}».";
    user_name: "User name" | "Όνομα χρήστη";
    password: "Password" | "Κωδικός πρόσβασης";
    sign_in: "Sign in" | "Σύνδεση";
    go_back: "Not now" | "Όχι τώρα";
    password_wrong: "That did not work. Check the password and try again; after several wrong ones you have to wait."
        | "Η σύνδεση δεν έγινε. Ελέγξτε τον κωδικό πρόσβασης και δοκιμάστε ξανά· μετά από αρκετές λανθασμένες προσπάθειες θα χρειαστεί να περιμένετε.";

    // The summary.
    check_title: "Check what is asked" | "Ελέγξτε τι ζητείται";
    ask_listed: "{} asks to read these accounts" | "Η εταιρεία «{}» ζητά να διαβάσει αυτούς τους λογαριασμούς";
    ask_list: "{} asks to see which accounts you have" | "Η εταιρεία «{}» ζητά να δει ποιους λογαριασμούς έχετε";
    ask_list_balances: "{} asks to see your accounts and their balances"
        | "Η εταιρεία «{}» ζητά να δει τους λογαριασμούς σας και τα υπόλοιπά τους";
    ask_chosen: "{} asks to read accounts that you choose" | "Η εταιρεία «{}» ζητά να διαβάσει λογαριασμούς που θα επιλέξετε";
    choose_accounts: "Choose the accounts. What you do not tick stays hidden."
        | "Επιλέξτε λογαριασμούς. Ό,τι δεν επιλέξετε δεν το βλέπει κανείς.";
    choose_none: "Choose at least one account." | "Επιλέξτε τουλάχιστον έναν λογαριασμό.";
    no_account: "You have no account at this bank that could be shown." | "Δεν έχετε σε αυτή την τράπεζα λογαριασμό που θα μπορούσε να εμφανιστεί.";
    ask_basket: "{} asks you to approve these orders together" | "Η εταιρεία «{}» ζητά να εγκρίνετε μαζί αυτές τις εντολές";
    bulk_heading: "{} asks to make these payments" | "Η εταιρεία «{}» ζητά να γίνουν αυτές οι πληρωμές";
    bulk_cancel_heading: "{} asks to cancel these payments" | "Η εταιρεία «{}» ζητά να ανακληθούν αυτές οι πληρωμές";
    bulk_payments: "{} payments" | "{} πληρωμές";
    bulk_count: "Payments" | "Πληρωμές";
    bulk_fingerprint: "List" | "Λίστα";
    bulk_more: "Not shown" | "Δεν εμφανίζονται";
    bulk_note: "You approve all of them with one confirmation. The names of the payees are not compared with the owners of the accounts."
        | "Τις εγκρίνετε όλες με μία επιβεβαίωση. Τα ονόματα των δικαιούχων δεν συγκρίνονται με τους κατόχους των λογαριασμών.";
    basket_order: "Order" | "Εντολή";
    basket_account: "Account" | "Λογαριασμός";
    basket_note: "You approve all of them with one confirmation. Check each." | "Τις εγκρίνετε όλες με μία επιβεβαίωση. Ελέγξτε καθεμία.";
    ask_all: "{} asks to read all your accounts and cards"
        | "Η εταιρεία «{}» ζητά να διαβάσει όλους τους λογαριασμούς και τις κάρτες σας";
    ask_funds: "{} asks to check whether an amount is available"
        | "Η εταιρεία «{}» ζητά να ελέγχει αν ένα ποσό είναι διαθέσιμο";
    all_note: "This includes accounts that you open later."
        | "Αυτό περιλαμβάνει και λογαριασμούς που θα ανοίξετε αργότερα.";
    details: "Name and number" | "Όνομα και αριθμός";
    balances: "balance" | "υπόλοιπο";
    transactions: "transactions" | "κινήσεις";
    owner_name: "names of the owners" | "ονόματα δικαιούχων";
    owner_names: "Names of the owners" | "Ονόματα δικαιούχων";
    owner_names_shown: "Shown as well" | "Εμφανίζονται επίσης";
    yes_or_no: "Yes or no to an amount, never the balance" | "Ναι ή όχι για ένα ποσό, ποτέ το υπόλοιπο";
    until: "Until" | "Έως";
    until_taken_back: "Until you withdraw it" | "Μέχρι να το ανακαλέσετε";
    often: "How often" | "Πόσο συχνά";
    once: "Once" | "Μία φορά";
    often_with_you: "Whenever you use it, and up to {} times a day without you"
        | "Όποτε το χρησιμοποιείτε, και έως {} φορές την ημέρα χωρίς εσάς";
    card: "Card" | "Κάρτα";
    licence: "Licence" | "Άδεια";
    may_listed: "{} may read these accounts" | "Η εταιρεία «{}» μπορεί να διαβάζει αυτούς τους λογαριασμούς";
    may_list: "{} may see which accounts you have" | "Η εταιρεία «{}» μπορεί να βλέπει ποιους λογαριασμούς έχετε";
    may_list_balances: "{} may see your accounts and their balances" | "Η εταιρεία «{}» μπορεί να βλέπει τους λογαριασμούς σας και τα υπόλοιπά τους";
    may_all: "{} may read all your accounts and cards" | "Η εταιρεία «{}» μπορεί να διαβάζει όλους τους λογαριασμούς και τις κάρτες σας";
    may_funds: "{} may check whether an amount is available" | "Η εταιρεία «{}» μπορεί να ελέγχει αν ένα ποσό είναι διαθέσιμο";
    own_pay: "You pay" | "Πληρώνετε";
    ask_pay: "{} asks to make this payment" | "Η εταιρεία «{}» ζητά να γίνει αυτή η πληρωμή";
    ask_cancel: "{} asks to cancel this payment" | "Η εταιρεία «{}» ζητά να ανακληθεί αυτή η πληρωμή";
    from_account: "From this account" | "Από αυτόν τον λογαριασμό";
    to_account: "To this account" | "Σε αυτόν τον λογαριασμό";
    amount: "Amount" | "Ποσό";
    fee: "Fee" | "Έξοδα";
    payee: "To" | "Προς";
    remittance: "Reference" | "Αιτιολογία";
    standing_order: "Standing order" | "Πάγια εντολή";
    standing_order_rule: "If banks are closed on that day" | "Αν οι τράπεζες είναι κλειστές";
    execution_date: "Execution date" | "Ημερομηνία εκτέλεσης";
    payee_match_title: "Name check: match" | "Επαλήθευση δικαιούχου: ταύτιση";
    payee_close_title: "Name check: close match" | "Επαλήθευση δικαιούχου: μερική ταύτιση";
    payee_other_title: "Name check: no match" | "Επαλήθευση δικαιούχου: καμία ταύτιση";
    payee_unknown_title: "Name check: not possible" | "Επαλήθευση δικαιούχου: δεν ήταν δυνατή";
    payee_match: "The account belongs to this name." | "Το όνομα αντιστοιχεί στον δικαιούχο του λογαριασμού.";
    payee_close: "The name is similar to the name of the account owner, but not the same. Check it before you continue."
        | "Το όνομα μοιάζει με το όνομα του δικαιούχου του λογαριασμού, αλλά δεν είναι το ίδιο. Ελέγξτε το πριν συνεχίσετε.";
    payee_close_name: "The name is similar, but the account belongs to {}. Check it before you continue."
        | "Το όνομα μοιάζει, αλλά δικαιούχος του λογαριασμού είναι: {}. Ελέγξτε το πριν συνεχίσετε.";
    payee_other: "The account does not belong to this name. If you continue, the money may go to another person."
        | "Το όνομα δεν αντιστοιχεί στον δικαιούχο του λογαριασμού. Αν συνεχίσετε, τα χρήματα μπορεί να πάνε σε άλλο πρόσωπο.";
    payee_unknown: "It could not be checked whether the account belongs to this name. Make sure that the account number is right."
        | "Δεν ήταν δυνατό να επαληθευτεί ο δικαιούχος του λογαριασμού. Βεβαιωθείτε ότι ο αριθμός λογαριασμού είναι σωστός.";
    only_this: "Exactly this is done, once, and nothing else." | "Γίνεται ακριβώς αυτό, μία φορά, και τίποτε άλλο.";
    only_on_days: "Exactly this is done, on these days, and nothing else."
        | "Γίνεται ακριβώς αυτό, στις ημερομηνίες αυτές, και τίποτε άλλο.";
    only_these: "Exactly this is done, and nothing else." | "Γίνεται ακριβώς αυτό και τίποτε άλλο.";
    amount_each: "Amount each time" | "Ποσό κάθε φορά";
    no_money: "No money can be moved with this." | "Με αυτό δεν μπορούν να μετακινηθούν χρήματα.";

    // Choosing a method.
    choose: "How do you want to confirm?" | "Πώς θέλετε να επιβεβαιώσετε;";
    method_sms: "Text message" | "Μήνυμα SMS";
    method_chip: "Card reader" | "Συσκευή ανάγνωσης κάρτας";
    method_photo: "Photo reader" | "Συσκευή σάρωσης εικόνας";
    method_push: "The bank's app" | "Η εφαρμογή της τράπεζας";
    too_many: "A code was asked for a moment ago, or too often. Wait half a minute and try again."
        | "Ζητήθηκε κωδικός πριν από λίγο ή πολλές φορές. Περιμένετε μισό λεπτό και δοκιμάστε ξανά.";

    // Confirming.
    confirm_title: "Confirm" | "Επιβεβαίωση";
    prompt_sms: "We sent you a text message. Read in it who asks and for what, then enter its code."
        | "Σας στείλαμε μήνυμα SMS. Διαβάστε σε αυτό ποιος ζητά και τι, και πληκτρολογήστε τον κωδικό του.";
    prompt_chip: "Type these digits into your card reader, then enter the number it shows."
        | "Πληκτρολογήστε αυτά τα ψηφία στη συσκευή σας και μετά εδώ τον αριθμό που δείχνει.";
    prompt_photo: "Point your photo reader at this picture, then enter the number it shows."
        | "Στρέψτε τη συσκευή σας σε αυτή την εικόνα και πληκτρολογήστε τον αριθμό που δείχνει.";
    prompt_push: "Open the bank's app. It asks the same, with three numbers: choose this one there."
        | "Ανοίξτε την εφαρμογή της τράπεζας. Ρωτά το ίδιο, με τρεις αριθμούς: επιλέξτε εκεί αυτόν.";
    picture: "A QR code for your photo reader" | "Κωδικός QR για τη συσκευή σας";
    code: "Code" | "Κωδικός";
    approve: "Approve" | "Έγκριση";
    code_wrong: "That was not the code, or it came too late. You have three tries for each code."
        | "Ο κωδικός είναι λανθασμένος ή έχει λήξει. Έχετε τρεις προσπάθειες για κάθε κωδικό.";
    code_over: "This code can no longer be used. Ask for a new one."
        | "Αυτός ο κωδικός δεν ισχύει πια. Ζητήστε νέο.";
    code_none: "No further code can be sent for this. Refuse here and start again where you came from."
        | "Δεν μπορεί να σταλεί άλλος κωδικός. Επιλέξτε απόρριψη και ξεκινήστε πάλι από εκεί που ήρθατε.";
    code_again: "Send a new code" | "Αποστολή νέου κωδικού";
    digits_again: "Show new digits" | "Εμφάνιση νέων ψηφίων";
    picture_again: "Show a new picture" | "Εμφάνιση νέας εικόνας";
    push_again: "Ask again in the app" | "Νέο αίτημα στην εφαρμογή";
    other_method: "Confirm in another way" | "Επιβεβαίωση με άλλον τρόπο";
    answered: "I have answered in the app" | "Απάντησα στην εφαρμογή";
    waiting: "This page continues by itself once you have answered." | "Η σελίδα προχωρά μόνη της όταν απαντήσετε.";
    open_app: "Open the app in this browser" | "Άνοιγμα της εφαρμογής εδώ";

    // The end.
    end_granted: "Approved" | "Εγκρίθηκε";
    end_granted_text: "{} has your agreement." | "Η εταιρεία «{}» έχει τη συγκατάθεσή σας.";
    end_foreign: "Not granted" | "Δεν εγκρίθηκε";
    end_foreign_text: "{} has named an account that is not yours, so it gets nothing."
        | "Η εταιρεία «{}» ζήτησε λογαριασμό που δεν είναι δικός σας, οπότε δεν παίρνει τίποτα.";
    end_undone: "Not done" | "Δεν έγινε";
    end_unpaid_text: "The payment could not be made. {} Nothing was paid."
        | "Η πληρωμή δεν έγινε. {} Δεν πληρώθηκε τίποτα.";
    end_paid_text: "Your payment was accepted." | "Η πληρωμή σας έγινε δεκτή.";
    end_cancelled_text: "Your payment was cancelled." | "Η πληρωμή σας ανακλήθηκε.";
    end_basket_text: "Your orders were approved. Each is now carried out on its own." | "Οι εντολές σας εγκρίθηκαν. Καθεμία εκτελείται πλέον χωριστά.";
    end_basket_undone_text: "Your orders were not approved, because one of them has changed." | "Οι εντολές σας δεν εγκρίθηκαν, επειδή μία από αυτές άλλαξε.";
    end_too_late_text: "The payment could no longer be cancelled." | "Η πληρωμή δεν μπορούσε πια να ανακληθεί.";
    end_failed: "Nothing was approved" | "Δεν εγκρίθηκε τίποτα";
    end_failed_text: "You refused, or the time was over. {} gets nothing. You can start again there."
        | "Απορρίψατε το αίτημα ή έληξε ο χρόνος. Η εταιρεία «{}» δεν παίρνει τίποτα. Μπορείτε να ξεκινήσετε πάλι από εκεί.";

    // Pages without a session.
    home_title: "Welcome to {}" | "Καλώς ήρθατε στην {}";
    home_text: "Customers see their accounts and approve requests in the app. Developers find the interface in the documentation."
        | "Οι πελάτες βλέπουν τους λογαριασμούς τους και εγκρίνουν αιτήματα στην εφαρμογή. Οι προγραμματιστές βρίσκουν το API στην τεκμηρίωση.";
    home_docs: "API documentation" | "Τεκμηρίωση του API";
    home_portal: "Portal for developers" | "Πύλη για προγραμματιστές";
    home_statistics: "Availability and response times" | "Διαθεσιμότητα και χρόνοι απόκρισης";
    unknown_title: "Page not found" | "Η σελίδα δεν βρέθηκε";
    unknown_text: "The app has no page at this address. Check the address, or start from the app's first page."
        | "Η εφαρμογή δεν έχει σελίδα σε αυτή τη διεύθυνση. Ελέγξτε τη διεύθυνση ή ξεκινήστε από την πρώτη σελίδα της εφαρμογής.";
    unknown_path_text: "There is no page at this address. Check the address, or start from the first page."
        | "Δεν υπάρχει σελίδα σε αυτή τη διεύθυνση. Ελέγξτε τη διεύθυνση ή ξεκινήστε από την αρχική σελίδα.";
    program_title: "This address is for programs" | "Αυτή η διεύθυνση είναι για προγράμματα";
    program_text: "A browser cannot use it. The documentation describes how a program calls it."
        | "Δεν χρησιμοποιείται από πρόγραμμα περιήγησης. Η τεκμηρίωση περιγράφει πώς την καλεί ένα πρόγραμμα.";
    home_link: "First page" | "Αρχική σελίδα";
    messages_title: "Messages to customers" | "Μηνύματα προς πελάτες";
    messages_text: "What this demo bank would send to telephones and apps, newest first."
        | "Όσα θα έστελνε αυτή η δοκιμαστική τράπεζα σε τηλέφωνα και εφαρμογές, με τα νεότερα πρώτα.";
    messages_none: "No message has been sent yet." | "Δεν έχει σταλεί ακόμη μήνυμα.";
    messages_again: "Load again" | "Νέα φόρτωση";

    // Errors.
    gone_title: "This link cannot be used" | "Αυτός ο σύνδεσμος δεν ισχύει";
    gone_text: "It is too old, was used already, or was opened in another browser. Nothing was agreed here. Go back to where you came from and start again."
        | "Είναι παλιός, έχει ήδη χρησιμοποιηθεί ή άνοιξε σε άλλο πρόγραμμα περιήγησης. Δεν εγκρίθηκε τίποτα εδώ. Επιστρέψτε εκεί από όπου ήρθατε και ξεκινήστε πάλι.";
    form_title: "This form is no longer valid" | "Αυτή η φόρμα δεν ισχύει πια";
    form_text: "For your safety nothing was done. Load the page again; your browser has to accept its cookie."
        | "Για την ασφάλειά σας δεν έγινε τίποτα. Φορτώστε ξανά τη σελίδα· το πρόγραμμα περιήγησης πρέπει να δέχεται το cookie της.";
    trouble_title: "We could not do this right now" | "Δεν μπορέσαμε να το κάνουμε τώρα";
    trouble_text: "This is a problem on our side. Try again in a moment." | "Πρόκειται για δικό μας πρόβλημα. Δοκιμάστε ξανά σε λίγο.";
}

/// A text with its first `{}` replaced.
pub fn fill(text: &str, value: &str) -> String {
    text.replacen("{}", value, 1)
}

/// A text with its `{}` replaced one after another; a `{}` inside a value stays.
pub fn fill_all(text: &str, values: &[&str]) -> String {
    let mut values = values.iter();
    let mut filled = String::new();
    for (index, part) in text.split("{}").enumerate() {
        if index > 0 {
            filled.push_str(values.next().copied().unwrap_or("{}"));
        }
        filled.push_str(part);
    }
    filled
}

impl PageTexts {
    pub const fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::Greek => &GREEK,
        }
    }

    /// The name of an account.
    pub fn account_name(&self, name: &AccountName) -> String {
        account_name(self.language, name).to_owned()
    }

    /// That a payment was not made, and why.
    pub fn unpaid(&self, rejection: &PaymentRejection) -> String {
        fill(self.end_unpaid_text, &rejection::sentence(self.language, rejection))
    }

    /// An amount with its currency.
    pub fn money(&self, amount: Money) -> String {
        format::money(self.language, amount)
    }

    /// A date, written out.
    pub fn day(&self, day: Date) -> String {
        format::day(self.language, day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_both_languages_with_the_same_placeholders() {
        let greek = |text: &str| text.chars().any(|c| ('\u{370}'..='\u{3ff}').contains(&c));
        let tables = [
            TABLE,
            checkout::TABLE,
            customer::TABLE,
            checkout_document::TABLE,
            headline::TABLE,
            home::TABLE,
            app::TABLE,
            loan::TABLE,
            price::TABLE,
            review::TABLE,
            statistics::TABLE,
        ];
        for (key, english, other) in tables.into_iter().flatten() {
            assert!(!english.trim().is_empty() && !greek(english), "{key} in English: {english}");
            assert!(greek(other), "{key} in Greek: {other}");
            assert_eq!(english.matches("{}").count(), other.matches("{}").count(), "{key}");
        }
    }

    #[test]
    fn placeholder_is_replaced_once_and_not_inside_its_value() {
        assert_eq!(fill("{} asks", "{} Pay"), "{} Pay asks");
        assert_eq!(fill_all("{} asks {} for {}", &["{} Pay", "you"]), "{} Pay asks you for {}");
    }
}
