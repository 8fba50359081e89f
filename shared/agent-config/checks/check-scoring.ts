import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { CheckContext } from "#shared/agent-config/checks/check-context.ts";
import { checkBackend } from "#shared/agent-config/checks/check-fallbacks.ts";
import type { Scoring } from "#shared/agent-config/schemas/scoring.ts";
import type { ChainEntry } from "#shared/agent-config/schemas/tarsy-file.ts";

const WITHOUT_EFFECT = {
  mcp_servers: "a judge calls no tools",
  max_iterations: "a judge is asked a fixed number of times",
} as const;

/** Checks what a chain or the defaults say about scoring. */
export function checkScoring(scoring: Loose<Scoring>, context: CheckContext): void {
  const { reporter, names } = context;
  reporter.unknownName({ container: scoring, key: "agent" }, "agent", scoring.agent, names.agents);
  const named = { container: scoring, key: "llm_provider" };
  reporter.unknownName(named, "LLM provider", scoring.llm_provider, names.llmProviders);
  checkBackend(
    { container: scoring, key: "llm_backend" },
    scoring.llm_provider,
    scoring.llm_backend,
    context,
  );
  for (const [key, why] of Object.entries(WITHOUT_EFFECT)) {
    if (Object.hasOwn(scoring, key)) {
      reporter.warn({ container: scoring, key }, "is valid but has no effect", why);
    }
  }
}

/** The block of a chain that switches scoring on, or that of the defaults; undefined if the chain is not scored by itself. */
export function scoringBlock(
  chain: Loose<ChainEntry>,
  { tarsy }: Pick<CheckContext, "tarsy">,
): Loose<Scoring> | undefined {
  const block = chain.scoring ?? tarsy.defaults?.scoring;
  return block?.enabled === true ? block : undefined;
}

/** Warns of a judge with the model of an agent that it judges, where the files have a provider with another one. */
export function checkJudges(context: CheckContext): void {
  const { chains, llmProviders, reporter, tarsy } = context;
  const written = [...llmProviders].filter(([, provider]) => reporter.sources.has(provider));
  for (const chain of chains.values()) {
    const block = scoringBlock(chain, context);
    const levels = [chain.scoring, tarsy.defaults?.scoring, chain, tarsy.defaults];
    const judge = levels.find((level) => level?.llm_provider !== undefined)?.llm_provider;
    if (block === undefined || judge === undefined) continue;
    const model = llmProviders.get(judge)?.model;
    const isOwn = investigators(chain, context).some((name) => llmProviders.get(name)?.model === model);
    const other = written.find(([, provider]) => provider.model !== undefined && provider.model !== model);
    if (model === undefined || !isOwn || other === undefined) continue;
    const target = { container: block, key: block.llm_provider === undefined ? "enabled" : "llm_provider" };
    reporter.warn(
      target,
      `lets the model ${model} judge its own investigations`,
      `name another provider, such as ${other[0]}, as llm_provider here`,
    );
  }
}

/** The names of the providers that a chain's agents use first. */
function investigators(chain: Loose<ChainEntry>, { tarsy }: CheckContext): string[] {
  const shared = chain.llm_provider ?? tarsy.defaults?.llm_provider;
  return (chain.stages ?? []).flatMap((stage) =>
    (stage?.agents ?? []).flatMap((agent) => agent?.llm_provider ?? shared ?? []),
  );
}
