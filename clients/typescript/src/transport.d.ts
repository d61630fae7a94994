/** One attempt of a request and its response, for logs. It has no bodies and no request headers. */
export interface Exchange {
  method: string;
  path: string;
  status: number;
  attempt: number;
  headers: Headers;
  correlationId: string | undefined;
}

/** Receives method, target, headers and body, and returns the headers of a signature (`Digest`, `Signature`, …). */
export type Signer = (
  method: string,
  target: string,
  headers: Record<string, string>,
  body: string,
) => Record<string, string> | Promise<Record<string, string>>;

export interface ClientOptions {
  /** The timeout of an attempt; 40 seconds by default. */
  timeoutMilliseconds?: number;
  /** How often a request that may be repeated is sent again, with the same idempotency key; 3 by default. */
  retries?: number;
  /** The longest `Retry-After` that is waited for; 30 seconds by default. */
  maxRetryAfterSeconds?: number;
  /** In production a fetch that presents your client certificate. */
  fetch?: typeof fetch;
  signer?: Signer;
  onResponse?: (exchange: Exchange) => void;
}

export interface Request {
  method: string;
  path: string;
  headers?: Record<string, string | number | boolean | undefined>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: object | undefined;
  hasKey?: boolean;
  requestId?: string | undefined;
  hasRequestId?: boolean;
  isText?: boolean;
  repeatable: boolean;
}

/** What the clients of all callers share. */
export declare class Client {
  constructor(baseUrl: string, credentials: Record<string, string>, options?: ClientOptions);
  protected send(request: Request): Promise<any>;
}

/** The `cursor` of the next page, from the `_links` of a page of transactions; undefined after the last page. */
export declare function nextCursor(links: Record<string, { href: string }>): string | undefined;
