import { createHash } from "node:crypto";

/** The key of a text in `texts`: SHA-256 over its UTF-8 in hex. The text must be Postgres-safe. */
export function textHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
