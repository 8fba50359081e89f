import { isUuid } from "#shared/contracts/uuid.ts";
import { validationError } from "./request-error.ts";

/** The `:id` of a route, in lower case. Throws RequestError 400 unless it is a UUID. */
export function parseSessionId(parameter: string | undefined): string {
  if (parameter === undefined || !isUuid(parameter)) throw validationError("session_id", "must be a UUID");
  return parameter.toLowerCase();
}
