import { ownerOf } from "#shared/access/authorize.ts";
import type { Submitter } from "../alerts/open-submitter.ts";
import type { ApiDeps } from "../api-deps.ts";
import { FORKS } from "./contract.ts";
import { forkKey, takeForkKey } from "./fork-key.ts";
import { firstMoment } from "./fork-point.ts";
import { parseForkRequest } from "./fork-request.ts";
import { forkSession, type StoredFork } from "./fork-session.ts";
import { readSteps } from "./read-steps.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { maskBody } from "../http/mask-body.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { routesOf } from "../http/routes-of.ts";
import { visibleSession } from "../http/visible-session.ts";

/** An edited result has at most a million characters, each of up to six bytes in JSON. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const BODY_BYTES_IN_FLIGHT = 32 * 1024 * 1024;

/** The routes of forks. A fork counts as a submission, an `Idempotency-Key` makes it once, and it wakes an executor. */
export function forkRoutes(deps: ApiDeps & { readonly submitter: Submitter }) {
  const { config, db, dispatcher, log, metrics, submitter } = deps;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const mask = maskBody(deps, "POST /api/v1/sessions/:id/fork");
  return routesOf(FORKS, {
    async forkSession(ctx) {
      const caller = callerOf(ctx);
      const { identity } = caller;
      submitter.rate.check(identity);
      const { session_id: parent } = await visibleSession(db, ctx);
      const asked = parseForkRequest(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
      const key = forkKey(
        ctx.req.headers["idempotency-key"],
        ownerOf(identity) ?? identity.name,
        parent,
        asked,
      );
      const request = await mask(parent, asked);
      const stored = await retrySerialization(async () =>
        db.transaction(async (transaction): Promise<StoredFork & { readonly isReplayed: boolean }> => {
          await transaction.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
          const session = await visibleSession(transaction, ctx);
          const fork = { ...request, session, identity, config: config.agents };
          if (key === undefined) return { ...(await forkSession(transaction, fork)), isReplayed: false };
          return takeForkKey(transaction, key, async () => forkSession(transaction, fork));
        }),
      );
      const { sessionId: session_id, atSeq: at_seq, lane, isReplayed } = stored;
      caller.detail = { fork: session_id, at_seq, tools: request.tools };
      if (isReplayed) ctx.set("idempotent-replayed", "true");
      else {
        metrics.accepted.inc();
        dispatcher.wake({ sessionId: session_id, lane });
        log.info({ session_id, forked_from: parent, at_seq }, "session forked");
      }
      return { session_id, at_seq };
    },

    /** The steps of a fork are its own. */
    async getSteps(ctx) {
      const session = await visibleSession(db, ctx);
      const since = await firstMoment(db, session);
      const steps = await readSteps(db, session.session_id);
      return { steps: steps.filter(({ at_seq }) => at_seq >= since) };
    },
  });
}

const MAX_TRIES = 5;
/** A transaction with one snapshot whose rows another one has changed, and one that was the victim of a deadlock. */
const CONFLICTS: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

/** Repeats a transaction that met a concurrent one. Throws its error after five tries, and any other error at once. */
async function retrySerialization<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      const isConflict = error instanceof Error && "code" in error && CONFLICTS.has(error.code);
      if (tries === MAX_TRIES || !isConflict) throw error;
    }
  }
}
