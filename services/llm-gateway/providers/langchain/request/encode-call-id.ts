import { createHash } from "node:crypto";

/** OpenAI's limit, the lowest of all providers. */
const MAX_LENGTH = 40;
/** Anthropic's rule, the strictest of all providers. */
const STRICT = /^[\w-]+$/u;
/** For chat completions: some models depend on the form of their own ids. */
const VISIBLE = /^[!-~]+$/u;

/**
 * A tool call's id in a form that every provider accepts. An id that is too long or has characters that Anthropic
 * refuses is replaced by its hash, which is the same in the call and in its result.
 */
export function encodeCallId(id: string): string {
  return isUsable(id, STRICT) ? id : hashed(id);
}

/** The same for chat completions, where an id may have any visible ASCII character. */
export function encodeChatCallId(id: string): string {
  return isUsable(id, VISIBLE) ? id : hashed(id);
}

function isUsable(id: string, allowed: RegExp): boolean {
  return id.length <= MAX_LENGTH && allowed.test(id);
}

function hashed(id: string): string {
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
