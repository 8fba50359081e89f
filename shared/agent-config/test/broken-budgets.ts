import type { BrokenFile } from "./broken-file.ts";

const limits = (name: string, text: string, path: string, says: string): BrokenFile => ({
  name,
  tarsy: `defaults:\n  llm_provider: test\n  budgets:\n    session: ${text}\n`,
  errors: [[`defaults.budgets.session${path}`, says]],
});
const CHAIN = `
agent_chains:
  disks:
    alert_types: [disk]
    stages: [{ name: look, agents: [{ name: KubernetesAgent }] }]
    budgets:
      day: { usd: §5 }
`;

/** Budgets with one mistake each. */
export const BROKEN_BUDGETS: readonly BrokenFile[] = [
  {
    name: "a budget that limits nothing",
    tarsy: "defaults:\n  llm_provider: test\n  budgets:\n    §session: { soft_ratio: 0.5 }\n",
    errors: [["defaults.budgets.session", "must limit usd, tokens or calls"]],
  },
  limits("a limit of nothing", "{ calls: §0 }", ".calls", "must be a whole number of at least 1"),
  limits("a limit as text", '{ tokens: §"many" }', ".tokens", "must be a whole number"),
  limits("a soft limit above the limit", "{ calls: 5, soft_ratio: §1.5 }", ".soft_ratio", "0.001 to 1"),
  limits(
    "a limit in USD for a model without a price",
    "{ usd: §5 }",
    ".usd",
    "no price is known for test (model scripted): add each model to system.cost_estimation.model_rates",
  ),
  {
    name: "a day's limit in USD for a chain whose model has no price",
    tarsy: `defaults:\n  llm_provider: test\n${CHAIN}`,
    errors: [["agent_chains.disks.budgets.day.usd", "needs the price of every model that is called"]],
  },
  {
    name: "a limit in USD while costs are not estimated",
    tarsy: `system:\n  cost_estimation: { enabled: false }\ndefaults:\n  llm_provider: test\n  budgets:\n    session: { usd: §5 }\n`,
    errors: [["defaults.budgets.session.usd", "system.cost_estimation.enabled is false"]],
  },
];
