import { bodyReader } from "../http/body-reader.ts";
import { DecisionBody } from "../schemas/approvals.ts";

/** What a person decides about a tool call. */
export interface Decision {
  readonly state: "approved" | "denied";
  readonly reason: string | null;
}

const readBody = bodyReader(DecisionBody);

/**
 * Reads a decoded body of `{decision, reason?}`; unknown fields are ignored, and null is no reason. Throws RequestError 400
 * naming the field.
 */
export function parseDecision(body: unknown): Decision {
  const { decision, reason } = readBody(body);
  return { state: decision === "approve" ? "approved" : "denied", reason: reason || null };
}
