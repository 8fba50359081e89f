import { createHash } from "node:crypto";

/** Gemini's limit for a function name. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * The name by which models call "server.tool", one that every provider accepts: dots become "__". A name for which that is
 * ambiguous (it contains "__" or a forbidden character, or is too long) ends in a hash of the original, so that two tools
 * never get the same alias. An alias is never split again: it is looked up in the listing that was sent. A name without a
 * dot is no tool's: what a model made up stays as it is, if providers accept it.
 */
export function toolAlias(name: string): string {
  const alias = name.replaceAll(".", "__");
  const isUnambiguous = alias === name || alias.replaceAll("__", ".") === name;
  if (isUnambiguous && alias.length <= MAX_LENGTH && /^[A-Za-z_][\w-]*$/u.test(alias)) return alias;
  const readable = alias.replaceAll(/[^\w-]/gu, "_").replace(/^(?=[^A-Za-z_])/u, "_");
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  return `${readable.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}
