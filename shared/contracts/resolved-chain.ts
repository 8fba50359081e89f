import { createHash } from "node:crypto";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { ResolvedBudgets } from "#shared/contracts/budget.ts";
import { CONCLUSION_CONTRACT, ConclusionNames } from "#shared/contracts/conclusion.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ResolvedEmbedding } from "#shared/contracts/embedding.ts";
import { literals } from "#shared/contracts/literals.ts";
import { PARALLEL_TYPES, SUCCESS_POLICIES } from "#shared/contracts/statuses.ts";
import { isTemplate, variablesOf } from "#shared/contracts/text-template.ts";
import { RetryableError } from "#shared/errors.ts";

/** The strategies that a configuration can name; `single-call` is the one of an agent without a configured strategy. */
export const CONFIGURED_STRATEGIES = [
  "single-call",
  "react",
  "native-thinking",
  "synthesis",
  "synthesis-native-thinking",
] as const;

/** The strategies an execution can run with; `scoring` is that of a judge, `memory-extraction` of one that learns. */
export const ITERATION_STRATEGIES = [...CONFIGURED_STRATEGIES, "scoring", "memory-extraction"] as const;
export type IterationStrategy = (typeof ITERATION_STRATEGIES)[number];

/** Those that call tools. */
export const TOOL_STRATEGIES = ["react", "native-thinking"] as const satisfies readonly IterationStrategy[];

export const PROVIDER_TYPES = [
  "google",
  "openai",
  "anthropic",
  "xai",
  "vertexai",
  "mistral",
  "groq",
  "openrouter",
  "deepseek",
  "azure",
  "bedrock",
  "scripted",
] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

export const LLM_BACKENDS = ["google-native", "langchain", "scripted"] as const;
export type LlmBackend = (typeof LLM_BACKENDS)[number];

/**
 * The format that sessions are stored with. A change that a reader of this version would misread raises it; an optional
 * property does not. `docs/development.md` has the rules. The stored list of stages begins with null, so that
 * `stages[stage_index]` is a stage's configuration: stages count from 1.
 */
export const RESOLVED_CHAIN_VERSION = 1;

/** A week: long enough for a holiday. */
export const DEFAULT_APPROVAL_TIMEOUT_MS = 168 * 60 * 60 * 1_000;

/** One LLM provider as an execution uses it. Secrets appear only as names of environment variables. */
export const ResolvedProvider = Type.Object({
  name: Type.String(),
  /** One of PROVIDER_TYPES; any text is read, because only the llm-gateway must know the type. */
  type: Type.String(),
  model: Type.String(),
  backend: literals(LLM_BACKENDS),
  api_key_env: Type.Optional(Type.String()),
  credentials_env: Type.Optional(Type.String()),
  /** Values, not names of variables, as the reference's protocol requires; they are not secret. */
  project: Type.Optional(Type.String()),
  location: Type.Optional(Type.String()),
  base_url: Type.Optional(Type.String()),
  /** Settings of single types, as in the file. Of those that name variables, the names. */
  region: Type.Optional(Type.String()),
  deployment: Type.Optional(Type.String()),
  api_version: Type.Optional(Type.String()),
  authority_host: Type.Optional(Type.String()),
  access_key_id_env: Type.Optional(Type.String()),
  secret_access_key_env: Type.Optional(Type.String()),
  session_token_env: Type.Optional(Type.String()),
  tenant_id_env: Type.Optional(Type.String()),
  client_id_env: Type.Optional(Type.String()),
  client_secret_env: Type.Optional(Type.String()),
  machine_credentials: Type.Optional(Type.Boolean()),
  /** Only for type `scripted`: the script, relative to the configuration directory. */
  script: Type.Optional(Type.String()),
  max_tool_result_tokens: Type.Integer(),
  /** The longest answer; absent for the provider's own limit. */
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The longest call; absent where only the iteration's time limits it. */
  call_timeout_ms: Type.Optional(Type.Integer({ minimum: 1 })),
  native_tools: Type.Record(Type.String(), Type.Boolean()),
});
export type ResolvedProvider = Static<typeof ResolvedProvider>;

