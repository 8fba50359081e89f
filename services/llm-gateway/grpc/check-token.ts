import { createHash, timingSafeEqual } from "node:crypto";

const SCHEME = "Bearer ";

/**
 * Creates the check of a call's `authorization` metadata against the accepted tokens. All tokens are compared, as digests and
 * in constant time, so the time of a refusal tells nothing about them.
 */
export function tokenCheck(accepted: readonly string[]): (metadata: readonly unknown[]) => boolean {
  const digests = accepted.map(digest);
  return ([sent]) => {
    if (typeof sent !== "string" || !sent.startsWith(SCHEME)) return false;
    const candidate = digest(sent.slice(SCHEME.length));
    return digests.map((known) => timingSafeEqual(known, candidate)).includes(true);
  };
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
