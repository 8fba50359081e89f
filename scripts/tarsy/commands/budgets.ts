import {
  BUDGET_PERIODS,
  BUDGET_SCOPES,
  type BudgetPeriod,
  type BudgetScope,
} from "#shared/contracts/budget.ts";
import { budgetLines, type ShownBudget } from "../budget-lines.ts";
import { UsageError, type Command, type CommandCall } from "../command.ts";
import { API_OPTION, JSON_OPTION, apiOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";

/** `tarsy budgets [set|delete SCOPE [KEY]]` */
export const budgetsCommand: Command = {
  name: "budgets",
  args: "[set | delete SCOPE [KEY]]",
  maxArgs: 3,
  summary: "Shows LLM budgets and their use, or sets or deletes one",
  details: `SCOPE is ${BUDGET_SCOPES.join(", ")}; KEY is the chain or the team. \`set\` replaces the whole budget.`,
  words: ["set", "delete"],
  options: {
    usd: { value: "USD", help: "the limit in USD" },
    tokens: { value: "N", help: "the limit in tokens" },
    calls: { value: "N", help: "the limit in LLM calls" },
    soft: { value: "RATIO", help: "agents conclude once this share of the limit is used (default 0.8)" },
    period: {
      value: "PERIOD",
      help: "the period of a chain's or team's limit (default day)",
      choices: ["day", "month"],
    },
    ...JSON_OPTION,
    ...API_OPTION,
  },
  run: async (call) => {
    const [action] = call.positionals;
    if (action === undefined) return list(call);
    if (action === "set") return set(call);
    if (action === "delete") return remove(call);
    throw new UsageError(`budgets ${action}: use set or delete, or nothing to see them`);
  },
};

async function list(call: CommandCall): Promise<number> {
  const { terminal, signal } = call;
  const { budgets } = await apiOf(call).call("GET /api/v1/budgets", { signal });
  if (call.flag("json")) {
    terminal.write(`${JSON.stringify(budgets)}\n`);
    return EXIT.done;
  }
  if (budgets.length === 0) terminal.write("no budgets\n");
  for (const budget of budgets) terminal.write(rendered(budget));
  return EXIT.done;
}

async function set(call: CommandCall): Promise<number> {
  const { terminal, signal } = call;
  const limit_usd = numberOf(call, "usd");
  const limit_tokens = numberOf(call, "tokens");
  const limit_calls = numberOf(call, "calls");
  const soft_ratio = numberOf(call, "soft");
  if (limit_usd === undefined && limit_tokens === undefined && limit_calls === undefined) {
    throw new UsageError("no limit given: use --usd, --tokens or --calls");
  }
  const body = {
    ...idOf(call),
    ...(limit_usd === undefined ? {} : { limit_usd }),
    ...(limit_tokens === undefined ? {} : { limit_tokens }),
    ...(limit_calls === undefined ? {} : { limit_calls }),
    ...(soft_ratio === undefined ? {} : { soft_ratio }),
  };
  const budget = await apiOf(call).call("PUT /api/v1/budgets", { body, signal });
  terminal.write(call.flag("json") ? `${JSON.stringify(budget)}\n` : rendered(budget));
  return EXIT.done;
}

async function remove(call: CommandCall): Promise<number> {
  const { terminal, signal } = call;
  const query = idOf(call);
  await apiOf(call).call("DELETE /api/v1/budgets", { query, signal });
  terminal.write(call.flag("json") ? `${JSON.stringify({ ...query, deleted: true })}\n` : "deleted\n");
  return EXIT.done;
}

function idOf(call: CommandCall): { scope: BudgetScope; key?: string; period?: BudgetPeriod } {
  const [, text, key] = call.positionals;
  const scope = BUDGET_SCOPES.find((known) => known === text);
  if (scope === undefined) {
    throw new UsageError(`"${text ?? ""}" is not a scope: use ${BUDGET_SCOPES.join(", ")}`);
  }
  const period = BUDGET_PERIODS.find((known) => known === call.option("period"));
  return { scope, ...(key === undefined ? {} : { key }), ...(period === undefined ? {} : { period }) };
}

function numberOf(call: CommandCall, name: string): number | undefined {
  const text = call.option(name);
  if (text === undefined) return undefined;
  const value = Number(text.replaceAll("_", ""));
  if (!(value > 0)) throw new UsageError(`--${name} is "${text}": give a number above 0`);
  return value;
}

function rendered(budget: ShownBudget): string {
  return budgetLines(budget)
    .map((line) => `${line}\n`)
    .join("");
}
