import type { Identity } from "#shared/access/identity.ts";
import { isUuid } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { ReviewAction } from "#shared/contracts/review.ts";
import { announceFollowUp } from "../announce-follow-up.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { ApiMetrics } from "../api-metrics.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { maskBody } from "../http/mask-body.ts";
import { requestExtraction } from "../memories/request-extraction.ts";
import { RequestError, abbreviate } from "../http/request-error.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { SessionReviewActivityEntity } from "#shared/database/entities.ts";
import { queryReader } from "../http/query-reader.ts";
import { routesOf } from "../http/routes-of.ts";
import { visibleSession } from "../http/visible-session.ts";
import { withoutNulls } from "../http/without-nulls.ts";
import { readSessionItems } from "../sessions/read-session-items.ts";
import { REVIEWS, TRIAGE_GROUPS, TriageQuery } from "./contract.ts";
import { readTriage } from "./read-triage.ts";
import { parseReviewRequest, type ReviewRequest } from "./review-request.ts";
import { reviewSession, type Reviewed } from "./review-session.ts";

const MAX_BODY_BYTES = 256 * 1024;
const BODY_BYTES_IN_FLIGHT = 4 * 1024 * 1024;

/** More than any session has; a page that shows them reads all. */
const MAX_ACTIVITIES = 1_000;

const readQuery = queryReader(TriageQuery);

/** The routes of reviews. */
export function reviewRoutes(deps: ApiDeps) {
  const { config, db, orm, log } = deps;
  const isCostEstimated = config.agents.system.cost_estimation.enabled;
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const mask = maskBody(deps, "PATCH /api/v1/sessions/review");
  return routesOf(REVIEWS, {
    async listTriage(ctx) {
      const wanted = ctx.params["group"] ?? "";
      const group = TRIAGE_GROUPS.find((one) => one === wanted);
      if (group === undefined) {
        throw new RequestError(400, `unknown triage group '${abbreviate(wanted)}'`, {
          allowed: TRIAGE_GROUPS,
        });
      }
      const { page = 1, page_size = 20, assignee } = readQuery(ctx.query);
      const found = await readTriage(db, callerOf(ctx).identity, {
        group,
        page,
        pageSize: page_size,
        assignee: assignee === "" ? null : assignee,
      });
      return {
        count: found.count,
        ...(found.isCapped ? { count_is_capped: true as const } : {}),
        page: found.page,
        page_size,
        total_pages: found.totalPages,
        sessions: await readSessionItems(db, found.ids, { isCostEstimated, chains: config.agents.chains }),
      };
    },

    /** One that is refused keeps no other from being reviewed. A single one that is not as `expected` is answered 409. */
    async reviewSessions(ctx) {
      const request = parseReviewRequest(await readJsonBody(ctx, bodies, MAX_BODY_BYTES));
      const { sessionIds, action } = request;
      const caller = callerOf(ctx);
      const { results, overtaken } = await reviewEach(deps, request, caller.identity, mask);
      const reviewed = results.filter(({ success }) => success).length;
      caller.detail = { action, sessions: sessionIds.length, reviewed };
      log.info({ action, sessions: sessionIds.length, reviewed }, "sessions reviewed");
      // Of several sessions the others were reviewed.
      const [only] = overtaken;
      if (only !== undefined && sessionIds.length === 1) throw new RequestError(409, only);
      return { results };
    },

    async getReviewActivity(ctx) {
      const { session_id } = await visibleSession(db, ctx);
      const newest = await orm.read(async (manager) =>
        manager.find(SessionReviewActivityEntity, {
          where: { session_id },
          order: { id: "DESC" },
          take: MAX_ACTIVITIES,
        }),
      );
      return {
        activities: newest
          .toReversed()
          .map(({ id, actor, action, from_status, to_status, created_at, ...rest }) => ({
            id: String(id),
            actor,
            action,
            from_status,
            to_status,
            ...withoutNulls({
              quality_rating: rest.quality_rating,
              note: rest.note,
              investigation_feedback: rest.investigation_feedback,
            }),
            created_at,
          })),
      };
    },
  });
}

/** Reviews one session after another: fifty connections at once would be more than the pool has. */
async function reviewEach(
  deps: ApiDeps,
  { sessionIds, action, fields: written, expected }: ReviewRequest,
  identity: Identity,
  mask: ReturnType<typeof maskBody>,
) {
  const { db, dispatcher, metrics } = deps;
  const results = [];
  const overtaken: string[] = [];
  for (const session_id of sessionIds) {
    // With the key of each session, before the transaction. What is no id is not found.
    const fields = isUuid(session_id) ? await mask(session_id, written) : written;
    const outcome = await reviewSession(db, session_id, {
      action,
      fields,
      expected,
      identity,
      learn: learner(deps, session_id, fields.investigation_feedback ?? "", identity),
    });
    if (outcome.isReviewed) {
      dispatcher.publish(outcome.events);
      if (outcome.followUp !== null) {
        announceFollowUp(dispatcher, session_id.toLowerCase(), outcome.followUp);
      }
      countReview(metrics, action, outcome);
      results.push({ session_id, success: true });
    } else {
      if (outcome.isOvertaken === true) overtaken.push(outcome.why);
      results.push({ session_id, success: false, error: outcome.why });
    }
  }
  return { results, overtaken };
}

/** What has a session learned from; undefined if nothing is remembered or there is no feedback, which must be masked. */
function learner(
  { config: { agents } }: Pick<ApiDeps, "config">,
  sessionId: string,
  feedback: string,
  { name }: Identity,
) {
  if (!agents.defaults.memory.enabled || !isUuid(sessionId) || feedback.trim() === "") return undefined;
  const askedBy = postgresSafeText(name).text;
  return async (transaction: Queryable) =>
    requestExtraction(transaction, sessionId.toLowerCase(), { agents, askedBy, feedback });
}

/** A completion of a session that was reviewed before is another review, and no other session. */
function countReview(
  { sessionsReviewed, reviewsCompleted }: Pick<ApiMetrics, "sessionsReviewed" | "reviewsCompleted">,
  action: ReviewAction,
  { from, review }: Extract<Reviewed, { isReviewed: true }>,
): void {
  const { review_status, quality_rating } = review;
  if (review_status === "reviewed" && from !== "reviewed") sessionsReviewed.inc();
  if (action === "complete" && quality_rating !== null) reviewsCompleted.inc({ quality_rating });
}
