import { timingSafeEqual } from "node:crypto";
import { sha256 } from "#shared/access/secret-equals.ts";

const SCHEME = "Bearer ";

/**
 * Creates the check of a call's `authorization` metadata against the accepted tokens. All tokens are compared, as digests and
 * in constant time, so the time of a refusal tells nothing about them.
 */
export function tokenCheck(accepted: readonly string[]): (metadata: readonly unknown[]) => boolean {
  const digests = accepted.map(sha256);
  return ([sent]) => {
    if (typeof sent !== "string" || !sent.startsWith(SCHEME)) return false;
    const candidate = sha256(sent.slice(SCHEME.length));
    return digests.map((known) => timingSafeEqual(known, candidate)).includes(true);
  };
}
