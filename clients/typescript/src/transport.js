// Requests by fetch: headers, idempotency keys, retries and errors.

import { ConnectionFailed, errorOf } from "./errors.js";

export class Client {
  #baseUrl;
  #credentials;
  #options;

  /**
   * @param {string} baseUrl
   * @param {Record<string, string>} credentials
   * @param {import("./transport.js").ClientOptions} options
   */
  constructor(baseUrl, credentials, options = {}) {
    this.#baseUrl = new URL(baseUrl).href.replace(/\/$/, "");
    this.#credentials = credentials;
    this.#options = {
      timeoutMilliseconds: options.timeoutMilliseconds ?? 40_000,
      retries: options.retries ?? 3,
      maxRetryAfterSeconds: options.maxRetryAfterSeconds ?? 30,
      fetch: options.fetch ?? globalThis.fetch,
      signer: options.signer,
      onResponse: options.onResponse,
    };
  }

  /**
   * @param {import("./transport.js").Request} request
   * @returns {Promise<any>}
   */
  async send(request) {
    const query = new URLSearchParams(present(request.query)).toString();
    const target = request.path + (query ? `?${query}` : "");
    /** @type {Record<string, string>} */
    const headers = { ...this.#credentials, Accept: request.isText ? "*/*" : "application/json", ...present(request.headers) };
    if (request.hasRequestId) headers["x-Request-ID"] = request.requestId ?? crypto.randomUUID();
    let content = "";
    if (request.body !== undefined) {
      const key = request.hasKey && !("requestId" in request.body) ? { requestId: crypto.randomUUID() } : {};
      content = JSON.stringify({ ...request.body, ...key });
      headers["Content-Type"] = "application/json";
    }
    if (this.#options.signer) {
      Object.assign(headers, await this.#options.signer(request.method, target, { ...headers }, content));
    }
    const { response, text } = await this.#attempts(request, target, headers, content);
    if (!response.ok) throw errorOf(response.status, response.headers, text);
    if (request.isText) return text;
    return text ? JSON.parse(text) : undefined;
  }

  /**
   * @param {import("./transport.js").Request} request
   * @param {string} target
   * @param {Record<string, string>} headers
   * @param {string} content
   */
  async #attempts(request, target, headers, content) {
    const { timeoutMilliseconds, retries, maxRetryAfterSeconds, onResponse } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const mayRepeat = request.repeatable && attempt <= retries;
      let response, text;
      try {
        response = await this.#options.fetch(this.#baseUrl + target, {
          method: request.method,
          headers,
          redirect: "error",
          signal: AbortSignal.timeout(timeoutMilliseconds),
          ...(content ? { body: content } : {}),
        });
        text = await response.text();
      } catch (cause) {
        if (!mayRepeat) throw new ConnectionFailed(`${request.method} ${request.path}: ${cause}`, { cause });
        await sleep(Math.min(2 ** (attempt - 1) / 4, maxRetryAfterSeconds));
        continue;
      }
      const correlationId = response.headers.get("x-correlation-id") ?? undefined;
      const { status } = response;
      onResponse?.({ method: request.method, path: request.path, status, attempt, headers: response.headers, correlationId });
      const wait = response.headers.get("retry-after") ?? "";
      if (status !== 503 || !mayRepeat || !/^[0-9]+$/.test(wait) || Number(wait) > maxRetryAfterSeconds) return { response, text };
      await sleep(Number(wait));
    }
  }
}

/** @param {Record<string, { href: string }>} links */
export function nextCursor(links) {
  const link = links["next"];
  return link ? (new URL(link.href, "http://bank.invalid").searchParams.get("cursor") ?? undefined) : undefined;
}

/**
 * The values that are not undefined, as texts.
 * @param {Record<string, string | number | boolean | undefined>} [values]
 * @returns {Record<string, string>}
 */
function present(values = {}) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) found[name] = String(value);
  return found;
}

/** @param {number} seconds */
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
