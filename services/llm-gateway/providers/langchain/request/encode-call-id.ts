import { createHash } from "node:crypto";

/** OpenAI's limit, the shortest of all. */
const MAX_LENGTH = 40;
/** Anthropic's, the narrowest of all. */
const NARROW = /^[\w-]+$/u;
/** For chat completions: some models make something of the form of their ids. */
const WIDE = /^[!-~]+$/u;

/**
 * A tool call's id as every provider accepts it. Ids that one of them gave stay as they are; any other (too long, or
 * with characters that Anthropic refuses) becomes a hash of itself, the same one in the call and in its result.
 */
export function encodeCallId(id: string): string {
  return isUsable(id, NARROW) ? id : hashed(id);
}

/** The same for chat completions, where an id may hold any visible character. */
export function encodeChatCallId(id: string): string {
  return isUsable(id, WIDE) ? id : hashed(id);
}

function isUsable(id: string, allowed: RegExp): boolean {
  return id.length <= MAX_LENGTH && allowed.test(id);
}

function hashed(id: string): string {
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
