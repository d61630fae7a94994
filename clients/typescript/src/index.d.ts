import type { ClientOptions } from "./transport.js";
import { BankOperations, MerchantOperations, ThirdPartyOperations } from "./operations.js";

export type * as models from "./models.js";
export * from "./errors.js";
export { type ClientOptions, type Exchange, type Signer, nextCursor } from "./transport.js";
export * from "./webhook.js";

/** Open banking, for third parties. */
export declare class ThirdPartyClient extends ThirdPartyOperations {
  /** `certificate` is required in the sandbox; in production the TLS connection proves it. */
  constructor(
    baseUrl: string,
    credentials: { subscriptionKey: string; clientId: string; certificate?: string },
    options?: ClientOptions,
  );
}

/** Pay Later, for merchants. */
export declare class MerchantClient extends MerchantOperations {
  constructor(baseUrl: string, credentials: { subscriptionKey: string; applicationId: string }, options?: ClientOptions);
}

/** Operations without authentication: the sandbox and the health checks. */
export declare class BankClient extends BankOperations {
  constructor(baseUrl: string, options?: ClientOptions);
}
