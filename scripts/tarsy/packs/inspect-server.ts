import { randomUUID } from "node:crypto";
import type { PackFile } from "#shared/agent-config/schemas/pack-file.ts";
import type { McpServerEntry } from "#shared/agent-config/schemas/tarsy-file.ts";
import { type AcceptedDefinitions, isAccepted, isOffered } from "#shared/agent-config/tool-rules.ts";
import { errorMessage } from "#shared/errors.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import { Masker } from "#shared/masking/masker.ts";
import { compilePattern } from "#shared/masking/patterns/custom-patterns.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { Environment } from "#shared/service/environment.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { programsEnvironment } from "../../../launcher/supervisor/plan-services.ts";
import type { ListedTool } from "../../../services/tool-runner/mcp/list-tools.ts";
import { readServer } from "../../../services/tool-runner/mcp/load-servers.ts";
import type { McpServer } from "../../../services/tool-runner/mcp/mcp-server.ts";
import { McpServers } from "../../../services/tool-runner/mcp/mcp-servers.ts";
import { serverSecrets } from "../../../services/tool-runner/mcp/server-secrets.ts";
import { PROJECT_ROOT } from "../project-root.ts";

/** A server of a configuration, or one that will be. */
export interface PackedServer {
  readonly id: string;
  readonly pack: PackFile;
  readonly entry: McpServerEntry;
  readonly definitions: AcceptedDefinitions;
}

export interface InspectedTool extends ListedTool {
  readonly state: "accepted" | "changed" | "new";
  readonly isDenied: boolean;
  /** The hashes under which it is accepted. */
  readonly accepted: readonly string[];
}

/** What a server said when it was started and asked; `problem` is why it could not be. All texts are masked. */
export interface Inspection {
  readonly problem?: string;
  readonly version?: string | undefined;
  /** All, also those that are denied. */
  readonly tools: readonly InspectedTool[];
  /** The tools that are left out, with the reasons; empty for none. */
  readonly leftOut: string;
  /** The names of accepted tools that it does not list. */
  readonly gone: readonly string[];
  /** Why the probe failed; undefined if it did not, or if there is none. */
  readonly probe?: string | undefined;
  readonly isProbed: boolean;
}

interface Where {
  readonly configDir: string;
  /** That of the tool-runner. */
  readonly env: Environment;
  readonly signal: AbortSignal;
}

const MAX_SAID = 300;

/** Starts a server as the tool-runner does, lists its tools, and makes the call of its probe. Throws the signal's reason. */
export async function inspectServer(
  { id, pack, entry, definitions }: PackedServer,
  { configDir, env, signal }: Where,
): Promise<Inspection> {
  const nothing = { tools: [], leftOut: "", gone: [], isProbed: false };
  let settings;
  try {
    settings = await readServer(id, entry, configDir, env);
  } catch (error) {
    return { ...nothing, problem: errorMessage(error) };
  }
  await using masker = new Masker({ known: serverSecrets(settings) });
  await using servers = new McpServers({
    settings: [{ ...settings, tools: { ...settings.tools, deny: [] } }],
    env: { ...env, ...programsEnvironment("tool-runner", { root: PROJECT_ROOT, env }) },
    masker,
  });
  const listing = servers.list([id], { waitMs: settings.connectTimeoutMs });
  const known = (await untilAborted(listing, signal)).get(id);
  const server = servers.find(id);
  if (known?.kind !== "listed" || server === undefined) {
    return { ...nothing, problem: known?.kind === "failed" ? oneLine(known.message) : "it did not answer" };
  }
  const tools = known.tools.map((tool) => ({
    ...tool,
    state: stateOf(tool, definitions),
    accepted: Object.hasOwn(definitions, tool.name) ? (definitions[tool.name] ?? []) : [],
    isDenied: !isOffered(settings, tool.name),
  }));
  const said = await probe(server, pack, signal);
  return {
    version: server.report.version,
    tools,
    leftOut: known.leftOut,
    gone: Object.keys(definitions).filter((name) => !tools.some((tool) => tool.name === name)),
    isProbed: pack.probe !== undefined,
    probe: said === undefined ? undefined : (await masker.mask(said, { rules: rulesOfServer() })).text,
  };
}

function stateOf({ name, hash }: ListedTool, accepted: AcceptedDefinitions): InspectedTool["state"] {
  if (isAccepted({ accepted }, name, hash)) return "accepted";
  return Object.hasOwn(accepted, name) ? "changed" : "new";
}

/** Why the probe of a pack fails; undefined if it does not. */
async function probe(server: McpServer, pack: PackFile, signal: AbortSignal): Promise<string | undefined> {
  if (pack.probe === undefined) return undefined;
  const { tool: name, arguments: args = {}, expect } = pack.probe;
  const listed = server.listing.last?.tools.find((tool) => tool.name === name);
  if (listed === undefined) return `the server has no tool ${name}`;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(server.settings.callTimeoutMs)]);
    const { content, isError } = await server.tool(listed).call(JSON.stringify(args), limit, {
      callId: randomUUID(),
      executionId: randomUUID(),
      epoch: 0,
      isRepeatable: true,
      beforeSend: () => Promise.resolve(),
    });
    let text = "";
    for await (const part of content) {
      text += typeof part === "string" ? part : new TextDecoder().decode(part);
    }
    const isRefused =
      expect !== undefined &&
      compilePattern({ pattern: expect.not_matching, replacement: "" }).expression.matcher(text).find();
    const line = oneLine(text);
    return isError || isRefused ? `${name} answers: ${line.slice(0, safeCut(line, MAX_SAID))}` : undefined;
  } catch (error) {
    signal.throwIfAborted();
    return `${name} fails: ${errorMessage(error)}`;
  }
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/gu, " ");
}
