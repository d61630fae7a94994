/** One invalid field, header or parameter. */
export interface FieldError {
  code: string;
  message: string;
  /** The path of the field (`access.accounts[0].iban`), or the name of the header. */
  field?: string;
}

/** Any failure of a request. */
export declare class TrapezaError extends Error {}

/** No response was received. The outcome of a write is unknown: send it again with the same idempotency key. */
export declare class ConnectionFailed extends TrapezaError {}

/** The bank has answered with an error. */
export declare class ApiError extends TrapezaError {
  constructor(status: number, headers: Headers, body: unknown);
  readonly status: number;
  /** All errors of the request. */
  readonly errors: FieldError[];
  /** The code of the first error: `FORMAT_ERROR`, or `certificate-invalid` of a problem. */
  readonly code: string;
  /** The field of the first error. */
  readonly field: string | undefined;
  /** The bank's id of the request. Quote it when you ask for support. */
  readonly correlationId: string | undefined;
  /** Seconds to wait, with 429 and 503. */
  readonly retryAfter: number | undefined;
  /** The body as received. */
  readonly body: unknown;
}

/** 400, 405, 406, 408, 413: correct the request. */
export declare class InvalidRequest extends ApiError {}
/** 401: key, client, certificate, role or consent; or the customer's password or code. */
export declare class Unauthorised extends ApiError {}
/** 403 or 404: the object does not exist or belongs to another caller. */
export declare class NotFound extends ApiError {}
/** 409: the state of the object does not allow the request. */
export declare class Conflict extends ApiError {}
/** 429: wait for `retryAfter` seconds. */
export declare class LimitExceeded extends ApiError {}
/** 500: report the correlation id to the bank. */
export declare class ServerError extends ApiError {}
/** 503: send the same request with the same idempotency key again, after `retryAfter` seconds. */
export declare class Unavailable extends ServerError {}

/** The error of a response. */
export declare function errorOf(status: number, headers: Headers, text: string): ApiError;
