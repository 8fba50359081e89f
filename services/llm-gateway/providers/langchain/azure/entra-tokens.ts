import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Environment } from "#shared/service/environment.ts";
import type { RetryableError, TerminalError } from "#shared/errors.ts";
import { retryable, terminal } from "../../../errors/llm-error.ts";
import { redact } from "../../../errors/redact.ts";
import { WAIT_ESTIMATE_MS } from "../../../errors/wait-estimate.ts";
import { parseJsonObject } from "../../../parse-json.ts";
import { lruCached } from "../../lru-cache.ts";
import { tokenRequest, type TokenRequest, type TokenSource } from "./token-request.ts";

/** Returns a valid token. Throws TerminalError `credentials`, or RetryableError `provider_error` if none can be had now. */
type FindToken = (source: TokenSource) => Promise<string>;

interface Token {
  readonly text: string;
  /** In milliseconds since the epoch. */
  readonly expiresAt: number;
}

const MAX_SOURCES = 32;
/** A token is replaced this long before it expires, so that no call runs out of it on its way. */
const RENEW_BEFORE_MS = 300_000;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_LENGTH = 64 * 1024;

/** Finds tokens of Microsoft Entra ID, and keeps each until shortly before it expires. */
export function entraTokens(env: Environment): FindToken {
  const kept = lruCached(MAX_SOURCES, (source: TokenSource) => new KeptToken(source, env));
  return (source) => kept(source).find();
}

/** The token of one source. Calls that need a new one at the same time share a request. */
class KeptToken {
  readonly #source: TokenSource;
  readonly #env: Environment;
  #token: Token | undefined;
  #request: Promise<Token> | undefined;

  constructor(source: TokenSource, env: Environment) {
    this.#source = source;
    this.#env = env;
  }

  async find(): Promise<string> {
    const token = this.#token;
    if (token !== undefined && Date.now() < token.expiresAt - RENEW_BEFORE_MS) return token.text;
    try {
      this.#request ??= fetchToken(this.#source, this.#env);
      this.#token = await this.#request;
      return this.#token.text;
    } catch (error) {
      // The old token is good for some minutes more.
      if (token !== undefined && Date.now() < token.expiresAt) return token.text;
      throw error;
    } finally {
      this.#request = undefined;
    }
  }
}

async function fetchToken(source: TokenSource, env: Environment): Promise<Token> {
  const request = await tokenRequest(source, env);
  const { url, method, headers, body } = request;
  const { status, text } = await send(url, {
    method,
    headers,
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { body }),
  });
  if (status !== 200) throw refused(status, text, request);
  try {
    const { access_token: token, expires_in: seconds } = parseToken(parseJsonObject(text));
    return { text: token, expiresAt: Date.now() + Number(seconds) * 1_000 };
  } catch (error) {
    throw retryable("provider_error", "the sign-in to Azure did not answer with a token", { cause: error });
  }
}

const parseToken = compileParser(
  "token response",
  Type.Object({
    access_token: Type.String({ minLength: 1 }),
    /** Text from the metadata service. */
    expires_in: Type.Union([Type.Number(), Type.String({ pattern: "^\\d+$" })]),
  }),
);

async function send(url: string, options: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, options);
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      if (bytes instanceof Uint8Array) text += decoder.decode(bytes, { stream: true });
      if (text.length > MAX_ANSWER_LENGTH) break;
    }
    return { status: response.status, text };
  } catch (error) {
    throw retryable("provider_error", `the sign-in to Azure at ${hostOf(url)} cannot be reached`, {
      cause: error,
      estimateMs: WAIT_ESTIMATE_MS.unreachable,
    });
  }
}

function refused(
  status: number,
  text: string,
  { url, secrets }: TokenRequest,
): RetryableError | TerminalError {
  const body = parseJsonObject(text);
  const reason = body?.["error_description"] ?? body?.["error"] ?? text;
  const detail = redact(typeof reason === "string" ? reason : text, secrets).split(/[\r\n]/u, 1)[0] ?? "";
  const message = `the sign-in to Azure at ${hostOf(url)} refused (${status}): ${detail.slice(0, 300)}`;
  return status === 429 || status >= 500
    ? retryable("provider_error", message, { estimateMs: WAIT_ESTIMATE_MS.unreachable })
    : terminal("credentials", message);
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "an invalid address";
}
