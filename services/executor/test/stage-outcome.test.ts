import { expect } from "chai";
import { SUCCESS_POLICIES, TERMINAL_STATUSES, type TerminalStatus } from "#shared/contracts/statuses.ts";
import type { ExecutionState } from "../state/session-state.ts";
import { stageOutcome } from "../stage-outcome.ts";

function execution(status: TerminalStatus, index: number): ExecutionState {
  const [error_message, error_code] =
    status === "completed" ? [null, null] : [`${index} ${status}`, `code_${index}`];
  const ids = { execution_id: String(index), stage_id: "stage", session_id: "session", agent_name: "agent" };
  return { ...ids, agent_index: index + 1, status, error_message, error_code, actions_claimed: null };
}

/** All combinations of the terminal statuses of so many agents. */
function ends(agents: number): TerminalStatus[][] {
  if (agents === 0) return [[]];
  return ends(agents - 1).flatMap((rest) => TERMINAL_STATUSES.map((status) => [...rest, status]));
}

/** The rules of the table in docs/configuration.md, in its order. */
function table(
  statuses: readonly TerminalStatus[],
  policy: "all" | "any" | null,
): [TerminalStatus, string | null] {
  const kinds = new Set(statuses);
  const [only] = statuses;
  if (statuses.length === 1 && only !== undefined) return [only, only === "completed" ? null : `0 ${only}`];
  const isMet = kinds.has("completed") && (policy !== "all" || kinds.size === 1);
  if (isMet) return ["completed", null];
  if (kinds.size === 1 && kinds.has("timed_out")) return ["timed_out", "all agents timed out"];
  if (kinds.size === 1 && kinds.has("cancelled")) return ["cancelled", "all agents cancelled"];
  const first = statuses.indexOf("failed");
  const why = first === -1 ? "" : `: ${first} failed`;
  return ["failed", `${policy === "all" ? "one or more agents failed" : "all agents failed"}${why}`];
}

describe("stageOutcome", () => {
  for (const policy of [...SUCCESS_POLICIES, null]) {
    it(`follows the table for every combination of one to five agents by policy ${policy}`, () => {
      for (const agents of [1, 2, 3, 4, 5]) {
        for (const statuses of ends(agents)) {
          const [status, errorMessage] = table(statuses, policy);
          const first = statuses.findIndex((ended) => ended !== "completed");
          const errorCode = status === "completed" ? null : `code_${first}`;
          const found = stageOutcome(statuses.map(execution), policy);
          expect(found, statuses.join(" ")).to.deep.equal({ status, errorMessage, errorCode });
        }
      }
    });
  }

  it("needs one of twenty by policy any and all twenty by policy all", () => {
    const nineteen = Array.from({ length: 19 }, () => "failed" as const);
    const done = Array.from({ length: 19 }, () => "completed" as const);
    const outcome = (statuses: readonly TerminalStatus[], policy: "all" | "any") =>
      stageOutcome(statuses.map(execution), policy).status;
    expect(outcome([...nineteen, "completed"], "any")).to.equal("completed");
    expect(outcome([...nineteen, "timed_out"], "any")).to.equal("failed");
    expect(outcome([...done, "completed"], "all")).to.equal("completed");
    expect(outcome([...done, "timed_out"], "all")).to.equal("failed");
  });
});
