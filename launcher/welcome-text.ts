import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { PREFERRED_PROVIDERS } from "#shared/agent-config/found/find-keys.ts";
import { findKubeconfig } from "#shared/agent-config/found/find-kubeconfig.ts";
import { type Environment, secretVariable } from "#shared/service/environment.ts";
import type { ServerEndpoints } from "./open-servers.ts";
import type { ConfigDirectory } from "./find-config-directory.ts";
import type { Ports } from "./choose-ports.ts";
import { tokenVariable } from "./prepare-access.ts";
import type { ProjectPaths } from "./project-paths.ts";
import { reachableHost } from "./supervisor/plan-services.ts";

type Welcome = {
  readonly ports: Ports;
  readonly host: string;
  readonly servers: ServerEndpoints;
  readonly config: ConfigDirectory;
  /** The address that it names. */
  readonly agents: AgentConfig;
  readonly paths: ProjectPaths;
  /** The variables of prepareAccess, which win over those of `config`. */
  readonly access: Environment;
  readonly executors: number;
  /** The process of one of them. */
  readonly executorPid: number | undefined;
  /** The address with --dev of each process's inspector by the process's name. */
  readonly inspectors: ReadonlyMap<string, string> | undefined;
};

/** The host for a browser: `localhost` for a server that listens on 127.0.0.1. */
function browserHost(host: string): string {
  const reachable = reachableHost(host);
  return reachable === "127.0.0.1" ? "localhost" : reachable;
}

/** The configuration directory; for the demo, also that no LLM is called and how to use one. */
function configurationText({ path, source, isDemo, localModel }: ConfigDirectory): string {
  if (localModel !== undefined) return `${path}: ${localModel.name} at ${localModel.url} answers`;
  if (source !== undefined) return `${path}, made from ${source}`;
  if (!isDemo) return path;
  return `${path}: no key of an LLM provider is set, so a scripted demo model answers and no LLM is called; to use one, stop and run: GOOGLE_API_KEY=your-key npm start, or with another provider's key (or put it into deploy/config/.env)`;
}

/** Lines about the model that answers, the reason for it, and the data that the tools look at, where the start has chosen them. */
function chosenLines({ key, source, tools, isDemo, env }: ConfigDirectory, agents: AgentConfig): string[] {
  const kubeconfig = isDemo ? findKubeconfig(env) : undefined;
  if (kubeconfig !== undefined) {
    return [
      `  found          the kubeconfig ${kubeconfig.path}: with the key of an LLM provider its cluster is investigated`,
    ];
  }
  const { defaults, llmProviders } = agents;
  const { llm_provider: name = "" } = defaults;
  if (key === undefined || source === undefined) return [];
  const reason =
    name === key.provider
      ? `${key.variable} is the first key that is set (the order: ${PREFERRED_PROVIDERS.map((one) => one.replace("-default", "")).join(", ")})`
      : `${source}/tarsy.yaml names it`;
  return [
    `  model          ${llmProviders.get(name)?.model ?? ""} of ${name}: ${reason}`,
    ...(tools === undefined ? [] : [`  tools          ${tools}`]),
  ];
}

/** The access mode and what it allows. */
function accessText(mode: string, { header }: ProjectPaths): string {
  if (tokenVariable(mode) === "APPROVAL_TOKEN") {
    return "loopback: every program and user of this machine, as operator (others: npm start -- --private)";
  }
  return mode === "private" ? `private: with the token, e.g. curl -H "@${header}"` : mode;
}

/** The text that is printed when everything is ready: addresses, configuration and first steps. */
export function welcomeText({
  ports,
  host,
  servers,
  config,
  agents,
  paths,
  access,
  executors,
  executorPid,
  inspectors,
}: Welcome): string {
  const name = browserHost(host);
  const env = { ...config.env, ...access };
  const mode = env["AUTH_MODE"] ?? "";
  // Each person has a token of their own in other modes.
  const variable = tokenVariable(mode);
  const token = variable === undefined ? "" : secretVariable(env, variable);
  const apiPort = ports.get("API_PORT");
  const notifierPort = ports.get("NOTIFIER_PORT");
  const moved = [
    ...(apiPort === 8080 ? [] : [`API_PORT=${apiPort} `]),
    ...(notifierPort === 8081 ? [] : [`NOTIFIER_PORT=${notifierPort} `]),
  ].join("");
  const pageWith = (secret: string) =>
    `http://${name}:${apiPort}/${secret === "" ? "" : `#token=${encodeURIComponent(secret)}`}`;
  return [
    "",
    `TARSy is ready at ${pageWith(variable === "AUTH_TOKEN" ? token : "")}`,
    `  access         ${accessText(mode, paths)}`,
    ...(variable === "APPROVAL_TOKEN"
      ? [`  approvals      open ${pageWith(token)} to approve tool calls`]
      : []),
    `  executors      ${executors}`,
    `  configuration  ${configurationText(config)}`,
    ...chosenLines(config, agents),
    `  database       ${servers.postgres.description}`,
    `  bus            ${servers.nats.description}`,
    `  first alert    ${moved}npm run alert -- examples/alerts/alertmanager-webhook.json`,
    `  then try       kill -9 ${executorPid ?? "PID"}   an executor, in mid-investigation: another one goes on where it was`,
    ...devLines(inspectors),
    "  stop           Ctrl-C",
    "",
    "",
  ].join("\n");
}

function devLines(inspectors: Welcome["inspectors"]): readonly string[] {
  if (inspectors === undefined) return [];
  const addresses = [...inspectors].map(([name, address]) => `${name} ${address}`);
  return [
    `  inspectors     ${addresses.join(", ")}`,
    "  development    a saved file restarts the services that import or read it, or rebuilds the page",
  ];
}
