import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { alertBlock, runbookBlock } from "./investigation-blocks.ts";
import { chatBanner, type ChatContext } from "./chat-input.ts";
import { checkedQuotes, type JudgedConclusion } from "./checked-quotes.ts";
import { chatInvestigation } from "./chat-investigation.ts";
import { contextSection } from "./context-block.ts";
import { dataRule } from "./general-instructions.ts";
import { agentInstructions } from "./instruction-tiers.ts";
import { JUDGE_INSTRUCTIONS, JUDGE_TASK } from "./judge-prompts.ts";
import type { PromptMessage, PromptInput } from "./prompt-input.ts";
import { type SessionNonce, frame, oneLine } from "./untrusted-text.ts";

/** An investigation as its judge sees it. */
export interface JudgedInvestigation extends Pick<ChatContext, "stages" | "executiveSummary" | "omitted"> {
  /** The tools of each agent, in the order of the agents; agents without any are absent. */
  readonly offers: readonly JudgedOffer[];
  /** The feedback of a person; absent for a judge. */
  readonly feedback?: string;
}

/** With the conclusion whose quotes were compared, if there is one. */
export type CheckedInvestigation = JudgedInvestigation & { readonly checked?: JudgedConclusion | null };

interface JudgedOffer {
  readonly agent: string;
  readonly tools: readonly Pick<ToolDescription, "name" | "description">[];
}

type JudgeInput = Pick<PromptInput, "agent" | "alert" | "chain" | "context"> & CheckedInvestigation;

/** The first messages (system, user) of a judge. All of the record is framed as data. */
export function buildJudgeMessages(input: JudgeInput): PromptMessage[] {
  const { agent, alert, chain, offers, checked = null } = input;
  const { nonce } = alert;
  const system = [JUDGE_INSTRUCTIONS, dataRule(nonce), ...agentInstructions(agent)];
  const user = [
    alertBlock(alert),
    runbookBlock(alert, chain),
    toolOffers(offers, nonce),
    chatInvestigation(input, nonce),
    ...checkedQuotes(checked, nonce),
    ...contextSection(input),
    chatBanner("🎯 CURRENT TASK"),
    JUDGE_TASK,
  ];
  return [
    { role: "system", content: system.join("\n\n") },
    { role: "user", content: `${user.join("\n\n")}\n` },
  ];
}

const MAX_TOOLS = 150;
const MAX_DESCRIPTION = 200;

/** Descriptions are cut: the judge needs to know what could have been called, not how. */
function toolOffers(offers: readonly JudgedOffer[], nonce: SessionNonce): string {
  const heading = "## Available Tools";
  if (offers.length === 0) return `${heading}\n\nThe agents had no tools.`;
  const groups = Map.groupBy(offers, ({ tools }) => JSON.stringify(tools));
  const blocks = [...groups.values()].map((group) => {
    const tools = group[0]?.tools ?? [];
    const names = group.map(({ agent }) => agent).join(", ");
    const lines = tools.slice(0, MAX_TOOLS).map(({ name, description }) => toolLine(name, description));
    const more = tools.length > MAX_TOOLS ? [`- and ${tools.length - MAX_TOOLS} more`] : [];
    return [`Agents with these tools: ${oneLine(names)}`, ...lines, ...more].join("\n");
  });
  return `${heading}\n\n${frame(nonce, "TOOLS", blocks.join("\n\n"))}`;
}

function toolLine(name: string, description: string): string {
  const text = oneLine(description);
  const shown = text.length > MAX_DESCRIPTION ? `${text.slice(0, safeCut(text, MAX_DESCRIPTION))}…` : text;
  return `- ${oneLine(name)}${shown === "" ? "" : `: ${shown}`}`;
}
