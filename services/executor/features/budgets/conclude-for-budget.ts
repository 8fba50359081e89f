import { uuidFrom } from "#shared/uuid-from.ts";
import { budgetName, type BudgetCause } from "#shared/contracts/budget.ts";
import { NO_FAILURES } from "#shared/contracts/iteration-state.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import type { ExecutionRun } from "../../core/execution-run.ts";
import { newMessages } from "../../persist/conversation.ts";
import type { StepRecord } from "../../persist/step-record.ts";
import { conclusionPrompt } from "../../prompts/iteration-prompts.ts";
import { unfinishedSubAgents } from "../../prompts/sub-agent-sections.ts";
import { ofExecution, type NewNotification } from "../../state/step-rows.ts";

type BudgetStop = "budget.soft_limit" | "budget.exceeded";

/**
 * The step after which an agent concludes, because a budget has reached its soft limit or has no room for another call and a
 * conclusion: the message to the model, the end of its iterations, and the event.
 */
export function concludeForBudget(run: ExecutionRun, cause: BudgetCause): StepRecord {
  const { execution, state } = run;
  const { agent, iteration, subAgents = [] } = state;
  const open = subAgents.filter(({ status }) => !isTerminal(status));
  const unfinished = open.length === 0 ? "" : `${unfinishedSubAgents(open)}\n\n`;
  const opening = `${budgetName(cause)} is nearly used up. No further tool calls are possible.`;
  const content = `${unfinished}${conclusionPrompt(agent, opening.charAt(0).toUpperCase() + opening.slice(1))}`;
  const { unfinished_step: _step, ...rest } = iteration;
  const iteration_state = { ...rest, ...NO_FAILURES, phase: "concluding" as const, budget_stop: cause };
  return {
    rows: {
      messages: newMessages(run, [{ role: "user", content }]),
      executionChanges: [{ execution_id: execution.execution_id, iteration_state }],
      notifications: [budgetNews(run, "budget.soft_limit", cause)],
    },
    events: [budgetEvent(run, "budget.soft_limit", cause)],
  };
}

/** The step after which an agent ends, because a budget has no room for its call. */
export function recordExceeded(run: ExecutionRun, cause: BudgetCause): StepRecord {
  const { execution, state } = run;
  const { unfinished_step: _step, ...rest } = state.iteration;
  const iteration_state = { ...rest, budget_exceeded: cause };
  return {
    rows: {
      executionChanges: [{ execution_id: execution.execution_id, iteration_state }],
      notifications: [budgetNews(run, "budget.exceeded", cause)],
    },
    events: [budgetEvent(run, "budget.exceeded", cause)],
  };
}

/** A session tells of each of its budgets once, however many of its agents stop for it. */
function budgetNews(
  { session: { sessionId } }: ExecutionRun,
  kind: BudgetStop,
  cause: BudgetCause,
): NewNotification {
  const { scope, key, period, dimension } = cause;
  const identity = uuidFrom(JSON.stringify([kind, scope, key, period, dimension]), sessionId);
  return { kind, news: `${kind.replace(".", "-")}:${identity}`, payload: { budget: cause } };
}

function budgetEvent(
  { session, execution }: Pick<ExecutionRun, "session" | "execution">,
  type: BudgetStop,
  cause: BudgetCause,
) {
  return { type, session_id: session.sessionId, ...ofExecution(execution), ...cause };
}
