import { authorize } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";
import { abbreviate, validationError } from "../http/request-error.ts";
import type { AlertRequest } from "./contract.ts";

/**
 * The priority that an alert asks for; undefined if it asks for none. A critical session can have others parked, so only operators ask for
 * it; what an administrator has configured for a source or a chain needs no role. Throws RequestError 400 and AccessRefused 403.
 */
export function askedPriority({ priority }: AlertRequest, identity: Identity): SessionLane | undefined {
  if (priority === undefined || priority === null || priority === "") return undefined;
  const known = SESSION_LANES.find((lane) => lane === priority);
  if (known === undefined) {
    throw validationError("priority", `unknown priority '${abbreviate(priority)}'`, [...SESSION_LANES]);
  }
  if (known === "critical") authorize(identity, "alert.submit_critical");
  return known;
}
