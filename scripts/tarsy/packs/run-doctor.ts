import { isSet } from "#shared/agent-config/found/find-keys.ts";
import { variablesOf } from "#shared/contracts/text-template.ts";
import type { Environment } from "#shared/service/environment.ts";
import type { CommandCall } from "../command.ts";
import { runnerEnvironment } from "../config-dir.ts";
import { apiOf } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { printable } from "../terminal/terminal-style.ts";
import { inspectServer, type PackedServer } from "./inspect-server.ts";
import { packedServers } from "./packed-servers.ts";

/** What was found of one server; the texts are masked. */
interface Diagnosis {
  readonly server: string;
  readonly pack: string;
  readonly ok: boolean;
  /** Of the package that the pack names, and as the server says it. */
  readonly version: string | null;
  readonly reported_version: string | null;
  /** The variables of its settings that it gets, and those that it lacks. */
  readonly credentials: { readonly set: readonly string[]; readonly missing: readonly string[] };
  readonly start: string;
  readonly tools: number;
  readonly new: readonly string[];
  readonly changed: readonly string[];
  readonly gone: readonly string[];
  readonly probe: string;
  /** When the tool-runners first saw it fail; null if it does not, or no api answers. */
  readonly failing_since: string | null;
}

const API_MS = 3_000;

/** Checks every server with a pack, one after the other, and prints what was found; resolves with the exit code. */
export async function runDoctor(call: CommandCall, configDir: string): Promise<number> {
  const { terminal, signal } = call;
  const env = runnerEnvironment(configDir, call.env);
  const servers = await packedServers(configDir, env);
  const failing = servers.length === 0 ? new Map<string, string>() : await failingServers(call);
  const found: Diagnosis[] = [];
  for (const server of servers) {
    const diagnosis = await diagnose(server, { configDir, env, signal }, failing.get(server.id) ?? null);
    found.push(diagnosis);
    if (!call.flag("json")) terminal.write(textOf(diagnosis));
  }
  if (call.flag("json")) terminal.write(`${JSON.stringify(found)}\n`);
  else if (found.length === 0) terminal.write(`no server of ${configDir} has a pack\n`);
  return found.every(({ ok }) => ok) ? EXIT.done : EXIT.failed;
}

async function diagnose(
  server: PackedServer,
  where: { readonly configDir: string; readonly env: Environment; readonly signal: AbortSignal },
  since: string | null,
): Promise<Diagnosis> {
  const { id, pack, entry } = server;
  const { problem, version, tools, gone, probe, isProbed } = await inspectServer(server, where);
  const { env = {}, custom_headers = {}, bearer_token = "", url = "" } = entry.transport;
  const texts = [...Object.values(env), ...Object.values(custom_headers), bearer_token, url];
  const names = [...new Set(texts.flatMap(variablesOf))];
  const missing = names.filter((name) => !isSet(where.env, name));
  const named = (state: string) => tools.filter((tool) => tool.state === state).map(({ name }) => name);
  const held = tools.some(({ state, isDenied }) => state !== "accepted" && !isDenied);
  return {
    server: id,
    pack: pack.pack,
    ok: problem === undefined && probe === undefined && missing.length === 0 && !held,
    version: pack.server?.version ?? null,
    reported_version: version ?? null,
    credentials: { set: names.filter((name) => !missing.includes(name)), missing },
    start: problem ?? "ok",
    tools: tools.length,
    new: named("new"),
    changed: named("changed"),
    gone,
    probe: probe ?? (isProbed ? "ok" : problem === undefined ? "none" : "not made"),
    failing_since: since,
  };
}

/** Since when servers fail, by id, as the api's warnings say; empty if no api answers in time. */
async function failingServers(call: CommandCall): Promise<ReadonlyMap<string, string>> {
  try {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(API_MS)]);
    const { warnings } = await apiOf(call).call("GET /api/v1/system/warnings", { signal });
    const ofServers = warnings.filter(({ category }) => category === "mcp_health");
    return new Map(
      ofServers.flatMap(({ server_id: id, created_at }) => (id === undefined ? [] : [[id, created_at]])),
    );
  } catch {
    call.signal.throwIfAborted();
    // TARSy need not run for a check of its servers.
    return new Map();
  }
}

function textOf(found: Diagnosis): string {
  const { server, pack, ok, version, reported_version: reported, credentials, failing_since: since } = found;
  const names = (label: string, list: readonly string[]) =>
    list.length === 0 ? [] : [`${label}: ${list.join(", ")}`];
  const lines = [
    `${ok ? "ok    " : "fails "} ${server}: pack ${pack}${version === null ? "" : ` ${version}`}${reported === null ? "" : `, says ${reported}`}`,
    `  variables  ${[...names("set", credentials.set), ...names("missing", credentials.missing)].join("; ") || "none"}`,
    `  start      ${found.start}`,
    `  tools      ${[`${found.tools} listed`, ...names("new", found.new), ...names("changed", found.changed), ...names("gone", found.gone)].join("; ")}`,
    `  probe      ${found.probe}`,
    ...(since === null ? [] : [`  failing    since ${since}`]),
    ...(found.new.length + found.changed.length === 0
      ? []
      : [`  remedy     npm run tarsy -- add --accept ${server}`]),
  ];
  return lines.map((line) => `${printable(line)}\n`).join("");
}
