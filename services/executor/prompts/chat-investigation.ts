import { chatBanner, type ChatContext, type InvestigatedStage, type OmittedRows } from "./chat-input.ts";
import { investigatingAgent, plainName } from "./investigating-agent.ts";
import { type SessionNonce, escapeRules, untrustedText } from "./untrusted-text.ts";

/**
 * The investigation, for the prompt of a chat agent: each stage with its agents, what they did and the sub-agents that
 * they started, then the summary.
 */
export function chatInvestigation(
  { stages, executiveSummary, omitted }: Pick<ChatContext, "stages" | "executiveSummary" | "omitted">,
  nonce: SessionNonce,
): string {
  const parts =
    stages.length === 0
      ? ["The investigation recorded no steps."]
      : stages.map((stage, index) => formatStage(stage, index + 1, nonce));
  const summary =
    executiveSummary === null
      ? []
      : [
          `## Executive Summary\n\n${untrustedText(nonce, "EXECUTIVE_SUMMARY", escapeRules(executiveSummary))}`,
        ];
  return [
    chatBanner("📋 INVESTIGATION HISTORY"),
    "# Original Investigation",
    ...leftOut(omitted),
    ...parts,
    ...summary,
  ].join("\n\n");
}

/** A model that knows what is missing can ask for it again; empty if nothing is. */
function leftOut({ thoughts, results, steps }: OmittedRows): string[] {
  const kinds = [
    [thoughts, "thoughts of agents"],
    [results, "tool results, the oldest ones"],
    [steps, "other steps, the oldest ones"],
  ] as const;
  const found = kinds.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (found.length === 0) return [];
  return [
    `To fit the model, this history leaves out: ${found.join("; ")}. Say so if an answer depends on them, or fetch the data again.`,
  ];
}

function formatStage(stage: InvestigatedStage, number: number, nonce: SessionNonce): string {
  const { name, type, status, agents, synthesis } = stage;
  const heading = `## Stage ${number}: ${plainName(name)} (${type}, ${status})`;
  const own = agents.map((agent) => investigatingAgent(agent, "### Agent", nonce));
  const completed = agents.filter((agent) => agent.status === "completed").length;
  const listed =
    agents.length > 1
      ? [
          "<!-- PARALLEL_RESULTS_START -->",
          `${completed}/${agents.length} agents completed.`,
          ...own,
          "<!-- PARALLEL_RESULTS_END -->",
        ]
      : own;
  const combined = synthesis === null ? [] : [investigatingAgent(synthesis, "### Synthesis Result:", nonce)];
  return [heading, ...listed, ...combined].join("\n\n");
}
