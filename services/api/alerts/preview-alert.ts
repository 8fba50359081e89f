import { costEstimationOf } from "#shared/agent-config/cost-estimation-of.ts";
import { serversOf } from "#shared/agent-config/used-servers.ts";
import type { Identity } from "#shared/access/identity.ts";
import { storedChain, textsOfChain } from "#shared/contracts/resolved-chain.ts";
import { errorMessage } from "#shared/errors.ts";
import { priceCall } from "#shared/pricing/price-call.ts";
import { usdText } from "#shared/pricing/usd.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { AlertRequest } from "./contract.ts";
import type { Submitter } from "./open-submitter.ts";

/** Small enough for the first tier of prices. */
const TOKENS = 10_000n;
const CALL = { input: Number(TOKENS), cachedInput: 0, cacheWrite: 0, output: 0, thinking: 0 };

/** What the session of an alert would begin with. Nothing is stored, and nothing starts. Rejects as `Submitter.submit`. */
export async function previewAlert(
  { config, dispatcher, submitter }: ApiDeps & { readonly submitter: Submitter },
  request: AlertRequest,
  identity: Identity,
) {
  const { agents } = config;
  const { alert, chain, lane } = await submitter.preview(request, identity);
  const first = chain.stages.flatMap((stage) => stage.agents);
  const servers = [...new Set(first.flatMap(serversOf))];
  const hashes = new Set(textsOfChain(chain));
  const estimation = costEstimationOf(agents);
  return {
    alert_type: alert.alertType,
    is_default: (request.alert_type ?? "") === "",
    chain_id: chain.chain_id,
    priority: lane,
    data: alert.data,
    runbook: alert.runbook,
    chain: storedChain(chain),
    listing: await dispatcher.listTools(servers).catch((error: unknown) => ({
      tools: [],
      failed: servers.map((server) => ({ server, code: "no_runner", message: errorMessage(error) })),
    })),
    skills: [...agents.skills.values()]
      .filter(({ hash }) => hashes.has(hash))
      .map(({ hash, body }) => ({ hash, body })),
    holidays: agents.system.holidays,
    prices: [
      ...new Map(first.map(({ llm_provider: provider }) => [provider.name, provider])).values(),
    ].flatMap((provider) => {
      const price = priceCall(estimation, provider, CALL, Date.now());
      if (price === null) return [];
      const usd = Number(usdText((price.usd * 1_000_000n) / TOKENS));
      return [{ provider: provider.name, input_usd_per_million_tokens: usd, source: price.source }];
    }),
  };
}
