import type { ServerEndpoints } from "./open-servers.ts";
import type { ConfigDirectory } from "./find-config-directory.ts";
import type { Ports } from "./choose-ports.ts";
import type { ProjectPaths } from "./project-paths.ts";
import { reachableHost } from "./supervisor/plan-services.ts";

type Welcome = {
  readonly ports: Ports;
  readonly host: string;
  readonly servers: ServerEndpoints;
  readonly config: ConfigDirectory;
  readonly paths: ProjectPaths;
  /** AUTH_MODE; empty means the default. */
  readonly mode: string;
  readonly executors: number;
};

/** The host for a browser: `localhost` for a server that listens on 127.0.0.1. */
function browserHost(host: string): string {
  const reachable = reachableHost(host);
  return reachable === "127.0.0.1" ? "localhost" : reachable;
}

/** The configuration directory; for the demo, also that no LLM is called and how to use one. */
function configurationText({ path, isDemo, localModel }: ConfigDirectory): string {
  if (localModel !== undefined) return `${path}: ${localModel.name} at ${localModel.url} answers`;
  if (!isDemo) return path;
  return `${path}: no GOOGLE_API_KEY is set, so a scripted demo model answers and no LLM is called; to use Gemini, stop and run: GOOGLE_API_KEY=your-key npm start (or put it into deploy/config/.env)`;
}

/** The access mode and what it allows. */
function accessText(mode: string, { header }: ProjectPaths): string {
  if (mode === "" || mode === "loopback") {
    return "loopback: every program and user of this machine, as operator (others: npm start -- --private)";
  }
  return mode === "private" ? `private: with the token, e.g. curl -H @${header}` : mode;
}

/** The text that is printed when everything is ready: addresses, configuration and first steps. */
export function welcomeText({ ports, host, servers, config, paths, mode, executors }: Welcome): string {
  const name = browserHost(host);
  const apiPort = ports.get("API_PORT");
  const notifierPort = ports.get("NOTIFIER_PORT");
  const moved = [
    ...(apiPort === 8080 ? [] : [`API_PORT=${apiPort} `]),
    ...(notifierPort === 8081 ? [] : [`NOTIFIER_PORT=${notifierPort} `]),
  ].join("");
  return [
    "",
    `TARSy is ready at http://${name}:${apiPort}`,
    `  live events    ws://${name}:${notifierPort}/ws`,
    `  access         ${accessText(mode, paths)}`,
    `  executors      ${executors}`,
    `  configuration  ${configurationText(config)}`,
    `  database       ${servers.postgres.description}`,
    `  bus            ${servers.nats.description}`,
    `  first alert    ${moved}npm run alert -- examples/alerts/alertmanager-webhook.json`,
    "  stop           Ctrl-C",
    "",
    "",
  ].join("\n");
}
