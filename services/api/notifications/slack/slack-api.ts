import { compileParser, type ValueParser } from "#shared/contracts/compile-parser.ts";
import { Type, type Static, type TSchema } from "#shared/generated/typebox/typebox.mjs";
import type { Delivery } from "../destination.ts";
import { NoAnswerError, type Outbound, type OutboundResponse, parseRetryAfter } from "../http/outbound.ts";
import type { SlackSettings } from "../read-settings.ts";

/** A call that Slack did not answer as asked; the delivery says whether it is worth repeating. */
export class SlackError extends Error {
  readonly delivery: Exclude<Delivery, { readonly outcome: "sent" }>;
  /** Slack's word for the error; undefined if it gave none. */
  readonly code: string | undefined;

  constructor(delivery: Exclude<Delivery, { readonly outcome: "sent" }>, code?: string) {
    super(delivery.error);
    this.delivery = delivery;
    this.code = code;
  }
}

/** Slack takes nothing from the app any more until someone changes its settings. */
export function isRefusedApp(error: unknown): boolean {
  return isSaid(error, ["token_revoked", "token_expired", "invalid_auth", "not_authed", "account_inactive"]);
}

/** Nothing can be written there. */
export function isChannelGone(error: unknown): boolean {
  return isSaid(error, ["channel_not_found", "is_archived", "not_in_channel"]);
}

/** The message is gone, or too old to be edited. */
export function isMessageGone(error: unknown): boolean {
  return isSaid(error, ["message_not_found", "cant_update_message", "edit_window_closed"]);
}

function isSaid(error: unknown, words: readonly string[]): boolean {
  return error instanceof SlackError && words.includes(error.code ?? "");
}

/** These take JSON; the others take forms alone. */
const WRITES = ["chat.postMessage", "chat.update", "chat.postEphemeral", "reactions.add"] as const;
const READS = [
  "conversations.history",
  "conversations.replies",
  "users.info",
  "auth.test",
  "apps.connections.open",
] as const;
type SlackMethod = (typeof WRITES)[number] | (typeof READS)[number];

interface SlackCall {
  readonly method: SlackMethod;
  /** By default 5 s. */
  readonly timeoutMs?: number;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A page of messages: 200 of up to 40,000 characters are possible, usual are some hundred kB. */
const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 5_000;
/** Where Slack gives no time. */
const RATE_LIMIT_MS = 30_000;

/** Another message may be taken. All other errors are of the token, the channel or Slack: they can pass or be repaired. */
const REFUSED = new Set([
  "invalid_arguments",
  "invalid_blocks",
  "invalid_blocks_format",
  "invalid_metadata_format",
  "invalid_metadata_schema",
  "metadata_too_large",
  "msg_blocks_too_long",
  "msg_too_long",
  "no_text",
]);
/** Slack may have done what was asked. */
const UNSURE = new Set(["fatal_error", "internal_error", "request_timeout", "service_unavailable"]);

const parseAnswer = compileParser(
  "answer of Slack",
  Type.Object({ ok: Type.Boolean(), error: Type.Optional(Type.String()) }),
);

/** For calls whose answer tells nothing but that they were done. */
export const parseDone = compileParser("answer of Slack", Type.Object({}));

/** The methods of Slack's web API that are used here (https://docs.slack.dev/reference/methods). */
export class SlackApi {
  readonly #settings: Pick<SlackSettings, "token" | "apiUrl">;
  readonly #outbound: Outbound;

  constructor(settings: Pick<SlackSettings, "token" | "apiUrl">, outbound: Outbound) {
    this.#settings = settings;
    this.#outbound = outbound;
  }

  /** Calls a method once. Throws SlackError, and the signal's reason once it aborts. */
  async call<S extends TSchema>(
    { method, timeoutMs = TIMEOUT_MS, arguments: given }: SlackCall,
    parse: ValueParser<S>,
    signal: AbortSignal,
  ): Promise<Static<S>> {
    const { token, apiUrl } = this.#settings;
    const isWrite = WRITES.some((one) => one === method);
    const request = {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": isWrite ? "application/json; charset=utf-8" : "application/x-www-form-urlencoded",
      },
      body: isWrite ? JSON.stringify(given) : encoded(given),
      timeoutMs,
      maxBytes: MAX_BYTES,
    } as const;
    try {
      return read(method, await this.#outbound.send(new URL(`${apiUrl}/${method}`), request, signal), parse);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw new SlackError({
        outcome: "failed",
        error: `${method}: ${error.message}`,
        isUnsure: isPost(method),
      });
    }
  }
}

/** Only a repeated post leaves two messages. */
function isPost(method: SlackMethod): boolean {
  return method === "chat.postMessage";
}

function encoded(given: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(given).map(([key, value]): [string, string] => [key, String(value)]);
  return new URLSearchParams(texts).toString();
}

function read<S extends TSchema>(
  method: SlackCall["method"],
  { status, headers, text }: OutboundResponse,
  parse: ValueParser<S>,
): Static<S> {
  const isUnsure = isPost(method);
  if (status === 429) {
    const retryAfterMs = parseRetryAfter(headers.get("retry-after")) ?? RATE_LIMIT_MS;
    throw new SlackError({
      outcome: "failed",
      error: `${method}: rate limited`,
      retryAfterMs,
      isUnsure: false,
    });
  }
  if (status !== 200) {
    throw new SlackError({ outcome: "failed", error: `${method}: status ${status}`, isUnsure });
  }
  const body = decoded(text);
  if (body === undefined) throw new SlackError({ outcome: "failed", error: `${method}: no JSON`, isUnsure });
  const { ok, error = "unknown_error" } = parseAnswer(body);
  if (ok) return parse(body);
  const said = `${method}: ${error.slice(0, 100)}`;
  if (REFUSED.has(error)) throw new SlackError({ outcome: "refused", error: said }, error);
  const isRateLimit = error === "ratelimited" || error === "rate_limited";
  throw new SlackError(
    {
      outcome: "failed",
      error: said,
      isUnsure: isUnsure && UNSURE.has(error),
      ...(isRateLimit ? { retryAfterMs: RATE_LIMIT_MS } : {}),
    },
    error,
  );
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
