import { createHash } from "node:crypto";

/** OpenAI's limit, the shortest of all. */
const MAX_LENGTH = 40;

/**
 * A tool call's id as every provider accepts it. Ids that one of them gave stay as they are; any other (too long, or
 * with characters that Anthropic refuses) becomes a hash of itself, the same one in the call and in its result.
 */
export function callIdOut(id: string): string {
  if (id.length <= MAX_LENGTH && /^[\w-]+$/u.test(id)) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
