import { validationError } from "./http/request-error.ts";

/** A number of a query or header, `fallback` where it is absent. Throws RequestError 400 naming the field and its range. */
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
