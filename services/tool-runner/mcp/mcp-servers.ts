import type { Progress } from "@modelcontextprotocol/client";
import { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer, type MaskingRules } from "#shared/masking/masking-rules.ts";
import type { Environment } from "#shared/service/environment.ts";
import { ByteRoom } from "../byte-room.ts";
import { callServer, type ServerAnswer, type ServerCall } from "./mcp-server.ts";
import { cleanUpSession } from "./http/clean-up-session.ts";
import { namesExecution } from "./http/session-id.ts";
import { McpFailure } from "./mcp-failure.ts";
import { ProcessLimit } from "./process-limit.ts";
import { ServerConnections } from "./server-connections.ts";
import { ServerHealth } from "./server-health.ts";
import type { ServerReport } from "./server-report.ts";
import type { ServerSettings } from "./server-settings.ts";
import type { ServerUser } from "./stdio/server-user.ts";
import { ProcessGroups } from "./stdio/process-groups.ts";
import { ServerToolListing, type KnownTools } from "./tool-listing.ts";

const MAX_PROCESSES = 64;
const SWEEP_MS = 5_000;
/**
 * A listing waits no longer for a server of which nothing is known, because the executor asks again, and other runners, too: a program
 * needs time to start, a server over HTTP runs already.
 */
const LIST_WAIT_MS = { stdio: 5_000, http: 1_000, sse: 1_000 } as const;
/** The room for large messages in memory, beside one that is larger; their texts and values need several times as much. */
const LARGE_MESSAGES_BYTES = 32 * 1024 * 1024;
/** A runner is ready after this long although a server has never answered. */
const FIRST_LISTS_MS = 15_000;

interface HeldServer {
  readonly settings: ServerSettings;
  readonly connections: ServerConnections;
  readonly listing: ServerToolListing;
  readonly health: ServerHealth;
}

interface McpServersOptions {
  readonly settings: readonly ServerSettings[];
  readonly env: Environment;
  /** The user of the processes of servers; absent: that of this process. */
  readonly user?: ServerUser | undefined;
  readonly maxProcesses?: number;
  /** Masks what servers say of their tools and of failures. */
  readonly masker?: Masker;
  /** Keyed by server id; the defaults for one without. */
  readonly maskingRules?: ReadonlyMap<string, MaskingRules>;
}

/** A call to a tool of a server; `onProgress` may be left out. */
interface CallOfServer extends Omit<ServerCall, "idleTimeoutMs"> {
  readonly server: string;
  readonly onProgress?: (progress: Progress) => void;
}

/** The MCP servers of the configuration: their listings, their connections, and calls to their tools. */
export class McpServers implements AsyncDisposable {
  readonly #servers = new Map<string, HeldServer>();
  readonly #groups = new ProcessGroups();
  readonly #room = new ByteRoom(LARGE_MESSAGES_BYTES);
  readonly #stopped = new AbortController();
  readonly #sweep: NodeJS.Timeout;
  #warmSince: number | undefined;

