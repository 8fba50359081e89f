import { escapeMarkers } from "#shared/contracts/prompt-marks.ts";
import { isRunbookAddress } from "#shared/runbooks/runbook-address.ts";
import type { AlertInput, PromptInput } from "./prompt-input.ts";
import type { SessionNonce } from "./session-nonce.ts";
import { frame, untrustedText } from "./untrusted-text.ts";

/** The alert's runbook, by its address where it is not fetched, else the configured default, which is the built-in guide unless configured otherwise. */
export function runbookBlock(
  alert: Pick<AlertInput, "runbookUrl" | "runbookText" | "runbookFailure" | "nonce">,
  { default_runbook }: Pick<PromptInput["chain"], "default_runbook">,
): string {
  const { runbookText, runbookFailure, nonce } = alert;
  if (runbookText !== undefined) return `${HEADING}${written(runbookText, nonce)}`;
  // The timeline says that it could not be fetched.
  const runbookUrl = runbookFailure === undefined ? alert.runbookUrl : null;
  const runbook = [runbookUrl ?? "", default_runbook].find((text) => text.trim() !== "");
  return `${HEADING}${runbook === undefined ? NONE : isRunbookAddress(runbook) ? linked(runbook, nonce) : written(runbook, nonce)}`;
}

const HEADING = "## Runbook Content\n\n";
const NONE = "There is no runbook for this alert. Rely on your own experience.";

function linked(address: string, nonce: SessionNonce): string {
  return `The runbook for this alert is at the address below. Its text is not available here: name the address in your answer for the operator, and do not guess what it says.

${untrustedText(nonce, "RUNBOOK_ADDRESS", address.trim())}`;
}

function written(runbook: string, nonce: SessionNonce): string {
  const fence = fenceAround(runbook);
  return `${fence}markdown\n${frame(nonce, "RUNBOOK", escapeMarkers(runbook), " ")}\n${fence}`;
}

/** Four backticks, or one more than the longest run in the text, so that the text cannot close the fence. */
function fenceAround(text: string): string {
  let longest = 3;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}
