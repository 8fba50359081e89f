import type { Agent } from "undici";
import { errorMessage } from "#shared/errors.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { Connection, type ConnectionDeps } from "./connection.ts";
import { AccessTokens, grantedTokens, type TokenSource } from "./http/access-tokens.ts";
import { serverAgent } from "./http/server-fetch.ts";
import { namesExecution } from "./http/session-id.ts";
import { McpFailure } from "./mcp-failure.ts";
import type { AuthorizationRows } from "./oauth/authorization-rows.ts";
import { ServerAuthorization } from "./oauth/server-authorization.ts";
import { KEYS_MISSING } from "./oauth/token-keys.ts";
import type { ProcessLimit } from "./process-limit.ts";
import { ProtocolEra } from "./protocol-era.ts";
import type { ConnectionsReport } from "./server-report.ts";
import type { Isolation } from "./server-settings.ts";
import { Slots } from "./slots.ts";

/** A scope without connection is remembered this long, so that its next call learns that state was lost. */
const REMEMBERED_MS = 60 * 60_000;

/** The execution or call that a connection is for. */
interface Scope {
  readonly executionId: string;
  readonly callId: string;
}

/** A connection lent to one call. */
export interface Lease extends Disposable {
  readonly connection: Connection;
  /** It was opened for this call, or while the call waited for it. */
  readonly isNew: boolean;
  /** Counts from 1; grows with each new connection of the same scope. */
  readonly generation: number;
  /** An earlier connection of this scope ended with the state that the server kept for it. */
  readonly stateLost: boolean;
}

interface HeldConnection {
  readonly key: string;
  readonly executionId: string;
  connection?: Connection;
  opening?: Promise<Connection>;
  users: number;
  usedAt: number;
  generation: number;
  stateLost: boolean;
}

export interface ServerConnectionsDeps extends Omit<
  ConnectionDeps,
  "era" | "executionId" | "agent" | "tokens"
> {
  readonly limit: ProcessLimit;
  /** Gets each access token before it is used. */
  readonly onSecret?: (secret: string) => void;
  /** What is stored of authorizations by people; absent without the keys for it. */
  readonly authorizations?: AuthorizationRows;
}

/** The connections of this runner to one server, opened when first used. A failing server does not affect the others. */
export class ServerConnections implements AsyncDisposable {
  readonly slots: Slots;
  /** Of all requests to the server over HTTP, those of the cleanups included. */
  readonly agent: Agent;
  /** Undefined for a server without `auth`. */
  readonly tokens: AccessTokens | undefined;
  /** Undefined for a server that needs no person's authorization. */
  readonly authorization: ServerAuthorization | undefined;
  readonly #deps: ServerConnectionsDeps;
  readonly #era = new ProtocolEra();
  readonly #breaker = new CircuitBreaker();
  readonly #entries = new Map<string, HeldConnection>();
  readonly #closing = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  #version: string | undefined;
  /** As the newest connection has it: the server keeps nothing for one. */
  #isStateless = false;
  #opened = 0;
  #failedToConnect = 0;

  constructor(deps: ServerConnectionsDeps) {
    this.#deps = deps;
    const { id, transport, maxConcurrent, connectTimeoutMs: timeoutMs } = deps.settings;
    const { authorizations: rows, onSecret = () => undefined } = deps;
    this.slots = new Slots(maxConcurrent);
    this.agent = serverAgent(deps.settings);
    if (transport.type === "stdio" || transport.auth === undefined) return;
    const { auth, url } = transport;
    let source: TokenSource;
    if (auth.type !== "oauth") source = grantedTokens(transport, auth, onSecret);
    else if (rows === undefined) throw new Error(`MCP server ${id}: ${KEYS_MISSING}`);
    else source = this.authorization = new ServerAuthorization({ id, url, auth, rows, timeoutMs, onSecret });
    this.tokens = new AccessTokens(transport, source, { agent: this.agent, timeoutMs });
  }

  /** The protocol that the server speaks, once known. */
  get era(): "legacy" | "modern" | undefined {
    return this.#era.known;
  }

