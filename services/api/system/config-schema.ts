import type { TSchema } from "typebox";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { literals } from "#shared/contracts/literals.ts";
import { AnyObject, Time } from "../http/common-schemas.ts";

export const CONFIG_VIEWS = ["name", "file"] as const;

export const SystemConfigQuery = Type.Object({
  view: Type.Optional(
    Type.With(literals(CONFIG_VIEWS), {
      description: "`file`: under the keys of the configuration files",
      default: "name",
    }),
  ),
});

const Text = Type.Optional(Type.String());
const Texts = Type.Array(Type.String());
const Flags = Type.Record(Type.String(), Type.Boolean());
const Duration = Type.String({ description: "as Go writes it, e.g. 15m0s" });
const MaxIterations = Type.Optional(Type.Integer({ minimum: 1 }));
/** Named members of the contract, beside which there are others, as in the files. */
const open = { additionalProperties: true } as const;

const Fallbacks = Type.Optional(
  Type.Array(Type.Object({ provider: Type.String(), backend: Type.String() }, open)),
);
const SubAgents = Type.Optional(Type.Array(Type.Object({ name: Type.String() }, open)));
const Switched = Type.Object({ enabled: Type.Boolean() }, open);

const ConfiguredQueue = Type.Object({
  worker_count: Type.Integer(),
  max_concurrent_sessions: Type.Integer(),
  max_concurrent_followups: Type.Integer(),
  max_parallel_agents: Type.Integer(),
  session_timeout: Duration,
  poll_interval: Duration,
  poll_interval_jitter: Duration,
  graceful_shutdown_timeout: Duration,
  scoring_shutdown_timeout: Duration,
  orphan_detection_interval: Duration,
  orphan_threshold: Duration,
  heartbeat_interval: Duration,
});

const Rates = { input_per_million: Type.Number(), output_per_million: Type.Number() };
const ConfiguredSystem = Type.Object(
  {
    allowed_ws_origins: Texts,
    dashboard_url: Text,
    slack: Type.Optional(Switched),
    cost_estimation: Type.Object({
      enabled: Type.Boolean(),
      model_rates: Type.Record(Type.String(), Type.Object(Rates, open)),
      promotions: Type.Array(
        Type.Object(
          {
            id: Text,
            model: Type.String(),
            ...Rates,
            start: Type.Optional(Time),
            end: Type.Optional(Time),
            status: literals(["active", "upcoming", "expired"]),
          },
          open,
        ),
      ),
      catalog: Type.Object({
        source: Type.Literal("snapshot", { description: "the list of prices that comes with the version" }),
        entry_count: Type.Integer({ minimum: 0 }),
      }),
    }),
  },
  open,
);

const ConfiguredAgent = Type.Object(
  {
    type: Text,
    description: Text,
    mcp_servers: Type.Optional(Texts),
    custom_instructions: Type.String(),
    llm_backend: Text,
    max_iterations: MaxIterations,
    native_tools: Type.Optional(Flags),
    orchestrator: Type.Union([AnyObject, Type.Null()]),
    skills: Type.Union([Texts, Type.Null()]),
    required_skills: Type.Optional(Texts),
  },
  open,
);

const ConfiguredStageAgent = Type.Object(
  {
    name: Type.String(),
    type: Text,
    llm_provider: Text,
    llm_backend: Text,
    max_iterations: MaxIterations,
    mcp_servers: Type.Optional(Texts),
    sub_agents: SubAgents,
    fallback_providers: Fallbacks,
    skills: Type.Optional(Texts),
    required_skills: Type.Optional(Texts),
  },
  open,
);

const ConfiguredChain = Type.Object(
  {
    alert_types: Texts,
    description: Text,
    stages: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          agents: Type.Array(ConfiguredStageAgent),
          replicas: Type.Optional(Type.Integer()),
          success_policy: Text,
          mcp_servers: Type.Optional(Texts),
          sub_agents: SubAgents,
          fallback_providers: Fallbacks,
          synthesis: Type.Optional(AnyObject),
        },
        open,
      ),
    ),
    chat: Type.Optional(Switched),
    scoring: Type.Optional(Switched),
    llm_provider: Text,
    mcp_servers: Type.Optional(Texts),
    sub_agents: SubAgents,
    fallback_providers: Fallbacks,
  },
  open,
);

const ConfiguredServer = Type.Object(
  {
    transport: Type.Object(
      {
        type: Type.String(),
        command: Text,
        args: Type.Optional(Texts),
        url: Text,
        verify_ssl: Type.Optional(Type.Boolean()),
        timeout: Type.Optional(Type.Integer()),
        env_keys: Type.Optional(Texts),
        custom_header_keys: Type.Optional(Texts),
        session_cleanup_url: Text,
        ca_file: Text,
        client_cert_file: Text,
        client_key_file: Text,
        bearer_token_set: Type.Boolean(),
      },
      { description: "secrets, and what looks like a token, are redacted" },
    ),
    instructions: Text,
    data_masking: Type.Optional(AnyObject),
    summarization: Type.Optional(AnyObject),
  },
  open,
);

const ConfiguredProvider = Type.Object(
  {
    type: Type.String(),
    model: Type.String(),
    api_key_env: Text,
    credentials_env: Text,
    project_env: Text,
    location_env: Text,
    base_url: Text,
    native_tools: Type.Optional(Flags),
  },
  open,
);

const byName = <S extends TSchema>(schema: S) => Type.Record(Type.String(), schema);

const ConfigByName = Type.Object({
  defaults: Type.Object({ fallback_providers: Fallbacks }, open),
  queue: ConfiguredQueue,
  system: ConfiguredSystem,
  agents: byName(ConfiguredAgent),
  chains: byName(ConfiguredChain),
  mcp_servers: byName(ConfiguredServer),
  llm_providers: byName(ConfiguredProvider),
  skills: byName(Type.Object({ name: Type.String(), description: Type.String() })),
});

const ConfigAsFile = Type.Object({
  system: AnyObject,
  queue: AnyObject,
  defaults: AnyObject,
  mcp_servers: AnyObject,
  agents: AnyObject,
  agent_chains: AnyObject,
  llm_providers: AnyObject,
});

/** `GET /api/v1/system/config` */
export const SystemConfigResponse = Type.Union([ConfigByName, ConfigAsFile]);
