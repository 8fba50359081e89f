import { isUuid } from "#shared/contracts/uuid.ts";
import { validationError } from "./request-error.ts";

/** Parses the `:id` of a route, to lower case. Throws RequestError 400 unless it is a UUID. */
export function parseSessionId(parameter: string | undefined): string {
  if (parameter === undefined || !isUuid(parameter)) throw validationError("session_id", "must be a UUID");
  return parameter.toLowerCase();
}

/** Parses the `:approval` of a route, to lower case. Throws RequestError 400 unless it is a UUID. */
export function parseApprovalId(parameter: string | undefined): string {
  if (parameter === undefined || !isUuid(parameter)) throw validationError("approval_id", "must be a UUID");
  return parameter.toLowerCase();
}

/** Parses the `:memory` of a route, to lower case. Throws RequestError 400 unless it is a UUID. */
export function parseMemoryId(parameter: string | undefined): string {
  if (parameter === undefined || !isUuid(parameter)) throw validationError("memory_id", "must be a UUID");
  return parameter.toLowerCase();
}

/** Parses the `:notification` of a route. Throws RequestError 400 unless it is a number from 1. */
export function parseNotificationId(parameter: string | undefined): number {
  if (parameter !== undefined && /^[1-9]\d{0,9}$/u.test(parameter)) return Number(parameter);
  throw validationError("notification_id", "must be a number from 1 to 9999999999");
}

/** Parses a number in a query or header; absent means `fallback`. Throws RequestError 400 naming the field and its range. */
export function parseWholeNumber(
  field: string,
  text: string | string[] | undefined,
  { fallback, min, max }: { readonly fallback: number; readonly min: number; readonly max: number },
): number {
  if (text === undefined) return fallback;
  const value = typeof text === "string" && /^\d{1,10}$/u.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw validationError(field, `must be one whole number from ${min} to ${max}`);
}