  get report(): ConnectionsReport {
    return {
      era: this.era,
      version: this.#version,
      open: [...this.#entries.values()].filter(({ connection }) => connection?.isAlive === true).length,
      connected: this.#opened,
      failedToConnect: this.#failedToConnect,
      isCircuitOpen: this.#breaker.isOpen,
    };
  }

  /** A connection for listings; that of the executions if they share one. */
  async lendShared(signal: AbortSignal): Promise<Lease> {
    return this.#lend("shared", { executionId: "", callId: "" }, signal);
  }

  /** A connection for a call, according to the server's isolation. Throws McpFailure with `sent: "no"`. */
  async lend(scope: Scope, signal: AbortSignal): Promise<Lease> {
    return this.#lend(this.#isolation(scope), scope, signal);
  }

  /** The executions that have connections of their own, with when a call last used one; now for those in use. */
  get held(): ReadonlyMap<string, number> {
    const held = new Map<string, number>();
    for (const { executionId, connection, opening, users, usedAt } of this.#entries.values()) {
      if (executionId === "" || (connection === undefined && opening === undefined && users === 0)) continue;
      const last = users > 0 ? performance.now() : usedAt;
      held.set(executionId, Math.max(last, held.get(executionId) ?? 0));
    }
    return held;
  }

  /** Ends the connections of an execution. */
  async release(executionId: string): Promise<void> {
    const ended = [...this.#entries.values()].filter((entry) => entry.executionId === executionId);
    for (const entry of ended) this.#entries.delete(entry.key);
    await Promise.all(ended.map((entry) => this.#close(entry)));
  }

  /** Ends the connections that no call has used for the server's idle timeout. */
  closeIdle(): void {
    const now = performance.now();
    for (const entry of this.#entries.values()) {
      if (entry.users > 0) continue;
      if (now - entry.usedAt > this.#deps.settings.idleTimeoutMs) void this.#close(entry);
      if (now - entry.usedAt > REMEMBERED_MS) this.#entries.delete(entry.key);
    }
  }

  /** When the process that was unused longest was used, for the choice of one to end; undefined if all are in use. */
  longestIdle(): { readonly usedAt: number; readonly close: () => Promise<void> } | undefined {
    const [oldest] = [...this.#entries.values()]
      .filter(({ users, connection }) => users === 0 && connection?.isStdio === true)
      .sort((a, b) => a.usedAt - b.usedAt);
    return oldest && { usedAt: oldest.usedAt, close: () => this.#close(oldest) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort(new Error("the runner stops"));
    await Promise.all([...this.#entries.values()].map((entry) => this.#close(entry)));
    this.#entries.clear();
    await Promise.all(this.#closing);
    await this.agent.destroy();
  }

  #isolation(scope: Scope): Isolation {
    const { isolation, transport } = this.#deps.settings;
    const chosen = isolation ?? (this.#keepsNothing(scope) ? "shared" : "execution");
    return chosen === "shared" && namesExecution(transport) ? "execution" : chosen;
  }

  /** A server that is not known yet may keep state; so may one that did until lately, in the connections that are still open. */
  #keepsNothing(scope: Scope): boolean {
    const [own, shared] = [this.#alive(keyOf("execution", scope)), this.#alive(keyOf("shared", scope))];
    return this.#isStateless && own === undefined && shared?.isStateful !== true;
  }

  #alive(key: string): Connection | undefined {
    const connection = this.#entries.get(key)?.connection;
    return connection?.isAlive === true ? connection : undefined;
  }

  async #lend(isolation: Isolation, scope: Scope, signal: AbortSignal): Promise<Lease> {
    const key = keyOf(isolation, scope);
    const owner = isolation === "shared" ? "" : scope.executionId;
    const entry = this.#entries.get(key) ?? newEntry(key, owner);
    this.#entries.set(key, entry);
    entry.users += 1;
    const giveBack = () => {
      entry.users -= 1;
      entry.usedAt = performance.now();
      if (isolation !== "call") return;
      this.#entries.delete(key);
      void this.#close(entry);
    };
    const isNew = entry.connection?.isAlive !== true;
    try {
      const connection = await untilAborted(this.#connected(entry), signal);
      const { generation, stateLost } = entry;
      entry.stateLost = false;
      return { connection, isNew, generation, stateLost, [Symbol.dispose]: giveBack };
    } catch (error) {
      giveBack();
      if (error instanceof McpFailure) throw error;
      throw new McpFailure("aborted", "no", errorMessage(error), { cause: error });
    }
  }

  /** The entry's connection; callers that come while it is opened share the attempt. */
  async #connected(entry: HeldConnection): Promise<Connection> {
    const { connection } = entry;
    if (connection?.isAlive === true) return connection;
    if (connection !== undefined) {
      delete entry.connection;
      entry.stateLost ||= connection.isStateful;
      connection.retire();
    }
    entry.opening ??= this.#open(entry).finally(() => delete entry.opening);
    entry.opening.catch(() => undefined); // its callers may have given up
    return entry.opening;
  }

  async #open(entry: HeldConnection): Promise<Connection> {
    const { settings, limit } = this.#deps;
    if (!this.#breaker.mayTry()) {
      throw new McpFailure(
        "circuit_open",
        "no",
        `${settings.id} could not be reached lately: it is tried again soon`,
      );
    }
    const slot = settings.transport.type === "stdio" ? await limit.take() : undefined;
    try {
      const { executionId } = entry;
      const connection = await Connection.open(
        {
          ...this.#deps,
          era: this.#era,
          executionId,
          agent: this.agent,
          ...(this.tokens === undefined ? {} : { tokens: this.tokens }),
        },
        this.#stopped.signal,
      );
      this.#breaker.succeeded();
      this.#opened += 1;
      this.#version = connection.serverVersion;
      this.#isStateless = connection.era === "modern" || connection.isSessionless;
      connection.lost.addEventListener("abort", () => slot?.[Symbol.dispose](), { once: true });
      if (!connection.isAlive) slot?.[Symbol.dispose]();
      entry.connection = connection;
      entry.generation += 1;
      entry.usedAt = performance.now();
      return connection;
    } catch (error) {
      slot?.[Symbol.dispose]();
      if (this.#stopped.signal.aborted) this.#breaker.abandoned();
      else {
        this.#breaker.failed();
        this.#failedToConnect += 1;
      }
      throw error;
    }
  }

  async #close(entry: HeldConnection): Promise<void> {
    const { connection } = entry;
    if (connection === undefined) return;
    delete entry.connection;
    entry.stateLost ||= connection.isStateful;
    const closing = connection[Symbol.asyncDispose]();
    this.#closing.add(closing);
    await closing.finally(() => this.#closing.delete(closing));
  }
}

function keyOf(isolation: Isolation, { executionId, callId }: Scope): string {
  return { shared: "shared", execution: `execution ${executionId}`, call: `call ${callId}` }[isolation];
}

function newEntry(key: string, executionId: string): HeldConnection {
  return { key, executionId, users: 0, usedAt: performance.now(), generation: 0, stateLost: false };
}
