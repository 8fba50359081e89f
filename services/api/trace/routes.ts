import pLimit from "p-limit";
import { isUuid } from "#shared/contracts/uuid.ts";
import { LlmInteractionEntity, McpInteractionEntity } from "#shared/database/entities.ts";
import type { ApiDeps } from "../api-deps.ts";
import { queryReader } from "../http/query-reader.ts";
import { notFound, RequestError, validationError } from "../http/request-error.ts";
import { routesOf } from "../http/routes-of.ts";
import { sessionAt } from "../http/session-at.ts";
import { visibleSession } from "../http/visible-session.ts";
import { ResultLinesQuery, TRACE } from "./contract.ts";
import { readLlmCall } from "./llm-call.ts";
import { readResultLines } from "./read-result-lines.ts";
import { interactionView, readTrace, withShownStage } from "./trace-view.ts";

const readLines = queryReader(ResultLinesQuery);
/** A result has up to 16 MiB in memory while its lines are found. */
const inTurn = pLimit(1);
const MAX_WAITING = 20;

/** The routes of what the agents of a session asked and called; with `at_seq`, of what they had by then. */
export const traceRoutes = ({ db, orm }: ApiDeps) =>
  routesOf(TRACE, {
    getTrace: async (ctx) =>
      orm.snapshot(async (manager) => {
        const { session_id } = await sessionAt(manager, ctx);
        return readTrace(manager, session_id);
      }),

    async getLlmCall(ctx) {
      const interaction_id = parseInteractionId(ctx.params["interaction"]);
      return orm.snapshot(async (manager) => {
        const { session_id } = await sessionAt(manager, ctx);
        const interaction = await manager.findOneBy(LlmInteractionEntity, { session_id, interaction_id });
        if (interaction === null) throw notFound();
        return readLlmCall(manager, interaction);
      });
    },

    async getToolCall(ctx) {
      const interaction_id = parseInteractionId(ctx.params["interaction"]);
      return orm.snapshot(async (manager) => {
        const { session_id } = await sessionAt(manager, ctx);
        const interaction = await manager.findOneBy(McpInteractionEntity, { session_id, interaction_id });
        if (interaction === null) throw notFound();
        return interactionView(await withShownStage(manager, interaction));
      });
    },

    async getResultLines(ctx) {
      const interactionId = parseInteractionId(ctx.params["interaction"]);
      const wanted = readLines(ctx.query);
      const { session_id: sessionId } = await visibleSession(db, ctx);
      if (inTurn.pendingCount >= MAX_WAITING) {
        throw new RequestError(503, "too many large results are being read", { retryAfterSeconds: 2 });
      }
      const found = await inTurn(() => readResultLines(db, { sessionId, interactionId }, wanted));
      if (found === null) throw notFound();
      return found;
    },
  });

/** The `:interaction` of a route. Throws RequestError 400 unless it is a UUID. */
function parseInteractionId(id: string | undefined): string {
  if (id === undefined || !isUuid(id)) throw validationError("interaction_id", "must be a UUID");
  return id;
}
