import { createHash } from "node:crypto";

/** Gemini's limit for a function's name. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * "server.tool" as a name Gemini accepts: dots become "__". A name that would not come back from that unchanged (it has
 * "__" of its own, a forbidden character, or is too long) gets a hash of itself at the end instead, so that two
 * tools never share one name.
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
 * The way back for an answer: names of the bound tools return exactly; a name the model made up is decoded by rule,
 * so that whoever runs tools can say what was asked for.
 */
export function toolNameDecoder(boundNames: readonly string[]): (encoded: string) => string {
  const byEncoded = new Map(boundNames.map((name) => [encodeToolName(name), name]));
  return (encoded) => byEncoded.get(encoded) ?? decodePlain(encoded);
}

function decodePlain(encoded: string): string {
  return encoded.replaceAll("__", ".");
}
