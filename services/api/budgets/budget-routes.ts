import type { RouterMiddleware } from "@koa/router";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { unpricedProviders } from "#shared/agent-config/unpriced-providers.ts";
import { ANY_KEY } from "#shared/contracts/budget.ts";
import { hasSixDecimals } from "#shared/pricing/usd.ts";
import type { ApiDeps } from "../api-deps.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { bodyReader } from "../http/body-reader.ts";
import { callerOf } from "../http/caller.ts";
import { maskBody } from "../http/mask-body.ts";
import { queryReader } from "../http/query-reader.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { RequestError, abbreviate, notFound, validationError } from "../http/request-error.ts";
import type { RouteRow } from "../contracts/documented-routes.ts";
import { BudgetBody, BudgetQuery, type BudgetsResponse } from "../schemas/budgets.ts";
import { budgetView, configuredBudgets, readBudgets } from "./read-budgets.ts";
import { deleteBudget, setBudget, type BudgetId } from "./set-budget.ts";

const PATH = "/api/v1/budgets";
const MAX_BODY_BYTES = 16 * 1024;
const BODY_BYTES_IN_FLIGHT = 1024 * 1024;

/** The routes of limits of what LLM calls may use. */
export function budgetRoutes(deps: ApiDeps): readonly RouteRow[] {
  return [
    { method: "get", path: PATH, action: "budget.read", handle: list(deps) },
    { method: "put", path: PATH, action: "budget.change", handle: put(deps) },
    { method: "delete", path: PATH, action: "budget.change", handle: remove(deps) },
  ];
}

function list({ config, db }: ApiDeps): RouterMiddleware {
  const configured = configuredBudgets(config.agents, true);
  return async (ctx) => {
    const rows = await readBudgets(db, configured, null);
    const body: BudgetsResponse = {
      budgets: rows.map(({ set_by, updated_at, ...row }) => ({
        ...budgetView({ ...row, set_by, updated_at }, row.scope !== "session"),
        ...(set_by === null ? {} : { set_by }),
        ...(updated_at === null ? {} : { updated_at }),
      })),
    };
    ctx.body = body;
  };
}

/** Answers 422 for a limit in USD if a model that can be called has no price: its calls could not be counted. */
function put(deps: ApiDeps): RouterMiddleware {
  const { config, db } = deps;
  const mask = maskBody(deps, "PUT /api/v1/budgets");
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  const readBody = bodyReader(BudgetBody);
  return async (ctx) => {
    const body = await mask(null, readBody(await readJsonBody(ctx, bodies, MAX_BODY_BYTES)));
    const id = budgetId(body);
    const { scope, key } = id;
    const { chains } = config.agents;
    if (scope === "chain" && !chains.has(key)) {
      throw validationError("key", `must be a chain, got '${abbreviate(key)}'`, [...chains.keys()]);
    }
    checkLimits(body, scope === "chain" ? [key] : chains.keys(), config.agents);
    const caller = callerOf(ctx);
    const { limit_usd, limit_tokens, limit_calls, soft_ratio } = body;
    caller.detail = { ...id, limit_usd, limit_tokens, limit_calls, soft_ratio };
    await setBudget(db, id, body, caller.identity.subject);
    const rows = await readBudgets(db, [], null);
    const row = rows.find((one) => one.scope === scope && one.key === key && one.period === id.period);
    if (row === undefined) throw notFound();
    ctx.body = budgetView(row, scope !== "session");
  };
}

function checkLimits(body: BudgetBody, chainIds: Iterable<string>, agents: AgentConfig): void {
  const { limit_usd, limit_tokens, limit_calls } = body;
  if (limit_usd === undefined && limit_tokens === undefined && limit_calls === undefined) {
    throw new RequestError(400, "request body must have limit_usd, limit_tokens or limit_calls");
  }
  if (limit_usd === undefined) return;
  if (!hasSixDecimals(limit_usd)) {
    throw validationError("limit_usd", "must have at most six decimals");
  }
  const problem = unpricedProviders(agents, chainIds);
  if (problem !== null) throw new RequestError(422, `limit_usd cannot hold: ${problem}`);
}

const readQuery = queryReader(BudgetQuery);

function remove({ db }: ApiDeps): RouterMiddleware {
  return async (ctx) => {
    const id = budgetId(readQuery(ctx.query));
    callerOf(ctx).detail = { ...id };
    if (!(await deleteBudget(db, id))) throw notFound();
    ctx.status = 204;
  };
}

/** What a request names. Throws RequestError 400 for a key or a period that the scope does not have. */
function budgetId({ scope, key, period }: Pick<BudgetBody, "scope" | "key" | "period">): BudgetId {
  if (scope === "session" || scope === "day") {
    if (key !== undefined && key !== ANY_KEY) {
      throw validationError("key", `must be absent or ${ANY_KEY} for scope ${scope}`);
    }
    if (period !== undefined && period !== scope) {
      throw validationError("period", `must be absent or ${scope} for scope ${scope}`);
    }
    return { scope, key: ANY_KEY, period: scope };
  }
  if (key === undefined) throw validationError("key", `is required for scope ${scope}`);
  if (period === "session") {
    throw validationError("period", `must be day or month for scope ${scope}`, ["day", "month"]);
  }
  return { scope, key, period: period ?? "day" };
}
