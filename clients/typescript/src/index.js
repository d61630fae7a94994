// Client of the Trapeza API: open banking for third parties, Pay Later for merchants.

import { BankOperations, MerchantOperations, ThirdPartyOperations } from "./operations.js";

export * from "./errors.js";
export { nextCursor } from "./transport.js";
export * from "./webhook.js";

export class ThirdPartyClient extends ThirdPartyOperations {
  /**
   * @param {string} baseUrl
   * @param {{ subscriptionKey: string, clientId: string, certificate?: string }} credentials
   * @param {import("./transport.js").ClientOptions} [options]
   */
  constructor(baseUrl, { subscriptionKey, clientId, certificate }, options) {
    const proof = certificate === undefined ? undefined : { Certificate: certificate };
    super(baseUrl, { "Ocp-Apim-Subscription-Key": subscriptionKey, ClientId: clientId, ...proof }, options);
  }
}

export class MerchantClient extends MerchantOperations {
  /**
   * @param {string} baseUrl
   * @param {{ subscriptionKey: string, applicationId: string }} credentials
   * @param {import("./transport.js").ClientOptions} [options]
   */
  constructor(baseUrl, { subscriptionKey, applicationId }, options) {
    super(baseUrl, { "Ocp-Apim-Subscription-Key": subscriptionKey, "X-Application-ID": applicationId }, options);
  }
}

export class BankClient extends BankOperations {
  /** @param {string} baseUrl @param {import("./transport.js").ClientOptions} [options] */
  constructor(baseUrl, options) {
    super(baseUrl, {}, options);
  }
}
