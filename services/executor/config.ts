import { hostname } from "node:os";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { costEstimationOf } from "#shared/agent-config/cost-estimation-of.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { providerLists } from "#shared/agent-config/providers-of-chain.ts";
import type { Holiday } from "#shared/agent-config/schemas/system-section.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { maskingRulesOf } from "#shared/agent-config/masking-rules-of.ts";
import type { CostEstimation } from "#shared/pricing/price-call.ts";
import type { MaskingRules } from "#shared/masking/masking-rules.ts";
import {
  envChoice,
  envInteger,
  envText,
  type Environment,
  secretVariable,
} from "#shared/service/environment.ts";
import { llmTries } from "#shared/service/llm-tries.ts";
import { gatewayToken } from "#shared/service/gateway-token.ts";
import {
  configDirectory,
  databaseUrl,
  natsUrl,
  readServiceConfig,
  type ServiceConfig,
} from "#shared/service/service-config.ts";
import type { ReadVariable } from "./prompts/variable-placeholders.ts";

export interface ExecutorConfig extends ServiceConfig {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** host:port of the llm-gateway, or a comma-separated list; a DNS name may have several addresses. */
  readonly llmGatewayAddress: string;
  /** Sent to the llm-gateway with each call. */
  readonly llmGatewayToken: string;
  /** The largest message to or from the llm-gateway, in bytes; the gateway reads the same variable. */
  readonly maxMessageBytes: number;
  /** Names this executor in the row's `pod_id`, for operators. */
  readonly podId: string;
  /** Looks up a variable that the configuration inserts into instructions. */
  readonly readVariable: ReadVariable;
  /** Set in tests: the state in memory is compared with the stored one after every step. */
  readonly verifiesState: boolean;
  /** The names of each agent's own provider and of those that can take over, for metrics. */
  readonly providerLists: readonly (readonly string[])[];
  /** By server id. */
  readonly maskingRules: ReadonlyMap<string, MaskingRules>;
  /** The longest tool call, whatever its server allows, in milliseconds. */
  readonly toolCallMs: number;
  readonly costEstimation: CostEstimation;
  /** Days on which few people are at work; agents get them in their context. */
  readonly holidays: readonly Holiday[];
  /** How often the llm-gateway tries a call, which reads the same variable. */
  readonly llmTries: number;
  /** Sessions this process runs concurrently. */
  readonly slots: number;
  /** Sessions whose follow-ups this process runs concurrently, beside `slots`. */
  readonly followupSlots: number;
  /** Grace period for running steps after a stop; steps that still run then are aborted, and the next owner repeats them. */
  readonly stopGraceMs: number;
  /** Sessions that all executors together run concurrently. */
  readonly maxRunning: number;
  /** Sessions whose follow-ups all executors together run concurrently. */
  readonly maxFollowups: number;
}

const MIB = 1024 * 1024;
/** The longest tool call by default. */
export const TOOL_CALL_SECONDS = 600;

/** Reads the environment over `<config-dir>/.env`, and the queue's settings. Throws TerminalError naming what is wrong. */
export async function loadExecutorConfig(processEnv: Environment): Promise<ExecutorConfig> {
  const configDir = configDirectory(processEnv);
  const env = readConfigEnvironment(configDir, processEnv);
  const agents: AgentConfig = await loadAgentConfig({ configDir, env });
  return {
    ...readServiceConfig(env, { name: "EXECUTOR_HEALTH_PORT", fallback: 8091 }),
    databaseUrl: databaseUrl(env),
    natsUrl: natsUrl(env),
    llmGatewayAddress: envText(env, "LLM_GATEWAY_ADDR", "localhost:50051"),
    llmGatewayToken: gatewayToken(env),
    maxMessageBytes: envInteger(env, "LLM_MAX_MESSAGE_BYTES", {
      fallback: 16 * MIB,
      min: MIB,
      max: 256 * MIB,
    }),
    // The process id, because several executors may run on one host.
    podId: envText(env, "POD_ID", `${envText(env, "HOSTNAME", hostname())}-${process.pid}`),
    readVariable: (name) => secretVariable(env, name),
    verifiesState: envChoice(env, "EXECUTOR_VERIFY_STATE", ["true", "false"], "false") === "true",
    providerLists: providerLists(agents),
    maskingRules: maskingRulesOf(agents.mcpServers),
    toolCallMs:
      1_000 *
      envInteger(env, "TOOL_CALL_MAX_SECONDS", {
        fallback: TOOL_CALL_SECONDS,
        min: 1,
        max: 86_400,
      }),
    costEstimation: costEstimationOf(agents),
    holidays: agents.system.holidays,
    llmTries: llmTries(env),
    slots: agents.queue.worker_count,
    followupSlots: Math.min(agents.queue.worker_count, agents.queue.max_concurrent_followups),
    stopGraceMs: envInteger(env, "EXECUTOR_STOP_GRACE_MS", { fallback: 10_000, min: 0, max: 12_000 }),
    maxRunning: agents.queue.max_concurrent_sessions,
    maxFollowups: agents.queue.max_concurrent_followups,
  };
}

/** The limits of an executor as one sentence, which also says when further executors have nothing to do. */
export function describeLimits({
  slots,
  maxRunning,
}: {
  /** Sessions that this executor runs at a time. */
  readonly slots: number;
  /** Sessions that all executors together run at a time. */
  readonly maxRunning: number;
}): string {
  const limits = `runs up to ${Math.min(slots, maxRunning)} sessions at a time, all executors together ${maxRunning}`;
  if (slots < maxRunning) return limits;
  return `${limits}: further executors stand by until queue.max_concurrent_sessions is raised`;
}
