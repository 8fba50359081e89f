import { ALERT_MARKER } from "#shared/contracts/alert-marker.ts";
import type { AlertInput } from "./prompt-input.ts";
import { oneLine, untrustedText } from "./untrusted-text.ts";

/** The alert as submitted. Without a type the metadata section is omitted. */
export function alertBlock({ data, alertType, nonce }: Omit<AlertInput, "runbookUrl">): string {
  const metadata =
    alertType === null || alertType === ""
      ? []
      : [`### Alert Metadata\n\n**Alert Type:** ${oneLine(alertType)}`];
  const body = data === "" ? "The alert came without any data." : untrustedText(nonce, ALERT_MARKER, data);
  return ["## Alert Details", ...metadata, `### Alert Data\n\n${body}`].join("\n\n");
}
