// The errors of the client. All of them are `TrapezaError`s.

export class TrapezaError extends Error {
  /** @param {string} message @param {ErrorOptions} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class ConnectionFailed extends TrapezaError {}

export class ApiError extends TrapezaError {
  /** @param {number} status @param {Headers} headers @param {unknown} body */
  constructor(status, headers, body) {
    const errors = fieldErrors(body);
    const { code, field, message } = errors[0] ?? { code: "", message: "no description" };
    const correlationId = headers.get("x-correlation-id") ?? undefined;
    super(`${status} ${code}${field ? ` at ${field}` : ""}: ${message} (correlation id ${correlationId})`);
    this.status = status;
    this.errors = errors;
    this.code = code;
    this.field = field;
    this.correlationId = correlationId;
    this.retryAfter = seconds(headers.get("retry-after"));
    this.body = body;
  }
}

export class InvalidRequest extends ApiError {}
export class Unauthorised extends ApiError {}
export class NotFound extends ApiError {}
export class Conflict extends ApiError {}
export class LimitExceeded extends ApiError {}
export class ServerError extends ApiError {}
export class Unavailable extends ServerError {}

/** @type {Record<number, typeof ApiError>} */
const CLASSES = { 401: Unauthorised, 403: NotFound, 404: NotFound, 409: Conflict, 429: LimitExceeded, 503: Unavailable };

/** @param {number} status @param {Headers} headers @param {string} text */
export function errorOf(status, headers, text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  const Kind = CLASSES[status] ?? (status >= 500 ? ServerError : InvalidRequest);
  return new Kind(status, headers, body);
}

/** @param {string | null} text */
function seconds(text) {
  return text !== null && /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

/**
 * The errors of either shape of body.
 * @param {any} body
 * @returns {import("./errors.js").FieldError[]}
 */
function fieldErrors(body) {
  if (Array.isArray(body?.tppMessages)) {
    return body.tppMessages.map((/** @type {{ text: string, path?: string }} */ { text, path }) => {
      const [code = "", ...rest] = text.split(": ");
      return { code, message: rest.join(": ") || code, field: path };
    });
  }
  const code = String(body?.type ?? "").split(":").pop() ?? "";
  const errors = (body?.errors ?? []).map((/** @type {{ code?: string, message: string, field?: string }} */ error) => ({
    code: error.code ?? code,
    message: error.message,
    field: error.field,
  }));
  return errors.length > 0 ? errors : [{ code, message: String(body?.detail ?? "") }];
}