const AGENT = {
  name: Type.String(),
  /** The number of this replica of the agent, from 1; absent where the stage has no replicas. */
  replica: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Absent: an agent that only investigates. One of type `action` may use tools that change things. */
  type: Type.Optional(Type.Literal("action")),
  iteration_strategy: literals(ITERATION_STRATEGIES),
  max_iterations: Type.Integer({ minimum: 1 }),
  iteration_timeout_ms: Type.Integer({ minimum: 1 }),
  /** Server ids, in order; may be empty. */
  mcp_servers: Type.Array(Type.String()),
  /** Names of the allowed tools (without the server) by server id; for servers whose tools the alert restricts. */
  tool_choice: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
  custom_instructions: Type.String(),
  /** It states its conclusion by this contract; absent if it only writes it. */
  conclusion: Type.Optional(Type.Literal(CONCLUSION_CONTRACT)),
  /** What its conclusion may name of causes, their categories and what is at fault; absent, or an empty list, for anything. */
  conclusion_names: Type.Optional(ConclusionNames),
  /** The results of its tools have handles, because another agent quotes them in its conclusion. */
  quoted: Type.Optional(Type.Literal(true)),
  /** The skills that the agent may load; their texts are in `texts` by their hash. Absent if there are none. */
  skills: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), description: Type.String(), hash: Type.String() })),
  ),
  /** The skills whose texts are part of its system prompt. Absent if there are none. */
  required_skills: Type.Optional(Type.Array(Type.Object({ name: Type.String(), hash: Type.String() }))),
  llm_provider: ResolvedProvider,
  /** The providers that take over, in this order, when `llm_provider` fails; absent if there are none. */
  fallback_providers: Type.Optional(Type.Array(ResolvedProvider)),
};

/** An agent that another one may start; it starts none itself. */
const ResolvedSubAgent = Type.Object({
  ...AGENT,
  /** The description for the agent that chooses among them. */
  description: Type.String(),
});
export type ResolvedSubAgent = Static<typeof ResolvedSubAgent>;

/** The limits of an agent that starts others. */
const ResolvedOrchestrator = Type.Object({
  max_concurrent_agents: Type.Integer({ minimum: 1 }),
  /** The longest run of one sub-agent. */
  agent_timeout_ms: Type.Integer({ minimum: 1 }),
  /** The time from the first start of a sub-agent until the agent must conclude without those that still run. */
  max_budget_ms: Type.Integer({ minimum: 1 }),
  /** The number of sub-agents that an execution may start in all. */
  max_dispatches: Type.Integer({ minimum: 1 }),
});
export type ResolvedOrchestrator = Static<typeof ResolvedOrchestrator>;

/** Applies where the configuration sets nothing. */
export const DEFAULT_ORCHESTRATOR: ResolvedOrchestrator = {
  max_concurrent_agents: 5,
  agent_timeout_ms: 420_000,
  max_budget_ms: 900_000,
  max_dispatches: 20,
};

/** One agent of a stage with every setting resolved. */
export const ResolvedAgent = Type.Object({
  ...AGENT,
  /** The agents that it may start; absent if there are none. */
  sub_agents: Type.Optional(Type.Array(ResolvedSubAgent)),
  /** Together with `sub_agents`; absent: DEFAULT_ORCHESTRATOR. */
  orchestrator: Type.Optional(ResolvedOrchestrator),
});
export type ResolvedAgent = Static<typeof ResolvedAgent>;

/** True for an agent whose results have handles, for its own conclusion or for that of another agent. */
export function hasHandles({ conclusion, quoted }: Pick<ResolvedAgent, "conclusion" | "quoted">): boolean {
  return conclusion !== undefined || quoted === true;
}

/** True for an agent that may change things. A synthesis of any type calls no tools. */
export function isActionAgent({
  type,
  iteration_strategy: strategy,
}: Pick<ResolvedAgent, "type"> & Partial<Pick<ResolvedAgent, "iteration_strategy">>): boolean {
  return type === "action" && strategy !== "synthesis" && strategy !== "synthesis-native-thinking";
}

