import { RequestError } from "../http/request-error.ts";
import { MAX_DATA_BYTES } from "../alerts/check-alert.ts";
import type { AlertmanagerRequest } from "./alertmanager-request.ts";

const INDENT = 2;
/** The rest of a body is repeated for each of its alerts: 8 MiB could become gigabytes. */
const MAX_TEXTS_BYTES = 32 * 1_048_576;

/**
 * The text of an alert for the model: the payload as indented JSON, which keeps every label and is what models read well; firing
 * alerts come first. Of a group that is too large, as many alerts as have room, and how many were left out. Throws RequestError
 * like `jsonText`.
 */
export function alertText(request: AlertmanagerRequest): string {
  const alerts = request.alerts.toSorted((a, b) => a.status.localeCompare(b.status));
  const around = bytesOf({ alerts: [] });
  let size = bytesOf({ ...request, alerts: [], alertsLeftOut: alerts.length });
  let fits = 0;
  // Each alert is measured once and none beyond the limit: a body of 8 MiB may hold 100,000.
  for (const alert of alerts) {
    size += bytesOf({ alerts: [alert] }) - around;
    if (size > MAX_DATA_BYTES) break;
    fits += 1;
  }
  const isWhole = fits === alerts.length;
  return jsonText({
    ...request,
    alerts: isWhole ? alerts : alerts.slice(0, fits),
    ...(isWhole ? {} : { alertsLeftOut: alerts.length - fits }),
  });
}

/** The alerts of a request with their texts. Throws RequestError 413 if these are too large together, and like `textOf`. */
export function withTexts<A extends object>(
  alerts: readonly A[],
  textOf: (alert: A) => string,
): readonly (A & { readonly data: string })[] {
  let size = 0;
  return alerts.map((alert) => {
    const data = textOf(alert);
    size += Buffer.byteLength(data);
    if (size <= MAX_TEXTS_BYTES) return { ...alert, data };
    const what = "the alerts of a request, with the rest of the body around each";
    throw new RequestError(413, `${what}, may have at most ${MAX_TEXTS_BYTES} bytes`);
  });
}

/**
 * Indented JSON. Throws RequestError 413 if its indentation alone is larger than an alert may be.
 */
export function jsonText(value: object): string {
  takeIndentation(value, 1, MAX_DATA_BYTES);
  return JSON.stringify(value, null, INDENT);
}

function bytesOf(value: object): number {
  return Buffer.byteLength(jsonText(value));
}

/**
 * Returns what is left of a budget of bytes after the line breaks and the indentation of a value. They grow with the square of the
 * depth: without a limit 2 MB of brackets become gigabytes of text.
 */
function takeIndentation(value: unknown, depth: number, budget: number): number {
  if (typeof value !== "object" || value === null) return budget;
  let left = budget;
  for (const member of Object.values(value)) {
    left = takeIndentation(member, depth + 1, left - 1 - INDENT * depth);
    if (left < 0) {
      throw new RequestError(413, `alert data exceeds maximum size of ${MAX_DATA_BYTES} bytes`);
    }
  }
  return left;
}
