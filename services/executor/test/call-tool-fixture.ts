import { toolCallId, MAX_CALLS_PER_ANSWER } from "#shared/contracts/tool-call.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { ClaimedSession, ToolFixture } from "../../../test/support/tool-fixture.ts";
import { callTool, type CallToolRequest } from "../tools/call-tool.ts";
import type { ToolOutcome } from "../tools/tool-outcome.ts";
import { ToolHomes } from "../tools/tool-homes.ts";
import { TOOL_TIMEOUTS, type ToolTimeouts } from "../tools/tool-timeouts.ts";

/** The tools of server `lab`, in the format of stub-tools.yaml. */
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
const LISTED: ToolDescription[] = Object.entries(LAB).map(([name, tool]) => ({
  name: `lab.${name}`,
  server: "lab",
  description: "",
  parameters_schema: '{"type":"object"}',
  read_only: "read_only" in tool,
}));
/** For tests in which no runner answers. */
export const SHORT_TIMEOUTS: ToolTimeouts = {
  ...TOOL_TIMEOUTS,
  noRespondersMs: 300,
  retryMs: 20,
  afterDeadlineMs: 300,
};

let calls = 0;

/** A call of a `lab` tool. Its arguments contain the call id, by which the tools' call log is searched. */
export function callRequest(
  owner: ClaimedSession,
  tool: string,
  more: Partial<CallToolRequest> = {},
): CallToolRequest {
  const position = { iteration: 1, index: calls++ % MAX_CALLS_PER_ANSWER };
  const callId = toolCallId(owner.executionId, position);
  return {
    callId,
    position,
    executionId: owner.executionId,
    name: `lab.${tool}`,
    arguments: `{"id":"${callId}"}`,
    timeoutMs: 50_000,
    maxResultTokens: 1_000_000,
    ...more,
  };
}

/** Calls a tool as the session's owner; `signal` aborts the call. */
export async function callAs(
  fixture: ToolFixture,
  owner: ClaimedSession,
  request: CallToolRequest,
  {
    signal = new AbortController().signal,
    timeouts = TOOL_TIMEOUTS,
  }: { signal?: AbortSignal; timeouts?: ToolTimeouts } = {},
): Promise<ToolOutcome> {
  const { db, bus, log } = fixture;
  // The session outlives an aborted iteration, so its signal is a separate one.
  const homes = new ToolHomes({ db, bus, sessionId: owner.sessionId, isFirstOwner: owner.epoch === 1 });
  const signals = { cancelled: new AbortController().signal };
  const session = { ...owner, db, bus, tools: { homes }, log, signals };
  return callTool(session, LISTED, request, signal, timeouts);
}
