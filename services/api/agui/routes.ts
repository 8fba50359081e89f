import { allows } from "#shared/access/authorize.ts";
import { isTerminal } from "#shared/contracts/statuses.ts";
import { eventsPurged } from "#shared/database/events-purged.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import type { ApiDeps } from "../api-deps.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { RequestError } from "../http/request-error.ts";
import { routesOf } from "../http/routes-of.ts";
import { closedWith, streamAnswer } from "../sse/stream-answer.ts";
import { AguiFold } from "./agui-fold.ts";
import { aguiStream, framesOf } from "./agui-stream.ts";
import { AGUI } from "./contract.ts";
import { openRuns } from "./open-runs.ts";
import { readRun, type AskedRun } from "./run-input.ts";

const BODY_BYTES_IN_FLIGHT = 16 * 1024 * 1024;

/** The route of AG-UI: the api keeps nothing about a run, so that any process tells it, and tells it again. */
export function aguiRoutes(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { db, sse, door } = deps;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT, { countsUntil: "read" });
  const find = openRuns(deps);
  return routesOf(AGUI, {
    async runAgui(ctx) {
      const run = readRun(await readJsonBody(ctx, bodies));
      const caller = callerOf(ctx);
      const closed = closedWith(ctx);
      const found = await find(run, caller, ctx.req);
      if ("sentence" in found) {
        return streamAnswer(deps, ctx, closed, () => [sentenceOf(run, found.sentence)]);
      }
      const { session, stageId, afterSeq } = found;
      const { session_id: sessionId, last_seq, purged, status } = session;
      if (purged && afterSeq < last_seq) throw new RequestError(410, eventsPurged(sessionId).message);
      const connection = sse.open(sessionId, caller.identity, closed.signal, { text: true });
      connection.notify(last_seq);
      const mayDecide =
        allows(caller.identity, "approval.decide") &&
        (await door.checkCredential(ctx.req).then(
          () => true,
          () => false,
        ));
      return streamAnswer(deps, ctx, closed, () =>
        aguiStream({
          db,
          connection,
          fold: new AguiFold({ sessionId, threadId: run.threadId, runId: run.runId, stageId }),
          history: run.history,
          afterSeq,
          lastSeq: isTerminal(status) && stageId === undefined ? last_seq : undefined,
          mayDecide,
          heartbeatMs: sse.heartbeatMs,
        }),
      );
    },
  });
}

/** A run that has only a sentence to tell. */
function sentenceOf({ threadId, runId }: AskedRun, delta: string): string {
  const messageId = `${runId}#sentence`;
  return framesOf([
    { type: "RUN_STARTED", threadId, runId },
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId, delta },
    { type: "TEXT_MESSAGE_END", messageId },
    { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } },
  ]);
}
