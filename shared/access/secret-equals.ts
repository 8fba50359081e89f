import { hash, timingSafeEqual } from "node:crypto";

/** Compares two secrets in a time that depends on neither. */
export function secretEquals(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

/** The digest of a secret, as it is stored. */
export function sha256(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
