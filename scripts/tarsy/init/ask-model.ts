import { randomUUID } from "node:crypto";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { startGateway } from "../../../lab/evaluation/engine/gateway.ts";
import { tryLlmCall } from "../../../services/executor/llm/call-llm.ts";
import { generateRequest } from "../../../services/executor/llm/generate-request.ts";
import type { LlmReply } from "../../../services/executor/llm/llm-reply.ts";
import { openLlmClient } from "../../../services/executor/llm/open-llm-client.ts";
import type { Environment } from "#shared/service/environment.ts";

/** Models on this machine may have to be loaded first. */
const ANSWER_MS = 120_000;
const MAX_MESSAGE_BYTES = 1024 * 1024;
const QUESTION = "Reply with the one word: ready";

/** A model, and what came back from it or why nothing did. */
interface Asked {
  readonly model: string;
  readonly reply: LlmReply;
  readonly seconds: string;
}

/**
 * Makes one short call to the model that a configuration directory investigates with, by a gateway of its own. Throws if the gateway
 * cannot be started, and the signal's reason.
 */
export async function askModel(
  configuration: { readonly path: string; readonly env: Environment },
  signal: AbortSignal,
): Promise<Asked> {
  const { path: configDir, env } = configuration;
  const config = await loadAgentConfig({ configDir, env });
  const [agent] = resolveChain(config, config.defaults.alert_type).stages.flatMap(({ agents }) => agents);
  if (agent === undefined) throw new Error(`${configDir} has no agent`);
  await using resources = new AsyncDisposableStack();
  const gateway = resources.use(await startGateway(configuration, signal));
  const llm = openLlmClient({ ...gateway, maxMessageBytes: MAX_MESSAGE_BYTES });
  resources.defer(() => llm.close());
  const request = generateRequest(
    {
      session: { sessionId: randomUUID() },
      execution: { execution_id: randomUUID() },
      state: { agent, messages: [{ role: "user", content: QUESTION }] },
    },
    [],
  );
  const began = performance.now();
  const ignored = { text: () => undefined, thinking: () => undefined };
  const reply = await tryLlmCall({ llm, request, signal, timeoutMs: ANSWER_MS }, ignored);
  signal.throwIfAborted();
  const { name, model } = agent.llm_provider;
  return { model: `${model} of ${name}`, reply, seconds: ((performance.now() - began) / 1_000).toFixed(1) };
}
