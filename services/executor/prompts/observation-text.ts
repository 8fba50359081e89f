import { untrustedText } from "./untrusted-text.ts";

/** A tool's output as the user message that a ReAct agent reads next; the output is framed as data. */
export function observationText(output: string): string {
  return `Observation: ${untrustedText("TOOL_OUTPUT", output)}`;
}