/** The rules by which large results of a server are summarized. */
export const ResolvedSummaries = Type.Object({
  /** Results above this size are summarized. */
  threshold_tokens: Type.Integer({ minimum: 1 }),
  /** The longest summary. */
  max_tokens: Type.Integer({ minimum: 1 }),
  /** The provider that writes the summaries; absent for the agent's own provider. */
  llm_provider: Type.Optional(ResolvedProvider),
});
export type ResolvedSummaries = Static<typeof ResolvedSummaries>;

/** One stage; `agents` has one entry per replica. */
export const ResolvedStage = Type.Object({
  name: Type.String(),
  parallel_type: Type.Union([literals(PARALLEL_TYPES), Type.Null()]),
  success_policy: literals(SUCCESS_POLICIES),
  /** So many agents begin at once, and the others one at a time until their conclusions agree; absent: all at once. */
  replicas: Type.Optional(
    Type.Object({ min: Type.Integer({ minimum: 1 }), stop: Type.Literal("agreement") }),
  ),
  agents: Type.Array(ResolvedAgent, { minItems: 1 }),
  /** The agent that synthesises the results of several agents; absent for a single agent. */
  synthesis: Type.Optional(ResolvedAgent),
});
export type ResolvedStage = Static<typeof ResolvedStage>;

/**
 * The complete configuration of an investigation, resolved when the alert is submitted and stored for the session.
 * Later readers, and another executor after a restart with changed files, use the stored one. The statement that claims a
 * tool call (claim-tool-call.ts) reads an agent's strategy, servers and tools from the stored JSON.
 */
export const ResolvedChain = Type.Object({
  version: Type.Literal(RESOLVED_CHAIN_VERSION),
  chain_id: Type.String(),
  alert_type: Type.String(),
  /** Counts from the session's `started_at`, across owners. */
  session_timeout_ms: Type.Integer({ minimum: 1 }),
  max_parallel_agents: Type.Integer({ minimum: 1 }),
  /** Instructions of each MCP server any agent uses, by server id; servers without instructions are absent. */
  mcp_server_instructions: Type.Record(Type.String(), Type.String()),
  /**
   * The longest result, in tokens, that goes into a conversation whole, by server id; for servers whose configuration says so.
   */
  mcp_server_result_tokens: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 1 }))),
  /** Keyed by server id, of the servers whose large results are summarized; of others, a part is shown. */
  mcp_server_summaries: Type.Optional(Type.Record(Type.String(), ResolvedSummaries)),
  /** Absent: tools with an unknown effect are allowed; `strict` denies them. */
  tool_policy: Type.Optional(Type.Literal("strict")),
  /** The time for which a tool call waits for a person's approval; absent: DEFAULT_APPROVAL_TIMEOUT_MS. */
  approval_timeout_ms: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The providers that write the executive summary; absent: the provider of the last execution, and those that can take over from it. */
  executive_summary: Type.Optional(
    Type.Object({
      llm_provider: ResolvedProvider,
      fallback_providers: Type.Optional(Type.Array(ResolvedProvider)),
    }),
  ),
  /** The judge of the session; absent unless one scores each session that completes. */
  scoring: Type.Optional(Type.Object({ enabled: Type.Literal(true), agent: ResolvedAgent })),
  /** The budget of its LLM calls; absent if the configuration limits nothing. */
  budgets: Type.Optional(ResolvedBudgets),
  /** The rules by which sessions are remembered, and memories given to the agents of this one; absent if nothing is. */
  memory: Type.Optional(
    Type.Object({
      max_inject: Type.Integer({ minimum: 1 }),
      reflector_memory_limit: Type.Integer({ minimum: 1 }),
      /** Absent: they are found by their words alone. */
      embedding: Type.Optional(ResolvedEmbedding),
    }),
  ),
  /** An address that the alert gives as its runbook is fetched; absent: it is only named. */
  fetches_runbook: Type.Optional(Type.Literal(true)),
  /** The runbook text for alerts without one. */
  default_runbook: Type.String(),
  /**
   * The environment variables that the texts above and the agents' `custom_instructions` insert. If it is present these
   * texts are templates (`text-template.ts`): the executor inserts the values when it sends a prompt, and stores none.
   */
  variables: Type.Optional(Type.Array(Type.String())),
  stages: Type.Array(ResolvedStage, { minItems: 1 }),
});
export type ResolvedChain = Static<typeof ResolvedChain>;

