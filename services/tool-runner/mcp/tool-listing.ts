import { NOT_LISTED_YET } from "#shared/contracts/tool-list.ts";
import { errorMessage } from "#shared/errors.ts";
import { backoff } from "#shared/pause.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { namesExecution } from "./http/session-id.ts";
import { listTools, maskListing, type ListedTool, type ServerTools } from "./list-tools.ts";
import { maskedOrWithheld, type MaskText } from "./masked-or-withheld.ts";
import { McpFailure } from "./mcp-failure.ts";
import type { ServerConnections } from "./server-connections.ts";
import type { ServerHealth } from "./server-health.ts";
import type { ServerSettings } from "./server-settings.ts";

/** A list is asked for again after this long, or sooner if the server says so. */
const FRESH_MS = 60_000;
/** While the server fails, its last list is used this long. */
const USABLE_MS = 10 * 60_000;
/** A list that was requested lately is asked for again before it is old. */
const RENEW_MS = 40_000;
/** Any other list is asked for again while it is still usable. */
const RENEW_UNUSED_MS = 4 * 60_000;
/** The time for which a request waits for a server that answered the last time, to get the newest list. */
const PATIENCE_MS = 500;
const RETRY = { firstMs: 5_000, lastMs: 30_000 };
const MAX_MESSAGE_CHARS = 300;

interface ListingFailure {
  readonly kind: "failed";
  readonly code: string;
  /** Masked. */
  readonly message: string;
}

/** The known tools of a server, masked: a list, or why there is none. `isStale`: it is older than it should be. */
export type KnownTools =
  | (ServerTools & { readonly kind: "listed"; readonly isStale: boolean })
  | ListingFailure;

interface ToolListingDeps {
  readonly settings: ServerSettings;
  readonly connections: Pick<ServerConnections, "lendShared" | "lend">;
  /** Masks descriptions, schemas and the reasons of failures. */
  readonly mask: MaskText;
  /** Ends a refresh. */
  readonly signal: AbortSignal;
  /** Gets the end of each refresh. */
  readonly health?: Pick<ServerHealth, "answered" | "failed">;
  /** Milliseconds. */
  readonly now?: () => number;
}

/**
 * The list of one server's tools, kept and refreshed in the background; requests that come together share one refresh. A
 * request waits for the server only while nothing is known of it, or for a moment if it answered the last time.
 */
export class ServerToolListing {
  readonly #deps: ToolListingDeps;
  readonly #now: () => number;
  #last: { readonly tools: ServerTools; readonly at: number } | undefined;
  /** The failure of the last refresh; undefined if it succeeded. */
  #failure: ListingFailure | undefined;
  #failures = 0;
  #retryAt = 0;
  #refreshing: { readonly promise: Promise<ServerTools>; readonly since: number } | undefined;
  #isOutdated = false;
  /** The server has refused a request without the id of an execution. */
  #needsExecution = false;
  /** Keyed by hash and title. */
  #maskedTools: ReadonlyMap<string, ListedTool> = new Map();
  #requestedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ToolListingDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  /** The last list, however old; undefined before the first. */
  get last(): ServerTools | undefined {
    return this.#last?.tools;
  }

  /** The time for which the server has not answered the request for its list, in milliseconds; 0 while there is none. */
  get unansweredMs(): number {
    return this.#refreshing === undefined ? 0 : this.#now() - this.#refreshing.since;
  }

  /** True if the server has neither answered nor failed yet. */
  get isAwaited(): boolean {
    return this.#last === undefined && this.#failure === undefined && !this.#needsExecution;
  }

  /** True if an execution may still get the last list. */
  get isUsable(): boolean {
    return this.#last !== undefined && this.#now() - this.#last.at <= USABLE_MS;
  }

