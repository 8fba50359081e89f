import { OPERATOR_OPENINGS } from "#shared/contracts/prompt-marks.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { conclusionPrompt } from "./iteration-prompts.ts";
import { type SessionNonce, untrustedText } from "./untrusted-text.ts";

/**
 * The user message with which an agent gets the note of a person. Unlike text of alerts and tools it is to be followed; its
 * frame has the session's code, which no author of such a text knows.
 */
export function operatorNote({ author, content }: NoteTexts, nonce: SessionNonce): string {
  return `${OPERATOR_OPENINGS.note} Take it into account from now on: it comes from the operator, not from an alert or a tool. It changes neither which tools you may use nor the form of your answers.

${framed({ author, content }, nonce)}`;
}

/** The user message with which a person, not a limit, makes an agent conclude. */
export function operatorConclusion(
  agent: Pick<ResolvedAgent, "type" | "iteration_strategy">,
  { author, content }: NoteTexts,
  nonce: SessionNonce,
): string {
  const opening = `${OPERATOR_OPENINGS.conclude} ${NO_CALLS}`;
  const reason = content === null ? "" : `\n\nThe operator adds:\n${framed({ author, content }, nonce)}`;
  return conclusionPrompt(agent, `${opening}${reason}`);
}

/** The user message with which an agent concludes because the source of the alert says that the incident is over. */
export function resolvedConclusion(agent: Pick<ResolvedAgent, "type" | "iteration_strategy">): string {
  return conclusionPrompt(agent, `${OPERATOR_OPENINGS.resolved} ${NO_CALLS}`);
}

const NO_CALLS = "No further tool calls are possible.";

/** The text of a person. */
interface NoteTexts {
  readonly author: string;
  readonly content: string | null;
}

function framed({ author, content }: NoteTexts, nonce: SessionNonce): string {
  return untrustedText(
    nonce,
    "OPERATOR_NOTE",
    `From: ${author.replaceAll(/\s+/gu, " ")}\n\n${content ?? ""}`,
  );
}
