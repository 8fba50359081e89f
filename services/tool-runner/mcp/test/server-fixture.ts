import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { projectPaths } from "../../../../launcher/project-paths.ts";
import { ByteRoom } from "../../byte-room.ts";
import { serverAgent } from "../http/server-fetch.ts";
import type { CallResult } from "../call-result.ts";
import type { ConnectionDeps } from "../connection.ts";
import { McpFailure } from "../mcp-failure.ts";
import { McpServer, type ServerCall } from "../mcp-server.ts";
import type { McpServers } from "../mcp-servers.ts";
import { ProcessLimit } from "../process-limit.ts";
import { ProtocolEra } from "../protocol-era.ts";
import { joinParts } from "../result-text.ts";
import { ProcessGroups } from "../stdio/process-groups.ts";
import { DEFAULT_SETTINGS, type HttpSettings, type ServerSettings } from "../server-settings.ts";

/** What a connection needs, with no environment and a mask that changes nothing. */
export function depsOf(settings: ServerSettings): ConnectionDeps {
  return {
    settings,
    era: new ProtocolEra(),
    groups: new ProcessGroups(),
    env: {},
    executionId: "",
    agent: serverAgent(settings),
    room: new ByteRoom(Number.POSITIVE_INFINITY),
    mask: (text) => Promise.resolve(text),
    onToolsChanged: () => undefined,
  };
}

/** A server of its own, with room for one process. */
export function serverOf(settings: ServerSettings): McpServer {
  return new McpServer({ ...depsOf(settings), limit: new ProcessLimit(1, () => undefined) });
}

/** The server that the configuration has by this id. */
export function findServer(servers: McpServers, id = "lab"): McpServer {
  const server = servers.find(id);
  if (server === undefined) throw new Error(`there is no server ${id}`);
  return server;
}

/** Calls a tool of a server of the configuration. */
export async function callTool(
  servers: McpServers,
  { server, ...call }: ServerCall & { readonly server: string },
): ReturnType<McpServer["call"]> {
  return findServer(servers, server).call(call);
}

/** A result as a model reads it. */
export function resultText(result: CallResult): string {
  return joinParts(result).text;
}

/** Most test files start many servers, and with it each takes half of the CPU time to start. */
const CACHE = { NODE_COMPILE_CACHE: projectPaths(join(import.meta.dirname, "../../../..")).compileCache };
const HOSTILE = fileURLToPath(new URL("servers/hostile-server.ts", import.meta.url));

/** Settings of a server for tests. */
export function settingsOf(
  transport: ServerSettings["transport"],
  more: Partial<ServerSettings> = {},
): ServerSettings {
  return { ...DEFAULT_SETTINGS, id: "lab", transport, ...more };
}

/** The server that misbehaves as `mode` says. */
export function hostile(mode = "", env: Record<string, string> = {}): ServerSettings["transport"] {
  return { type: "stdio", command: process.execPath, args: [HOSTILE, mode], env: { ...CACHE, ...env } };
}

export function httpAt(url: string, more: Partial<HttpSettings> = {}): HttpSettings {
  return { type: "http", url: new URL(url), headers: {}, verifySsl: true, ...more };
}

/** A server of a package by its main file. */
export function packaged(name: string, ...args: readonly string[]): ServerSettings["transport"] {
  const main = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));
  return { type: "stdio", command: process.execPath, args: [main, ...args], env: CACHE };
}

/** Whether a process exists. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The McpFailure by which the work ends. */
export async function failureOf(work: Promise<unknown>): Promise<McpFailure> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof McpFailure)) throw new Error("expected an McpFailure", { cause: error });
  return error;
}
