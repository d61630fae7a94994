// Verification of callbacks (Standard Webhooks), with the Web Crypto of the platform, which compares in constant time.

import { TrapezaError } from "./errors.js";

export class WebhookInvalid extends TrapezaError {}

export const TOLERANCE_SECONDS = 300;

/**
 * @param {string | string[]} secret
 * @param {Headers | Record<string, string | string[] | undefined>} headers
 * @param {string | Uint8Array} body
 * @param {{ toleranceSeconds?: number, nowSeconds?: number }} options
 * @returns {Promise<import("./models.js").Callback>}
 */
export async function verifyWebhook(secret, headers, body, options = {}) {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => header(headers, name));
  if (!/^[0-9]+$/.test(timestamp)) throw new WebhookInvalid("webhook-timestamp must be a number of seconds");
  const now = options.nowSeconds ?? Date.now() / 1000;
  if (Math.abs(now - Number(timestamp)) > (options.toleranceSeconds ?? TOLERANCE_SECONDS)) {
    throw new WebhookInvalid("webhook-timestamp differs too much from the clock");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = concatenated(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  // Every combination is compared, so that the time does not depend on which one is valid.
  let valid = false;
  for (const one of [secret].flat()) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", decoded(one.replace(/^whsec_/, "")), algorithm, false, ["verify"]);
    for (const text of signatures.split(" ")) {
      const [version, signature = ""] = text.split(",");
      const given = version === "v1" ? decodedOrEmpty(signature) : new Uint8Array();
      valid = (await crypto.subtle.verify("HMAC", key, given, signed)) || valid;
    }
  }
  if (!valid) throw new WebhookInvalid("no signature is valid");
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new WebhookInvalid("the body must be JSON");
  }
}

/**
 * @param {Headers | Record<string, string | string[] | undefined>} headers
 * @param {string} name
 * @returns {string}
 */
function header(headers, name) {
  const entries = headers instanceof Headers ? [...headers.entries()] : Object.entries(headers);
  const found = entries.find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof found !== "string") throw new WebhookInvalid(`the header ${name} is required once`);
  return found;
}

/** @param {Uint8Array} first @param {Uint8Array} second */
function concatenated(first, second) {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** @param {string} base64 */
const decoded = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** @param {string} base64 */
function decodedOrEmpty(base64) {
  try {
    return decoded(base64);
  } catch {
    return new Uint8Array();
  }
}