  /**
   * The tools; waits for a server of which nothing is known at most `waitMs` from when it was asked. A server whose requests carry the
   * id of an execution is asked with this one. Never throws.
   */
  async get(waitMs: number, executionId?: string): Promise<KnownTools> {
    this.#requestedAt = this.#now();
    if (this.#isFresh()) return this.#known(waitMs);
    this.#refreshIfDue(executionId);
    const { promise, since } = this.#refreshing ?? {};
    if (promise === undefined || since === undefined || this.#failure !== undefined) {
      return this.#known(waitMs);
    }
    const limitMs = this.isUsable ? Math.min(PATIENCE_MS, waitMs) : waitMs;
    const leftMs = Math.max(0, Math.ceil(since + limitMs - this.#now()));
    // The refresh itself keeps what came out of it.
    await untilAborted(promise, AbortSignal.timeout(leftMs)).catch(() => undefined);
    return this.#known(waitMs);
  }

  /** The server says that its tools have changed: the list is used only while no newer one can be had. */
  expire(): void {
    this.#isOutdated = true;
  }

  /** Starts a refresh if the list will soon be needed or soon be too old. To be called every few seconds. */
  keepWarm(): void {
    if (this.#needsExecution) return;
    const now = this.#now();
    const isInUse = now - this.#requestedAt <= USABLE_MS;
    const age = this.#last === undefined ? Number.POSITIVE_INFINITY : now - this.#last.at;
    if (age >= (isInUse ? RENEW_MS : RENEW_UNUSED_MS) || (isInUse && this.#isOutdated)) this.#refreshIfDue();
  }

  /** Asks the server. */
  refresh(executionId?: string): Promise<ServerTools> {
    if (this.#refreshing !== undefined) return this.#refreshing.promise;
    const namedId = namesExecution(this.#deps.settings.transport) ? executionId : undefined;
    this.#isOutdated = false;
    const promise = this.#ask(namedId).then(
      (tools) => {
        this.#last = { tools, at: this.#now() };
        this.#failure = undefined;
        this.#failures = 0;
        this.#refreshing = undefined;
        this.#deps.health?.answered();
        return tools;
      },
      async (thrown: unknown) => {
        const error = this.#lateOr(thrown);
        if (namedId === undefined && namesExecution(this.#deps.settings.transport)) {
          this.#needsExecution = true;
          this.#refreshing = undefined;
          throw error;
        }
        const failure = await this.#failureOf(error);
        // An open circuit says less than what opened it.
        if (failure.code !== "circuit_open" || this.#failure === undefined) this.#failure = failure;
        this.#failures += 1;
        this.#retryAt = this.#now() + backoff(Math.min(this.#failures, 10), RETRY);
        this.#refreshing = undefined;
        if (!this.#deps.signal.aborted) this.#deps.health?.failed(error);
        throw error;
      },
    );
    promise.catch(() => undefined); // it may reject when no caller waits any more
    this.#refreshing = { promise, since: this.#now() };
    return promise;
  }

  #refreshIfDue(executionId?: string): void {
    if (this.#failure !== undefined && this.#now() < this.#retryAt) return;
    if (this.#needsExecution && executionId === undefined) return;
    this.refresh(executionId).catch(() => undefined); // kept as the failure
  }

  #isFresh(): boolean {
    if (this.#last === undefined || this.#isOutdated) return false;
    const { tools, at } = this.#last;
    return this.#now() - at <= Math.min(FRESH_MS, Math.max(0, tools.ttlMs ?? FRESH_MS));
  }

  #known(waitMs: number): KnownTools {
    if (this.#last !== undefined && this.isUsable) {
      return { kind: "listed", ...this.#last.tools, isStale: !this.#isFresh() };
    }
    const late = { code: NOT_LISTED_YET, message: `no list of tools within ${waitMs / 1_000} s` };
    return this.#failure ?? { kind: "failed", ...late };
  }

  async #failureOf(error: unknown): Promise<ListingFailure> {
    const code = error instanceof McpFailure ? error.kind : "invalid_answer";
    const masked = await maskedOrWithheld(errorMessage(error), this.#deps.mask);
    return { kind: "failed", code, message: masked.slice(0, safeCut(masked, MAX_MESSAGE_CHARS)) };
  }

  /** A refresh is ended by its own limit, unless the runner stops. */
  #lateOr(error: unknown): unknown {
    const { settings, signal } = this.#deps;
    const isLate = !signal.aborted && error instanceof McpFailure && error.kind === "aborted";
    const message = `no list of tools within ${settings.callTimeoutMs / 1_000} s`;
    return isLate ? new McpFailure("timeout", "maybe", message, { cause: error }) : error;
  }

  /** The tools masked; those that have not changed since the last time are not masked again. */
  async #masked(tools: readonly ListedTool[]): Promise<ListedTool[]> {
    const known = this.#maskedTools;
    const keys = tools.map(({ hash, title = "" }) => `${hash} ${title}`);
    const changed = tools.filter((_tool, index) => !known.has(keys[index] ?? ""));
    const masked = new Map(
      (await maskListing(changed, this.#deps.mask)).map((tool, index) => [changed[index], tool]),
    );
    const all = tools.map((tool, index) => {
      const { title, description, schema } = masked.get(tool) ?? known.get(keys[index] ?? "") ?? tool;
      return { ...tool, title, description, schema };
    });
    this.#maskedTools = new Map(all.map((tool, index) => [keys[index] ?? "", tool]));
    return all;
  }

  async #ask(executionId: string | undefined): Promise<ServerTools> {
    const { settings, connections, signal } = this.#deps;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(settings.callTimeoutMs)]);
    for (let attempt = 1; ; attempt += 1) {
      using lease = await (executionId === undefined
        ? connections.lendShared(limit)
        : connections.lend({ executionId, callId: `list for ${executionId}` }, limit));
      try {
        const listed = await listTools(lease.connection, settings, limit);
        const leftOut = await maskedOrWithheld(listed.leftOut, this.#deps.mask);
        return { ...listed, leftOut, tools: await this.#masked(listed.tools) };
      } catch (error) {
        // The connection may have ended, or its session be forgotten, since it was last used.
        lease.connection.retire();
        if (attempt === 2 || limit.aborted) throw error;
      }
    }
  }
}
