import { exceededText } from "#shared/contracts/budget.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { releaseReservation } from "../../budget/reserve-call.ts";
import { settleUnused } from "../../budget/settle-call.ts";
import type { AgentState, AgentStep } from "../../core/agent-state.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import type { Feature } from "../../core/feature.ts";
import { admitCall, conclusionId } from "./admit-call.ts";

/** The longest answer that is made of what an agent wrote, in code units. */
const MAX_FINDINGS = 8_000;

/** Ends agents for whose calls a budget has no room. */
export const BUDGETS = {
  decide: endForBudget,
  admit: isAdmitted,
  ending: releaseConclusion,
} satisfies Feature;

/**
 * Commits what was added before a call of the model, and reserves for the call where a budget limits it. False if
 * another step is due instead: because of the budget, or because others have written something for the agent since this
 * one was decided.
 */
async function isAdmitted(run: ExecutionRun, step: AgentStep): Promise<boolean> {
  if (step.kind !== "call-llm") return true;
  if (!(await admitCall(run, step))) return false;
  if (run.steps.isOutOfDate) releaseReservation(run);
  return !run.steps.isOutOfDate;
}

/**
 * The end of an agent for whose call a budget had no room; null for any other. An agent that was asked to conclude and could not, because its
 * conclusion was lost with its executor, leaves what it had written: no model can be asked any more.
 */
function endForBudget(state: AgentState): AgentStep | null {
  const { budget_exceeded: cause, phase } = state.iteration;
  if (cause === undefined) return null;
  const errorMessage = exceededText(cause);
  const answer = phase === "concluding" ? findings(state, errorMessage) : null;
  return { kind: "finish", status: "failed", errorMessage, errorCode: "budget_exceeded", answer };
}

/** The newest of what the agent wrote, in its order, or which tools it called; null if it did neither. */
function findings({ messages }: AgentState, reason: string): string | null {
  const texts: string[] = [];
  let left = MAX_FINDINGS;
  for (const { role, content } of messages.toReversed()) {
    if (role !== "assistant" || content.trim() === "" || left <= 0) continue;
    const text = content.slice(0, safeCut(content, left));
    texts.unshift(text);
    left -= text.length;
  }
  const opening = `No conclusion could be written: ${reason}.`;
  if (texts.length > 0) return `${opening} This is what the agent wrote last:\n\n${texts.join("\n\n")}`;
  const tools = [...new Set(messages.flatMap(({ tool_name }) => tool_name ?? []))];
  if (tools.length === 0) return null;
  return `${opening} The agent called these tools, and its timeline has their results: ${tools.join(", ")}`;
}

/** Adds to the agent's last steps that nothing is kept back for its conclusion any more. */
function releaseConclusion({ session, execution, steps }: ExecutionRun): void {
  if (session.llm.budgetRules().length === 0) return;
  steps.add({ rows: { budgetSettlements: [settleUnused(conclusionId(execution))] }, events: [] });
}
