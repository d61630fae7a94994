// Is type-checked and not run: what callers write, and mistakes that the compiler must find.

import { ApiError, MerchantClient, ThirdPartyClient, type models, verifyWebhook } from "../src/index.js";

export async function usage(tpp: ThirdPartyClient, merchant: MerchantClient): Promise<string> {
  const terms: models.ConsentRequest = {
    access: { allPsd2: "allAccounts" },
    recurringIndicator: true,
    validUntil: "2099-12-31",
    frequencyPerDay: 4,
  };
  const { consentId } = await tpp.createConsent(terms, { psuId: "eleni.papadaki" });
  // @ts-expect-error: the customer is required
  await tpp.createConsent(terms);
  // @ts-expect-error: a field is misspelt
  await tpp.createConsent({ ...terms, acces: {} } satisfies models.ConsentRequest, { psuId: "x" });
  // @ts-expect-error: an unknown product
  await tpp.getPayment("instant-transfers", "id");
  await merchant.createBasket({ basketValue: 120.3, orderIdentifier: "order-1" });
  const callback = await verifyWebhook("whsec_", new Headers(), "");
  const amount: number | null = callback.data.approvedLoanAmount;
  try {
    await tpp.deleteConsent(consentId);
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.field ?? ""} ${error.correlationId ?? ""} ${amount}`;
    throw error;
  }
  return consentId;
}
