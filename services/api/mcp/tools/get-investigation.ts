import { isTerminal } from "#shared/contracts/statuses.ts";
import { Uuid } from "#shared/contracts/uuid.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { ApiDeps } from "../../api-deps.ts";
import { sessionFor } from "../../http/visible-session.ts";
import { readInvestigation, readState, type InvestigationState } from "../read-investigation.ts";
import { defineTool, resultOf, type McpCall } from "../tool.ts";

/** Below the 30 s after which proxies and clients give up. */
const MAX_WAIT_SECONDS = 25;

/** Where an investigation stands and what it found, now or as soon as it does not run any more. */
export const getInvestigationTool = (deps: ApiDeps) => {
  return defineTool(deps, {
    action: "session.read",
    scope: "read",
    name: "get_investigation",
    description:
      "Where an investigation stands, what it concluded, and which claims of the conclusion were found word by word in the results of tools (verified). With wait_seconds it answers as soon as the investigation has ended or waits for an approval. Answers to questions (ask) are here too.",
    annotations: { title: "Read an investigation", readOnlyHint: true },
    input: Type.Object({
      session_id: Uuid,
      wait_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_SECONDS })),
    }),
    run: async ({ session_id, wait_seconds = 0 }, call) => {
      const { session_id: id } = await sessionFor(deps.db, call.caller, session_id);
      const state = await waitFor(deps, call, id, wait_seconds * 1_000);
      const { pageUrl } = deps.config.notifications;
      const { facts, texts } = await readInvestigation(deps.db, id, { state, pageUrl });
      return resultOf(facts, texts);
    },
  });
};

/** The state as soon as nothing runs, or after `ms`. A client that waits takes one of its places of event streams. */
async function waitFor(
  { db, sse }: ApiDeps,
  { caller, signal }: McpCall,
  id: string,
  ms: number,
): Promise<InvestigationState> {
  const state = await readState(db, id);
  if (ms === 0 || isSettled(state)) return state;
  // Its place is free again when the answer is sent.
  const connection = sse.open(id, caller.identity, signal);
  const until = performance.now() + ms;
  for (;;) {
    const seen = connection.newestSeq;
    const now = await readState(db, id);
    const left = until - performance.now();
    if (isSettled(now) || left <= 0 || connection.signal.aborted) return now;
    await connection.waitForEventAfter(seen, left);
  }
}

function isSettled({ status, waiting_for, is_answering }: InvestigationState): boolean {
  return (isTerminal(status) && !is_answering) || waiting_for?.kind === "approval";
}
