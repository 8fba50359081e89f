import { checkedLookup, type Resolve } from "#shared/egress/checked-lookup.ts";
import { isMetadataAddress } from "#shared/egress/is-metadata-address.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Agent } from "undici";

const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 4_000;

/** A request that was not answered. The message is for operators. */
export class NoAnswerError extends Error {}

interface OutboundRequest {
  readonly method: "GET" | "POST" | "PATCH";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Of the response; what follows is not read. */
  readonly maxBytes: number;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The beginning of the body. */
  readonly text: string;
}

/**
 * The requests that notifications make. No redirect is followed, because the next address could be any. Link-local
 * and metadata addresses are refused at the connection, whatever a name resolves to.
 */
export class Outbound implements AsyncDisposable {
  readonly #resolve: Resolve | undefined;
  #agent: Agent | undefined;

  constructor({ resolve }: { readonly resolve?: Resolve } = {}) {
    this.#resolve = resolve;
  }

  /** Throws NoAnswerError, and the signal's reason once it aborts. */
  async send(url: URL, request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse> {
    const { method, headers, body, timeoutMs, maxBytes } = request;
    // Names are checked when they are resolved.
    if (isMetadataAddress(url.hostname)) {
      throw new NoAnswerError(`the address ${url.hostname} is not allowed`);
    }
    // Loaded late: many installations send nothing.
    const { Agent, fetch } = (await import("undici")).default;
    this.#agent ??= new Agent({ connect: this.#connect(), keepAliveTimeout: KEEP_ALIVE_MS });
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url.href, {
        dispatcher: this.#agent,
        redirect: "manual",
        method,
        headers,
        signal: AbortSignal.any([signal, timeout]),
        ...(body === undefined ? {} : { body }),
      });
      const text = await readBeginning(response.body, maxBytes);
      return { status: response.status, headers: response.headers, text };
    } catch (error) {
      signal.throwIfAborted();
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const why = timeout.aborted ? `no answer within ${timeoutMs / 1_000} s` : errorMessage(cause);
      throw new NoAnswerError(why, { cause: error });
    }
  }

  #connect() {
    const refusal = (why: string, options?: ErrorOptions) => new Error(why, options);
    const resolve = this.#resolve;
    const lookup = checkedLookup({ resolve, isBlocked: isMetadataAddress, blocked: "not allowed", refusal });
    return { lookup, timeout: CONNECT_MS };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.destroy();
  }
}

async function readBeginning(body: AsyncIterable<unknown> | null, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of body ?? []) {
    if (!(chunk instanceof Uint8Array)) break;
    chunks.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.byteLength;
    if (bytes >= maxBytes) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Milliseconds from now that a header Retry-After asks to wait: seconds or an HTTP date (RFC 9110, 10.2.3); undefined for anything else. */
export function parseRetryAfter(value: string | null, nowMs = Date.now()): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d{1,9}\s*$/u.test(value)) return Number(value) * 1_000;
  const at = /^[A-Z][a-z]{2,8}, /u.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
