//! The texts around the documents of a credit agreement, in both languages.

use crate::text_table::text_table;

text_table! { /// The texts around the documents in one language.
CheckoutDocumentTexts {
    explanation_title: "What this means for you" | "Τι σημαίνει αυτό για εσάς";
    information_text: "The Standard European Consumer Credit Information contains all of this in the form that the law requires. Read it before you agree, and save it."
        | "Οι Τυποποιημένες Ευρωπαϊκές Πληροφορίες Καταναλωτικής Πίστης περιέχουν όλα αυτά με τη μορφή που απαιτεί ο νόμος. Διαβάστε τις πριν συμφωνήσετε και αποθηκεύστε τις.";
    information_link: "Read the pre-contractual information" | "Ανάγνωση των προσυμβατικών πληροφοριών";
    information_pdf: "Save the pre-contractual information (PDF)" | "Αποθήκευση των προσυμβατικών πληροφοριών (PDF)";
    back: "Back to the agreement" | "Επιστροφή στη συμφωνία";
    email_label: "E-mail address (optional)" | "Διεύθυνση e-mail (προαιρετικά)";
    email_text: "We send the link to your documents there." | "Στέλνουμε εκεί τον σύνδεσμο για τα έγγραφά σας.";
    email_wrong: "That is no e-mail address. Correct it, or leave the field empty." | "Αυτή δεν είναι διεύθυνση e-mail. Διορθώστε την ή αφήστε το πεδίο κενό.";
    documents_title: "Your documents" | "Τα έγγραφά σας";
    documents_text: "Save them. The bank stores them unchanged, and you can get them again at any time."
        | "Αποθηκεύστε τα. Η τράπεζα τα φυλάσσει αμετάβλητα και μπορείτε να τα λάβετε ξανά οποτεδήποτε.";
    unavailable_title: "This document cannot be shown" | "Το έγγραφο δεν μπορεί να εμφανιστεί";
    unavailable_text: "It is not there, or it is not yours. Go back and try again, or ask the bank."
        | "Δεν υπάρχει ή δεν είναι δικό σας. Επιστρέψτε και δοκιμάστε ξανά ή ρωτήστε την τράπεζα.";
} }
