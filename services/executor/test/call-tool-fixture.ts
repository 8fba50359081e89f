import { randomUUID } from "node:crypto";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { BenchSession, ToolBench } from "../../../test/support/tool-bench.ts";
import { callTool, type ToolCallOrder, type ToolOutcome } from "../tools/call-tool.ts";
import { PATIENCE, type ToolPatience } from "../tools/tool-timeouts.ts";

/** As in stub-tools.yaml. */
export const LAB = {
  look: { read_only: true },
  write: {},
  slow: { results: [{ delay: "2s", text: "written" }] },
  refuse: { results: [{ error: "no such pod" }] },
  explode: { results: [{ exception: "connection reset" }] },
  hang: { results: [{ hang: true }] },
  hang_safe: { read_only: true, results: [{ hang: true }] },
  huge: { read_only: true, results: [{ bytes: 50_000_000 }] },
};
export const LISTED: ToolDescription[] = Object.entries(LAB).map(([name, tool]) => ({
  name: `lab.${name}`,
  server: "lab",
  description: "",
  parameters_schema: '{"type":"object"}',
  read_only: "read_only" in tool,
}));
/** For tests in which nobody answers. */
export const IMPATIENT: ToolPatience = {
  ...PATIENCE,
  noRespondersMs: 300,
  pauseMs: 20,
  afterDeadlineMs: 300,
};

/** A call of one of the tools whose arguments name its id, so that the tools' log can be searched for it. */
export function orderCall(
  owner: BenchSession,
  tool: string,
  more: Partial<ToolCallOrder> = {},
): ToolCallOrder {
  const callId = randomUUID();
  return {
    callId,
    executionId: owner.executionId,
    name: `lab.${tool}`,
    arguments: `{"id":"${callId}"}`,
    timeoutMs: 50_000,
    maxResultTokens: 1_000_000,
    ...more,
  };
}

/** Calls as the session's owner; `signal` is what calls the call off. */
export async function callAs(
  bench: ToolBench,
  owner: BenchSession,
  order: ToolCallOrder,
  {
    signal = new AbortController().signal,
    patience = PATIENCE,
  }: { signal?: AbortSignal; patience?: ToolPatience } = {},
): Promise<ToolOutcome> {
  const { db, bus, log } = bench;
  // The session's own signal goes on when an iteration's ends.
  const session = { ...owner, db, bus, log, signal: new AbortController().signal };
  return callTool(session, LISTED, order, signal, patience);
}
