import { brokenRows, type BrokenFile } from "./broken-file.ts";

const TEST = "llm_providers:\n  test: {type: scripted, script: s.yaml}\n";
const MODEL = "model: m, max_tool_result_tokens: 1000";
const slow = (timeouts: string) => TEST.replace("}", `, timeouts: ${timeouts}}`);

/** An entry beside the one that is used; MODEL stands for what most need. */
const PROVIDERS = String.raw`
provider type               | type                       | did you mean google?                | p: {type: §gogle, MODEL}
provider without type       | type                       | is required                         | §p: {model: m}
provider without model      | model                      | is required                         | §p: {type: openai, max_tool_result_tokens: 1000}
provider's tokens           | max_tool_result_tokens     | at least 1000                       | p: {type: openai, model: m, max_tool_result_tokens: §999}
an answer that is too short | max_output_tokens          | at least 16                         | p: {type: openai, MODEL, max_output_tokens: §0}
native tool                 | native_tools.google_serch  | did you mean google_search?         | p: {type: google, MODEL, native_tools: {google_serch: §true}}
native tool's switch        | native_tools.google_search | true or false                       | p: {type: google, MODEL, native_tools: {google_search: §1}}
scripted without script     | script                     | is required                         | §p: {type: scripted}
base_url                    | base_url                   | http or https URL                   | p: {type: openai, MODEL, base_url: §ftp://x}
bedrock without region      | region                     | is required                         | §p: {type: bedrock, MODEL, api_key_env: K}
bedrock's region            | region                     | like us-east-1                      | p: {type: bedrock, MODEL, region: §Ohio}
half of an AWS key          | secret_access_key_env      | is required with access_key_id_env  | §p: {type: bedrock, MODEL, region: eu-west-1, access_key_id_env: K}
two credentials             | machine_credentials        | must not be set beside api_key_env  | p: {type: azure, MODEL, base_url: 'https://x', api_key_env: K, machine_credentials: §true}
azure without an address    | base_url                   | is required for provider type azure | §p: {type: azure, MODEL, api_key_env: K}
Entra's address             | authority_host             | http or https URL                   | p: {type: azure, MODEL, base_url: 'https://x', authority_host: §login}
`;
/** The entry that is used. */
const USED = String.raw`
timeouts without the call's                | timeouts.call | is required     | {type: scripted, script: s.yaml, §timeouts: {first_chunk: 5m}}
script outside the configuration directory | script        | leads out of it | {type: scripted, script: §../../../../../../../etc/passwd}
script by its absolute path                | script        | leads out of it | {type: scripted, script: §/s.yaml}
script that is not a path                  | script        | there is no     | {type: scripted, script: §"s\0.yaml"}
script that is missing                     | script        | there is no     | {type: scripted, script: §gone.yaml}
`;
const TEXTS = String.raw`
template that is not a variable             |                         | {{ if .X }} is not understood | agents:\n  A:\n    custom_instructions: §{{ if .X }}yes
template without end                        |                         | {{.X is not understood        | agents:\n  A:\n    custom_instructions: §{{.X\n    max_iterations: 3
template of a field                         |                         | {{.A.B}} is not understood    | agents:\n  A: {max_iterations: §{{.A.B}} }
template for a required name                |                         | {{name}} is not understood    | agent_chains:\n  c: {alert_types: [a], stages: [{name: §{{name}}, agents: [{name: ChatAgent}]}]}
inserted value out of range                 | queue.worker_count      | COUNT is "77"                 | queue:\n  worker_count: §{{.COUNT}}\n  session_timeout: 5m
inserted value breaks the syntax            |                         | once QUOTE_TOKEN is inserted  | agents:\n  A:\n    custom_instructions: "§{{.QUOTE_TOKEN}}"
mistake after an insertion on the same line | agents.A.max_iterations | at least 1                    | agents:\n  A: {custom_instructions: {{.LONG}}, max_iterations: §0}
mistake below an insertion of several lines | agents.B.max_iterations | at least 1                    | agents:\n  A: {custom_instructions: {{.LINES}} }\n  B: {max_iterations: §0}
open quote                                  |                         | invalid YAML syntax           | agents:\n  A:\n    custom_instructions: §"open
open list                                   |                         | invalid YAML syntax           | agents:\n  A: {mcp_servers: [a, b§}
tab as indentation                          |                         | invalid YAML syntax           | queue:\n§	worker_count: 5
alias without anchor                        |                         | no anchor before it           | agents:\n  A: §*nobody
alias of itself                             |                         | contains itself               | agents: &a\n  A: §*a
second document                             |                         | more than one YAML document   | queue: {}\n§---\nqueue: {}
mistake in an anchor used twice             | agents.A.max_iterations | at least 1                    | agents:\n  A: &a {max_iterations: §0}\n  B: *a
`;

/** Providers, templates and YAML with one mistake each. */
export const BROKEN_TEXTS: readonly BrokenFile[] = [
  ...brokenRows(
    PROVIDERS,
    (line) => ({ providers: `${TEST}  ${line.replace("MODEL", MODEL)}\n` }),
    "llm_providers.p.",
  ),
  ...brokenRows(
    USED,
    (entry) => ({ providers: `llm_providers:\n  test: ${entry}\n` }),
    "llm_providers.test.",
  ),
  ...brokenRows(TEXTS, (text) => ({ tarsy: `${text}\n` })),
  {
    name: "silence that is longer than the call",
    providers: slow("{call: 5m, first_chunk: §6m, stall: §301s}"),
    errors: [
      ["llm_providers.test.timeouts.first_chunk", "must not be longer than call (5m)"],
      ["llm_providers.test.timeouts.stall", "must not be longer than call (5m)"],
    ],
  },
  {
    name: "an iteration that is shorter than a call",
    providers: slow("{call: 10m}"),
    tarsy:
      "defaults: {llm_provider: test, iteration_timeout: §9m}\nagents:\n  A: {iteration_timeout: §599s}\nagent_chains:\n  c: {alert_types: [x], stages: [{name: s, agents: [{name: A}, {name: KubernetesAgent, iteration_timeout: 10m}]}]}\n",
    errors: [
      ["defaults.iteration_timeout", "must not be shorter than timeouts.call (10m) of provider test"],
      ["agents.A.iteration_timeout", "must not be shorter than timeouts.call (10m) of provider test"],
    ],
  },
  {
    name: "an iteration that is shorter than a call of a fallback provider",
    providers: `${slow("{call: 10m}")}  fast: {type: scripted, script: s.yaml}\n`,
    tarsy: "defaults: {llm_provider: fast, fallback_providers: [{provider: test}], iteration_timeout: §9m}\n",
    errors: [["defaults.iteration_timeout", "must not be shorter than timeouts.call (10m) of provider test"]],
  },
  {
    name: "a session that is shorter than a call",
    providers: slow("{call: 1h}"),
    tarsy: "queue: {session_timeout: §1h}\ndefaults: {llm_provider: test}\n",
    errors: [["queue.session_timeout", "must be longer than timeouts.call (1h) of provider test"]],
  },
  {
    name: "a session that is shorter than a call by default",
    providers: slow("{call: 15m}"),
    tarsy: "§defaults: {llm_provider: test}\n",
    errors: [["queue.session_timeout", "and is 15m by default"]],
  },
  {
    name: "used azure without a credential",
    tarsy: "defaults: {llm_provider: p}\n",
    providers: `${TEST}  §p: {type: azure, ${MODEL}, base_url: 'https://x'}\n`,
    errors: [["llm_providers.p.api_key_env", "without client_secret_env and machine_credentials"]],
  },
];
