import { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer, type MaskingRules } from "#shared/masking/masking-rules.ts";
import type { Environment } from "#shared/service/environment.ts";
import { ByteRoom } from "../byte-room.ts";
import { McpServer } from "./mcp-server.ts";
import type { AuthorizationRows } from "./oauth/authorization-rows.ts";
import { ProcessLimit } from "./process-limit.ts";
import type { ServerSettings } from "./server-settings.ts";
import type { ServerUser } from "./stdio/server-user.ts";
import { ProcessGroups } from "./stdio/process-groups.ts";
import type { KnownTools } from "./tool-listing.ts";

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

interface McpServersOptions {
  readonly settings: readonly ServerSettings[];
  readonly env: Environment;
  /** The user of the processes of servers; absent: that of this process. */
  readonly user?: ServerUser | undefined;
  readonly maxProcesses?: number;
  /** Masks what servers say of their tools and of failures. */
  readonly masker?: Masker;
  /** What is stored of authorizations by people; absent without the keys for it. */
  readonly authorizations?: AuthorizationRows | undefined;
  /** Keyed by server id; the defaults for one without. */
  readonly maskingRules?: ReadonlyMap<string, MaskingRules>;
}

/** The MCP servers of the configuration, which share processes, memory and a sweep. */
export class McpServers implements AsyncDisposable {
  readonly all: readonly McpServer[];
  readonly #groups = new ProcessGroups();
  readonly #room = new ByteRoom(LARGE_MESSAGES_BYTES);
  readonly #sweep: NodeJS.Timeout;
  #warmSince: number | undefined;

  constructor({
    settings,
    env,
    user,
    maxProcesses = MAX_PROCESSES,
    masker = new Masker(),
    maskingRules = new Map(),
    authorizations,
  }: McpServersOptions) {
    const limit = new ProcessLimit(maxProcesses, () => this.#longestIdle());
    this.all = settings.map((one) => {
      const rules = maskingRules.get(one.id) ?? rulesOfServer();
      return new McpServer({
        settings: one,
        groups: this.#groups,
        room: this.#room,
        env,
        ...(user === undefined ? {} : { user }),
        limit,
        mask: async (text) => (await masker.mask(text, { rules })).text,
        onSecret: (secret) => masker.learn(secret),
        ...(authorizations === undefined ? {} : { authorizations }),
      });
    });
    this.#sweep = setInterval(() => this.#tidy(), SWEEP_MS);
    this.#sweep.unref();
  }

  /** Undefined for a server that is not configured. */
  find(id: string): McpServer | undefined {
    return this.all.find((server) => server.id === id);
  }

  /** The bytes of large messages that are in memory. */
  get largeBytes(): number {
    return LARGE_MESSAGES_BYTES - this.#room.left;
  }

  /** Asks all servers for their tools, in the background, and again from time to time. */
  warm(): void {
    this.#warmSince = performance.now();
    for (const server of this.all) void server.probe();
  }

  /**
   * Rejects while the first list of a server is still awaited, with the servers' names, for the first 15 s: until then another runner
   * may know more.
   */
  checkListed(): Promise<void> {
    const isPatient = this.#warmSince !== undefined && performance.now() - this.#warmSince <= FIRST_LISTS_MS;
    const awaited = this.all.filter(({ listing }) => listing.isAwaited).map(({ id }) => id);
    if (!isPatient || awaited.length === 0) return Promise.resolve();
    return Promise.reject(new Error(`the tools of ${awaited.join(", ")} are not listed yet`));
  }

  /**
   * The tools of each of these servers that is configured; all are asked at the same time, those whose requests carry the id of an
   * execution with this one.
   */
  async list(
    ids: readonly string[],
    { executionId, waitMs }: { readonly executionId?: string; readonly waitMs?: number } = {},
  ): Promise<ReadonlyMap<string, KnownTools>> {
    const asked = [...new Set(ids)].flatMap((id) => this.find(id) ?? []);
    const known = asked.map(async ({ id, settings, listing }) => {
      const limitMs = waitMs ?? LIST_WAIT_MS[settings.transport.type];
      return [id, await listing.get(limitMs, executionId)] as const;
    });
    return new Map(await Promise.all(known));
  }

  /** True if this runner has connections for the execution alone. */
  holds(executionId: string): boolean {
    return this.all.some(({ connections }) => connections.held.has(executionId));
  }

  /** The executions with connections of their own that no call has used for this many milliseconds. */
  unusedExecutions(forMs: number): string[] {
    const used = new Map<string, number>();
    for (const { connections } of this.all) {
      for (const [id, at] of connections.held) used.set(id, Math.max(at, used.get(id) ?? 0));
    }
    return [...used].filter(([, at]) => performance.now() - at >= forMs).map(([id]) => id);
  }

  /** Ends the connections of an execution. */
  async release(executionId: string): Promise<void> {
    await Promise.all(this.all.map(async ({ connections }) => connections.release(executionId)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all(this.all.map((server) => server[Symbol.asyncDispose]()));
    await this.#groups[Symbol.asyncDispose]();
  }

  #tidy(): void {
    for (const { connections, listing } of this.all) {
      connections.closeIdle();
      if (this.#warmSince !== undefined) listing.keepWarm();
    }
  }

  #longestIdle(): ReturnType<McpServer["connections"]["longestIdle"]> {
    const idle = this.all.flatMap(({ connections }) => connections.longestIdle() ?? []);
    return idle.sort((a, b) => a.usedAt - b.usedAt)[0];
  }
}
