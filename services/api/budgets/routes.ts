import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { unpricedProviders } from "#shared/agent-config/cost-estimation-of.ts";
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
import { routesOf } from "../http/routes-of.ts";
import { BUDGETS, BudgetBody, BudgetQuery } from "./contract.ts";
import { budgetView, configuredBudgets, readBudgets } from "./read-budgets.ts";
import { deleteBudget, setBudget, type BudgetId } from "./set-budget.ts";

const MAX_BODY_BYTES = 16 * 1024;
const BODY_BYTES_IN_FLIGHT = 1024 * 1024;

const readBody = bodyReader(BudgetBody);
const readQuery = queryReader(BudgetQuery);

/** The routes of limits of what LLM calls may use. */
export function budgetRoutes(deps: ApiDeps) {
  const { config, db } = deps;
  const configured = configuredBudgets(config.agents, true);
  const mask = maskBody(deps, "PUT /api/v1/budgets");
  const bodies = new BodyBudget(BODY_BYTES_IN_FLIGHT);
  return routesOf(BUDGETS, {
    async listBudgets() {
      const rows = await readBudgets(db, configured, null);
      return {
        budgets: rows.map(({ set_by, updated_at, ...row }) => ({
          ...budgetView({ ...row, set_by, updated_at }, row.scope !== "session"),
          ...(set_by === null ? {} : { set_by }),
          ...(updated_at === null ? {} : { updated_at }),
        })),
      };
    },

    /** Answers 422 for a limit in USD if a model that can be called has no price: its calls could not be counted. */
    async setBudget(ctx) {
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
      return budgetView(row, scope !== "session");
    },

    async deleteBudget(ctx) {
      const id = budgetId(readQuery(ctx.query));
      callerOf(ctx).detail = { ...id };
      if (!(await deleteBudget(db, id))) throw notFound();
    },
  });
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
