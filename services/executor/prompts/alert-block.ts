import { ALERT_MARKER } from "#shared/contracts/prompt-marks.ts";
import type { AlertInput } from "./prompt-input.ts";
import { oneLine, untrustedText } from "./untrusted-text.ts";

/** The alert as submitted. Without a type the metadata section is omitted. */
export function alertBlock({
  data,
  alertType,
  nonce,
  formerAnalysis,
}: Omit<AlertInput, "runbookUrl">): string {
  const metadata =
    alertType === null || alertType === ""
      ? []
      : [`### Alert Metadata\n\n**Alert Type:** ${oneLine(alertType)}`];
  const body = data === "" ? "The alert came without any data." : untrustedText(nonce, ALERT_MARKER, data);
  const former = formerAnalysis === undefined ? [] : [formerBlock(formerAnalysis, nonce)];
  return ["## Alert Details", ...metadata, `### Alert Data\n\n${body}`, ...former].join("\n\n");
}

/** The analysis before: it did not end the incident, so it may be wrong or incomplete. */
function formerBlock(analysis: string, nonce: AlertInput["nonce"]): string {
  const about = "### The Investigation Before\n\nThis incident was investigated before and fires again.";
  if (analysis.trim() === "") return `${about} That investigation ended without a result.`;
  return `${about} Check whether what it found still holds, and what it missed:\n\n${untrustedText(nonce, "FORMER_ANALYSIS", analysis)}`;
}
