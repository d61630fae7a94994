//! The fields of requests, in the domain's terms.
//!
//! A rule reports the field that violates it. How the field is called in JSON, on a page or on the command line is decided
//! by the interface that answers, so that a second dialect can spell it otherwise.

/// A field of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    // Authentication and idempotency
    SubscriptionKey,
    ClientId,
    Certificate,
    ApplicationId,
    /// The idempotency key of a third party's or a customer's request.
    RequestId,
    /// The idempotency key of a merchant's request.
    MerchantRequestId,
    // The object that a request names
    AccountId,
    AuthorisationId,
    BasketId,
    CallbackId,
    CardId,
    ConsentId,
    LoanId,
    PaymentId,
    PaymentProduct,
    PermissionId,
    SigningBasketId,
    TransactionId,
    /// The consent under which accounts are read or a payment is initiated.
    UsedConsent,
    /// The consent under which funds are confirmed.
    UsedFundsConsent,
    // Signing baskets
    PaymentIds,
    ConsentIds,
    // Account references
    Account,
    Iban,
    Bban,
    Pan,
    MaskedPan,
    Msisdn,
    Currency,
    // Access consents
    Accounts,
    Balances,
    Transactions,
    AvailableAccounts,
    AvailableAccountsWithBalance,
    AllPsd2,
    ValidUntil,
    FrequencyPerDay,
    // Funds consents and confirmations
    CardNumber,
    CardExpiry,
    CardInformation,
    RegistrationInformation,
    // Statements
    DateFrom,
    EntryReferenceFrom,
    Cursor,
    // Payments
    EndToEndId,
    DebtorAccount,
    InstructedAmount,
    /// The number inside an amount object.
    AmountValue,
    CreditorAccount,
    CreditorAgent,
    CreditorAgentName,
    CreditorName,
    CreditorAddress,
    BuildingNumber,
    City,
    Country,
    PostalCode,
    Street,
    Remittance,
    /// The lines of a bulk payment.
    Payments,
    ExecutionDate,
    StartDate,
    EndDate,
    Frequency,
    DayOfExecution,
    MonthsOfExecution,
    ExecutionRule,
    /// The payee of a payment in the bank's app, as a whole.
    Payee,
    // Strong customer authentication
    ScaMethodId,
    RedirectUri,
    NokRedirectUri,
    NotificationUri,
    DeviceKey,
    DeviceSignature,
    // Baskets and refunds
    BasketValue,
    OrderIdentifier,
    BasketProducts,
    MerchantData,
    PhoneNumber,
    Email,
    ProductNumber,
    Name,
    Quantity,
    QuantityUnits,
    UnitPrice,
    TaxRate,
    TotalAmount,
    TotalDiscountAmount,
    TotalTaxAmount,
    ProductUrl,
    ProductImageUrl,
    /// A plain amount in a currency that is known already.
    Amount,
    // Registration of customers, merchants and applications
    Login,
    Password,
    ScaMethods,
    MerchantCode,
    MerchantNumber,
    Limits,
    Plans,
    Discount,
    SuccessCallback,
    FailCallback,
    SuccessRedirect,
    FailureRedirect,
    RedirectUris,
    /// The account to which a merchant's balance is paid.
    SettlementAccount,
    /// What an operator found.
    Note,
    // The portal
    OrganisationName,
    /// The role of a member of an organisation.
    MemberRole,
    MemberId,
    /// The PSD2 roles of a test certificate.
    CertificateRoles,
    /// The code of an authenticator app, or a recovery code.
    SignInCode,
    /// What is searched for in the console.
    SearchText,
    Month,
    /// How many days a token of the admin API works.
    TokenDays,
    Invitation,
    // The console
    StaffId,
    StaffRole,
    /// Why an action is requested or rejected.
    Reason,
    /// The kind of the object that an action is about.
    Object,
    ObjectId,
    /// A transfer from another bank.
    IncomingTransferId,
    /// The ISO 20022 reason of a return.
    ReasonCode,
    /// A problem of a clearing file.
    ProblemId,
    ReviewId,
    Explanation,
    /// A manual posting in the ledger.
    ManualPostingId,
    /// The account that a manual posting debits.
    DebitAccount,
    CreditAccount,
    /// What customers read on their statement about a manual posting.
    StatementText,
    // Sandbox
    ClockAdvance,
    Customers,
    Cards,
    Owners,
    OpeningBalance,
    OpenedOn,
    BookingDate,
}

/// One step of a path: a field, or an element of a field that is a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSegment {
    pub field: Field,
    pub index: Option<usize>,
}

/// Where an error is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldPath {
    /// From the outermost to the innermost field; empty when no single field is wrong.
    Fields(Vec<PathSegment>),
    /// As an interface spells it, for an error that was found while its format was read.
    Spelled(String),
}

impl Field {
    /// An element of a list.
    pub const fn element(self, index: usize) -> PathSegment {
        PathSegment { field: self, index: Some(index) }
    }
}

impl From<Field> for PathSegment {
    fn from(field: Field) -> Self {
        Self { field, index: None }
    }
}

impl FieldPath {
    /// The request as a whole.
    pub const REQUEST: Self = Self::Fields(Vec::new());

    pub fn spelled(name: impl Into<String>) -> Self {
        Self::Spelled(name.into())
    }

    /// The outermost field, if a field of the domain is wrong.
    pub fn outermost(&self) -> Option<Field> {
        match self {
            Self::Fields(segments) => segments.first().map(|segment| segment.field),
            Self::Spelled(_) => None,
        }
    }

    /// The fields of the path from the outermost on; none of a path that an interface has spelled.
    pub fn fields(&self) -> Vec<Field> {
        match self {
            Self::Fields(segments) => segments.iter().map(|segment| segment.field).collect(),
            Self::Spelled(_) => Vec::new(),
        }
    }

    /// The same path inside `parent`. A path that an interface has spelled is complete already.
    #[must_use]
    pub fn inside(self, parent: impl Into<PathSegment>) -> Self {
        match self {
            Self::Fields(mut segments) => {
                segments.insert(0, parent.into());
                Self::Fields(segments)
            }
            spelled @ Self::Spelled(_) => spelled,
        }
    }
}

impl From<Field> for FieldPath {
    fn from(field: Field) -> Self {
        Self::Fields(vec![field.into()])
    }
}

impl From<PathSegment> for FieldPath {
    fn from(segment: PathSegment) -> Self {
        Self::Fields(vec![segment])
    }
}

/// A field inside another.
impl From<[Field; 2]> for FieldPath {
    fn from(fields: [Field; 2]) -> Self {
        Self::Fields(fields.map(PathSegment::from).to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_puts_the_parent_first() {
        let inner = FieldPath::from(Field::Iban).inside(Field::Accounts.element(1));
        let expected = [Field::Accounts.element(1), Field::Iban.into()];
        assert_eq!(inner, FieldPath::Fields(expected.to_vec()));
        assert_eq!(FieldPath::REQUEST.inside(Field::Account), Field::Account.into());
    }
}
