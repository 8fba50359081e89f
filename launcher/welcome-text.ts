import type { BackingServers } from "./backing-servers.ts";
import type { ConfigDirectory } from "./config-directory.ts";
import type { Ports } from "./ports.ts";
import type { ProjectPaths } from "./project-paths.ts";
import { reachableHost } from "./service-plan.ts";

type Welcome = {
  readonly ports: Ports;
  readonly host: string;
  readonly servers: BackingServers;
  readonly config: ConfigDirectory;
  readonly paths: ProjectPaths;
  readonly executors: number;
};

/** A browser's address: the name people know where the server listens on this machine alone. */
function shownHost(host: string): string {
  const reachable = reachableHost(host);
  return reachable === "127.0.0.1" ? "localhost" : reachable;
}

/** What is said about the configuration; where nobody chose one, that no model is called and how to change that. */
export function configurationText({ path, isDemo }: ConfigDirectory): string {
  if (!isDemo) return path;
  return `${path}: no GOOGLE_API_KEY is set, so a scripted demo model answers and no LLM is called; to use Gemini, stop and run: GOOGLE_API_KEY=your-key npm start (or put it into deploy/config/.env)`;
}

/** The lines that say that everything is ready, where it is, and what to do first. */
export function welcomeText({ ports, host, servers, config, executors }: Welcome): string {
  const name = shownHost(host);
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
