import { uuidFrom } from "#shared/uuid-from.ts";
import { TOOL_STRATEGIES, type ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import { exceededText } from "#shared/contracts/budget.ts";
import { parseUsd, usdText } from "#shared/pricing/usd.ts";
import { candidates } from "../../controllers/choose-provider.ts";
import type { AgentState, CallLlm } from "../../core/agent-state.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { callRequest } from "../../llm/generate-request.ts";
import { callBound, inputBound, outputLimit, type CallBound } from "../../budget/call-bound.ts";
import type { Pricing } from "../../llm/llm-interaction-row.ts";
import { endUnstated } from "../conclusions/check-conclusion.ts";
import { concludeForBudget, recordExceeded } from "./conclude-for-budget.ts";
import { fitRequest } from "../../budget/fit-request.ts";
import { limitedRequest, reserveCall } from "../../budget/reserve-call.ts";

/** More than the message that asks for a conclusion has, in bytes. */
const CONCLUSION_BYTES = 8_192;
const NOTHING: CallBound = { usd: usdText(0n), tokens: 0, calls: 0 };

/**
 * Reserves for an agent's call, together with the steps that are not committed yet; then the agent's steps have the reservation. While
 * the agent may go on afterwards, what its conclusion can use is kept back, too: an agent that a budget stops can always conclude.
 * Returns false if another step is due instead: the conclusion, or without room even for that the end. Throws TerminalError
 * `unpriced_model`.
 */
export async function admitCall(run: ExecutionRun, step: CallLlm): Promise<boolean> {
  const { session, state, steps, execution } = run;
  const rules = session.llm.budgetRules();
  if (rules.length === 0) {
    await steps.commit();
    return true;
  }
  const { llm_provider: provider } = state.agent;
  const request = callRequest(run, step);
  const goesOn = mayGoOn(state) && step.interaction !== "conclusion";
  const bound = goesOn ? conclusionBound(session, state.agent, inputBound(request)) : NOTHING;
  const wanted = {
    executionId: execution.execution_id,
    provider,
    request,
    isLast: !goesOn,
    conclusion: { id: conclusionId(execution), bound },
  };
  let answer = await reserveCall(session, rules, wanted, (asked) => steps.commitReserving(asked));
  if (answer.kind === "refused" && !goesOn && answer.keptTokens > 0) {
    const room = Math.floor(answer.keptTokens / session.llm.tries) - outputLimit(provider);
    const fitted = fitRequest(limitedRequest(request, provider), room);
    if (fitted !== null) {
      const smaller = { ...wanted, request: fitted };
      answer = await reserveCall(session, rules, smaller, (asked) => steps.commitReserving(asked));
    }
  }
  if (answer.kind === "granted") steps.reservation = answer.reservation;
  if (answer.kind === "granted" || answer.kind === "unlimited") return true;
  if (step.interaction === "conclusion") {
    steps.add(endUnstated(run, `There was no room for its call: ${exceededText(answer.cause)}.`));
    return false;
  }
  const kind = goesOn ? "soft" : "exceeded";
  session.metrics.budgetStops.inc({ kind, scope: answer.cause.scope });
  steps.add(goesOn ? concludeForBudget(run, answer.cause) : recordExceeded(run, answer.cause));
  return false;
}

/** The id under which the conclusion of an execution is reserved. */
export function conclusionId({ execution_id }: ExecutionRun["execution"]): string {
  return uuidFrom("budget:conclusion", execution_id);
}

/** True for a call after which the agent may call tools, and the model again. */
function mayGoOn({ agent, iteration }: AgentState): boolean {
  return (
    iteration.phase === "iterating" &&
    TOOL_STRATEGIES.some((strategy) => strategy === agent.iteration_strategy)
  );
}

/** The most that a conclusion after a request with so much input can use, whichever of the agent's providers gives it. */
function conclusionBound(session: Pricing, agent: ResolvedAgent, input: number): CallBound {
  const providers = [agent.llm_provider, ...candidates(agent).map((candidate) => candidate.provider)];
  const bounds = providers.map((provider) => callBound(session, provider, input + CONCLUSION_BYTES));
  const bound = bounds.reduce(largest);
  // One call writes the answer, and one states it as data.
  return agent.conclusion === undefined ? bound : twice(bound);
}

function twice({ usd, tokens, calls }: CallBound): CallBound {
  return { usd: usd === null ? null : usdText(2n * parseUsd(usd)), tokens: 2 * tokens, calls: 2 * calls };
}

function largest(one: CallBound, other: CallBound): CallBound {
  const isPriced = one.usd !== null && other.usd !== null;
  return {
    usd: isPriced ? (parseUsd(one.usd) > parseUsd(other.usd) ? one.usd : other.usd) : null,
    tokens: Math.max(one.tokens, other.tokens),
    calls: Math.max(one.calls, other.calls),
  };
}
