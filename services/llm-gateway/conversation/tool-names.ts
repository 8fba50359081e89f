import { createHash } from "node:crypto";

/** Gemini's limit for a function name. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * Encodes "server.tool" as a name that every provider accepts: dots become "__". A name that this rule cannot decode
 * again (it contains "__" or a forbidden character, or is too long) ends in a hash of the original, so that two tools
 * never get the same encoded name.
 */
export function encodeToolName(name: string): string {
  const encoded = name.replaceAll(".", "__");
  if (encoded.length <= MAX_LENGTH && /^[A-Za-z_][\w-]*$/u.test(encoded) && decodePlain(encoded) === name) {
    return encoded;
  }
  const readable = encoded.replaceAll(/[^\w-]/gu, "_").replace(/^(?=[^A-Za-z_])/u, "_");
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  return `${readable.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

/**
 * Returns a decoder for tool names in an answer. Names of bound tools decode to the original; a name that the model
 * made up is decoded by the "__" rule, so that the error about the unknown tool can name it.
 */
export function toolNameDecoder(boundNames: readonly string[]): (encoded: string) => string {
  const byEncoded = new Map(boundNames.map((name) => [encodeToolName(name), name]));
  return (encoded) => byEncoded.get(encoded) ?? decodePlain(encoded);
}

function decodePlain(encoded: string): string {
  return encoded.replaceAll("__", ".");
}