  constructor({
    settings,
    env,
    user,
    maxProcesses = MAX_PROCESSES,
    masker = new Masker(),
    maskingRules = new Map(),
  }: McpServersOptions) {
    const limit = new ProcessLimit(maxProcesses, () => this.#longestIdle());
    const { signal } = this.#stopped;
    for (const one of settings) {
      const rules = maskingRules.get(one.id) ?? rulesOfServer();
      const mask = async (text: string) => (await masker.mask(text, { rules })).text;
      const onToolsChanged = () => listing.expire();
      const deps = {
        settings: one,
        groups: this.#groups,
        room: this.#room,
        env,
        ...(user === undefined ? {} : { user }),
        limit,
        mask,
        onToolsChanged,
        onSecret: (secret: string) => masker.learn(secret),
      };
      const connections = new ServerConnections(deps);
      const health = new ServerHealth();
      const listing = new ServerToolListing({ settings: one, connections, mask, signal, health });
      this.#servers.set(one.id, { settings: one, connections, listing, health });
    }
    this.#sweep = setInterval(() => this.#tidy(), SWEEP_MS);
    this.#sweep.unref();
  }

  /** The settings of a server; undefined for one that is not configured. */
  settingsOf(id: string): ServerSettings | undefined {
    return this.#servers.get(id)?.settings;
  }

  /** The tools that the server was last known to offer; undefined before its first listing. */
  lastListing(id: string): ServerToolListing["last"] {
    return this.#servers.get(id)?.listing.last;
  }

  /** The bytes of large messages that are in memory. */
  get largeBytes(): number {
    return LARGE_MESSAGES_BYTES - this.#room.left;
  }

  /** Asks all servers for their tools, in the background, and again from time to time. */
  warm(): void {
    this.#warmSince = performance.now();
    for (const { listing } of this.#servers.values()) listing.refresh().catch(() => undefined); // reported when listed
  }

  /**
   * Rejects while the first list of a server is still awaited, with the servers' names, for the first 15 s: until then another runner
   * may know more.
   */
  checkListed(): Promise<void> {
    const isPatient = this.#warmSince !== undefined && performance.now() - this.#warmSince <= FIRST_LISTS_MS;
    const awaited = [...this.#servers].filter(([, { listing }]) => listing.isAwaited).map(([id]) => id);
    if (!isPatient || awaited.length === 0) return Promise.resolve();
    return Promise.reject(new Error(`the tools of ${awaited.join(", ")} are not listed yet`));
  }

  /** The known state of each server. */
  reports(): readonly ServerReport[] {
    return [...this.#servers.values()].map(
      ({ settings: { id, transport }, connections, listing, health }) => ({
        ...connections.report,
        id,
        transport: transport.type,
        health,
        tools: listing.last,
        unansweredMs: listing.unansweredMs,
        isUsable: listing.isUsable,
      }),
    );
  }

  /** Asks a server for its tools, to see how it is. Never throws. */
  async probe(id: string, executionId?: string): Promise<void> {
    await this.#servers
      .get(id)
      ?.listing.refresh(executionId)
      .catch(() => undefined); // reported
  }

  /** The servers whose requests carry the id of an execution. */
  namingExecution(): string[] {
    return [...this.#servers.values()].flatMap(({ settings: { id, transport } }) =>
      namesExecution(transport) ? [id] : [],
    );
  }

  /**
   * The tools of each of these servers that is configured; all are asked at the same time, those whose requests carry the id of an
   * execution with this one.
   */
  async list(
    ids: readonly string[],
    waitMs?: number,
    executionId?: string,
  ): Promise<ReadonlyMap<string, KnownTools>> {
    const asked = [...new Set(ids)].flatMap((id) => {
      const server = this.#servers.get(id);
      return server === undefined ? [] : [{ id, server }];
    });
    const known = await Promise.all(
      asked.map(async ({ id, server: { listing, settings } }) => {
        const limitMs = waitMs ?? LIST_WAIT_MS[settings.transport.type];
        return [id, await listing.get(limitMs, executionId)] as const;
      }),
    );
    return new Map(known);
  }

  /** Calls a tool; see `callServer`. */
  async call({ server: id, ...call }: CallOfServer): Promise<ServerAnswer> {
    const server = this.#servers.get(id);
    if (server === undefined) throw new McpFailure("unreachable", "no", `there is no server ${id}`);
    try {
      const idleTimeoutMs = server.settings.callTimeoutMs;
      const answer = await callServer(server.connections, { ...call, idleTimeoutMs });
      server.health.answered();
      return answer;
    } catch (error) {
      server.health.failed(error);
      throw error;
    }
  }

  /** True if this runner has connections for the execution alone. */
  holds(executionId: string): boolean {
    return [...this.#servers.values()].some(({ connections }) => connections.held.has(executionId));
  }

  /** The executions with connections of their own that no call has used for this many milliseconds. */
  unusedExecutions(forMs: number): string[] {
    const used = new Map<string, number>();
    for (const { connections } of this.#servers.values()) {
      for (const [id, at] of connections.held) used.set(id, Math.max(at, used.get(id) ?? 0));
    }
    return [...used].filter(([, at]) => performance.now() - at >= forMs).map(([id]) => id);
  }

  /** Ends the connections of an execution. */
  async release(executionId: string): Promise<void> {
    await Promise.all(
      [...this.#servers.values()].map(async ({ connections }) => connections.release(executionId)),
    );
  }

  /** The servers that want a notice when an execution has ended. */
  cleanUpServers(): string[] {
    return [...this.#servers.values()].flatMap(({ settings: { id, transport } }) =>
      transport.type === "stdio" || transport.sessionCleanupUrl === undefined ? [] : [id],
    );
  }

  /** Notifies a server that an execution has ended; see `cleanUpSession`. */
  async cleanUp(server: string, executionId: string): Promise<boolean> {
    const { settings, connections } = this.#servers.get(server) ?? {};
    if (settings === undefined || connections === undefined) return true;
    return cleanUpSession(settings.transport, executionId, connections);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweep);
    this.#stopped.abort(new Error("the runner stops"));
    await Promise.all(
      [...this.#servers.values()].map(({ connections }) => connections[Symbol.asyncDispose]()),
    );
    await this.#groups[Symbol.asyncDispose]();
  }

  #tidy(): void {
    for (const { connections, listing } of this.#servers.values()) {
      connections.closeIdle();
      if (this.#warmSince !== undefined) listing.keepWarm();
    }
  }

  #longestIdle(): ReturnType<ServerConnections["longestIdle"]> {
    const idle = [...this.#servers.values()].flatMap(({ connections }) => connections.longestIdle() ?? []);
    return idle.sort((a, b) => a.usedAt - b.usedAt)[0];
  }
}
