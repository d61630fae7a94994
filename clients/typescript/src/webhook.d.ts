import type { Callback } from "./models.js";
import { TrapezaError } from "./errors.js";

/** A callback that must not be used. Answer it with 400. */
export declare class WebhookInvalid extends TrapezaError {}

/** How far the timestamp of a callback may differ from the clock. */
export declare const TOLERANCE_SECONDS: number;

/**
 * The callback, if its signature and timestamp are valid.
 *
 * `body` is the body as received, byte for byte. `secret` is one secret, or several during a rotation. Store the `webhook-id`s that you
 * have processed: a callback may arrive twice.
 */
export declare function verifyWebhook(
  secret: string | string[],
  headers: Headers | Record<string, string | string[] | undefined>,
  body: string | Uint8Array,
  options?: { toleranceSeconds?: number; nowSeconds?: number },
): Promise<Callback>;