/** Replaces every text of a chain that can be a template. */
export function mapTexts<C extends ResolvedChain>(chain: C, map: (text: string) => string): C {
  const agent = (one: ResolvedAgent): ResolvedAgent => ({
    ...one,
    custom_instructions: map(one.custom_instructions),
    ...(one.sub_agents === undefined
      ? {}
      : {
          sub_agents: one.sub_agents.map((child) => ({
            ...child,
            description: map(child.description),
            custom_instructions: map(child.custom_instructions),
          })),
        }),
  });
  return {
    ...chain,
    mcp_server_instructions: Object.fromEntries(
      Object.entries(chain.mcp_server_instructions).map(([id, text]) => [id, map(text)]),
    ),
    default_runbook: map(chain.default_runbook),
    ...(chain.scoring === undefined
      ? {}
      : { scoring: { ...chain.scoring, agent: agent(chain.scoring.agent) } }),
    stages: chain.stages.map((stage) => ({
      ...stage,
      agents: stage.agents.map(agent),
      ...(stage.synthesis === undefined ? {} : { synthesis: agent(stage.synthesis) }),
    })),
  };
}

/** An agent and those that it may start. */
export function withSubAgents(agent: ResolvedAgent): readonly ResolvedAgent[] {
  return [agent, ...(agent.sub_agents ?? [])];
}

/** The hashes of the texts that a chain's agents refer to, sorted. */
export function textsOfChain({ stages }: Pick<ResolvedChain, "stages">): string[] {
  const agents = stages.flatMap(({ agents: ofStage }) => ofStage.flatMap(withSubAgents));
  const refs = agents.flatMap(({ skills = [], required_skills = [] }) => [...skills, ...required_skills]);
  return [...new Set(refs.map(({ hash }) => hash))].toSorted();
}

/** Names the variables of a chain whose texts are templates; without a template in it the chain stays as it is. */
export function withVariables({ variables: _former, ...chain }: ResolvedChain): ResolvedChain {
  const templates: string[] = [];
  mapTexts(chain, (text) => {
    if (isTemplate(text)) templates.push(text);
    return text;
  });
  if (templates.length === 0) return chain;
  return { ...chain, variables: [...new Set(templates.flatMap(variablesOf))].toSorted() };
}

/** The code of the error about a configuration that another version of TARSy must run. */
export const OTHER_VERSION = "other_version";

const parseVersion = compileParser(
  "version of a resolved chain",
  Type.Object({ version: Type.Integer({ minimum: 1 }) }, { additionalProperties: true }),
);
const parseList = compileParser(
  "stages of a resolved chain",
  Type.Object({ stages: Type.Array(Type.Unknown(), { minItems: 2 }) }, { additionalProperties: true }),
);
const parseCurrent = compileParser("resolved chain", ResolvedChain);

/** The chain as it is stored. */
export function storedChain(chain: ResolvedChain): object {
  return { ...chain, stages: [null, ...chain.stages] };
}

/**
 * Reads a stored chain. Throws TerminalError `malformed`, or RetryableError `other_version` for a format that only
 * newer versions of TARSy read: these must run the session, so it must not fail here.
 */
export function parseResolvedChain(stored: unknown): ResolvedChain {
  const { version } = parseVersion(stored);
  if (version > RESOLVED_CHAIN_VERSION) {
    throw new RetryableError(
      OTHER_VERSION,
      `the session's configuration has version ${version}, and this process reads versions up to ${RESOLVED_CHAIN_VERSION}: a newer one must continue it`,
    );
  }
  const listed = parseList(stored);
  return parseCurrent({ ...listed, stages: listed.stages.slice(1) });
}

/** SHA-256 in hex over the chain as JSON. One that was read from jsonb has its members in another order, and so another hash. */
export function hashResolvedChain(chain: ResolvedChain): string {
  return createHash("sha256").update(JSON.stringify(chain)).digest("hex");
}
