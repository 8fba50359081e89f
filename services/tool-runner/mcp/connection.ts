import {
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Progress,
  type Tool as McpTool,
} from "@modelcontextprotocol/client";
import { errorMessage } from "#shared/errors.ts";
import { safeCut } from "#shared/safe-cut.ts";
import { inSpan, traceCarrier } from "#shared/telemetry/tracing.ts";
import { untilAborted } from "#shared/until-aborted.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { parseCallResult, type CallResult, resultBytes } from "./call-result.ts";
import { asFailure, unreachable } from "./connection-failure.ts";
import { CallInFlight } from "./http/call-in-flight.ts";
import { saysForgottenSession } from "./http/forgotten-session.ts";
import { maskedOrWithheld, type MaskText } from "./masked-or-withheld.ts";
import { McpFailure } from "./mcp-failure.ts";
import { openTransport, type OpenTransport, type TransportDeps } from "./open-transport.ts";
import type { ProtocolEra } from "./protocol-era.ts";
import type { ServerSettings } from "./server-settings.ts";
import { CALL_ID_KEY } from "./unanswered-requests.ts";
import { leftOutOf } from "./usable-tools.ts";

const CLIENT = { name: "tarsy", version: packageJson.version };
const MODERN = "2026-07-28";
/** A server of the older era that ignores what it does not know is given up waiting for after this long. */
const PROBE_MS = 5_000;
/** The longest timer: the call's own signal ends it. */
const NEVER_MS = 2_147_483_647;
/** The time that the notice of a cancel may take before the response is closed all the same. */
const NOTICE_MS = 500;
/** The time that a server may take to agree to report changes. */
const LISTEN_MS = 10_000;
/** The length of the end of a server's log in the message of a failure. */
const MAX_LOG_CHARS = 300;

/** The codes of errors by which libraries refuse the request of a session. */
const SESSION_CODES = new Set([-32_000, -32_001, -32_600]);

export interface ConnectionDeps extends TransportDeps {
  readonly era: ProtocolEra;
  /** Masks the server's log, which goes into messages. */
  readonly mask: MaskText;
  /** The server says that its list of tools has changed. */
  readonly onToolsChanged: () => void;
}

interface CallOptions {
  readonly callId: string;
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** Ends the call at the server, too. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Gets the memory of a large result; by default it is given back at once. */
  readonly holdMemory?: ((memory: Disposable) => void) | undefined;
}

/** One page of a server's tools. */
interface ToolPage {
  readonly tools: readonly McpTool[];
  readonly next: string | undefined;
  /** The reason why tools of the page are left out, one reason each. */
  readonly leftOut: readonly string[];
  /** The time for which the server lets the list be used. */
  readonly ttlMs: number | undefined;
}

/** One connection to a server, after its handshake. It ends once and is never opened again. */
export class Connection implements AsyncDisposable {
  readonly era: "legacy" | "modern";
  readonly isStdio: boolean;
  /** The server keeps state for this connection, which ends with it. */
  readonly isStateful: boolean;
  /** An older server over HTTP has given it no session. */
  readonly isSessionless: boolean;
  readonly #client: Client;
  readonly #opened: OpenTransport;
  readonly #maxResultBytes: number;
  readonly #serverId: string;
  readonly #lost = new AbortController();
  #isClosing = false;
  #isRetired = false;
  #running = 0;

  private constructor(client: Client, opened: OpenTransport, settings: ServerSettings) {
    this.#client = client;
    this.#opened = opened;
    this.isStdio = settings.transport.type === "stdio";
    this.#maxResultBytes = settings.maxResultBytes;
    this.#serverId = settings.id;
    this.era = client.getProtocolEra() ?? "legacy";
    const hasSession = client.transport?.sessionId !== undefined;
    this.isStateful = this.isStdio ? this.era === "legacy" : hasSession;
    this.isSessionless = settings.transport.type === "http" && this.era === "legacy" && !hasSession;
    client.onclose = () => this.#lost.abort(new Error("the connection ended"));
  }

  /** Connects within the server's connect timeout. Throws McpFailure with `sent: "no"`. */
  static async open(deps: ConnectionDeps, signal: AbortSignal): Promise<Connection> {
    const { settings, era } = deps;
    const isStdio = settings.transport.type === "stdio";
    const timeout = AbortSignal.timeout(settings.connectTimeoutMs);
    const ending = AbortSignal.any([signal, timeout]);
    // An older server is not asked again what it may not understand. A newer one says what it is with each connection.
    const isKnownLegacy = settings.protocol === "auto" && era.known === "legacy";
    try {
      return await connectOnce(deps, ending, settings.protocol === "legacy" || isKnownLegacy);
    } catch (error) {
      const mayBeOther =
        settings.protocol === "auto" && !ending.aborted && (isKnownLegacy || isStdio || isNoAnswer(error));
      if (!mayBeOther) throw unreachable(error, settings, timeout);
      era.forget();
      try {
        return await connectOnce(deps, ending, !isKnownLegacy);
      } catch (second) {
        throw unreachable(second, settings, timeout);
      }
    }

    async function connectOnce(
      to: ConnectionDeps,
      until: AbortSignal,
      isLegacy: boolean,
    ): Promise<Connection> {
      const opened = openTransport(to, () => void client.close());
      const client = newClient(settings, isLegacy);
      client.onerror = () => undefined; // what matters rejects a request
      client.setNotificationHandler("notifications/tools/list_changed", () => to.onToolsChanged());
      try {
        const { connectTimeoutMs: timeoutMs } = settings;
        await untilAborted(client.connect(opened.transport, { signal: until, timeout: timeoutMs }), until);
        era.learn(client.getProtocolEra() ?? "legacy");
        if (to.executionId === "") listenForChanges(client);
        return new Connection(client, opened, settings);
      } catch (error) {
        const log = await maskedOrWithheld(opened.log().trim(), to.mask);
        await opened[Symbol.asyncDispose]();
        throw log === ""
          ? error
          : new Error(`${errorMessage(error)}; its log ends: ${endOf(log)}`, { cause: error });
      }
    }
  }

  /** Name and version, as the server says them. */
  get serverVersion(): string | undefined {
    const { name, version } = this.#client.getServerVersion() ?? {};
    return name === undefined ? undefined : `${name} ${version ?? ""}`.trim().slice(0, 100);
  }

  /** True if calls can still be made. */
  get isAlive(): boolean {
    return !this.#lost.signal.aborted && !this.#isClosing && !this.#isRetired;
  }

  /** Aborts when the connection ends, on either side. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** The next page of the server's tools. */
  async listPage(cursor: string | undefined, signal: AbortSignal): Promise<ToolPage> {
    try {
      // The library reads one page with a cursor and remembers nothing, so that no result is checked against its list.
      const page = await this.#client.request(
        { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
        { signal, timeout: NEVER_MS },
      );
      const { tools, nextCursor: next, ttlMs } = page;
      return { tools, next, leftOut: leftOutOf(page), ttlMs: typeof ttlMs === "number" ? ttlMs : undefined };
    } catch (error) {
      throw asFailure(error, signal);
    }
  }

  /** Calls a tool, in a span whose id the server gets. Throws McpFailure. */
  async call(call: CallOptions): Promise<CallResult> {
    const attributes = {
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": call.tool,
      "network.transport": this.isStdio ? "pipe" : "tcp",
      "tarsy.mcp.server": this.#serverId,
    };
    return inSpan(`tools/call ${call.tool}`, { kind: "client", attributes }, async (span) => {
      const result = await this.#call(call);
      if (result.isError === true) span.fail("tool_error");
      return result;
    });
  }

  async #call({ callId, tool, args, signal, onProgress, holdMemory }: CallOptions): Promise<CallResult> {
    if (!this.isAlive) throw new McpFailure("closed", "no", "the connection to the server has ended");
    this.#running += 1;
    const call = new CallInFlight();
    using _tracked = this.#opened.tracked?.track(callId, call);
    const ending = new AbortController();
    const asked = this.#client.callTool(
      { name: tool, arguments: args, _meta: { [CALL_ID_KEY]: callId, ...traceCarrier() } },
      {
        signal: AbortSignal.any([signal, ending.signal]),
        timeout: NEVER_MS,
        onprogress: onProgress,
        resetTimeoutOnProgress: true,
      },
    );
    asked.catch(() => undefined); // the race may be over
    try {
      const answer = await Promise.race([asked, call.failed]);
      const kept = this.#opened.requests.takeResult(callId);
      if (kept !== undefined && holdMemory !== undefined) holdMemory(kept.memory);
      else kept?.memory[Symbol.dispose]();
      return this.#checked(kept?.result ?? answer);
    } catch (error) {
      const failure = asFailure(error, signal);
      if (this.#isForgottenIn(failure)) {
        throw new McpFailure("session_gone", "maybe", failure.message, { cause: error });
      }
      const why = failure.kind === "closed" ? this.#opened.why() : undefined;
      throw why === undefined ? failure : new McpFailure("closed", failure.sent, why, { cause: error });
    } finally {
      this.#running -= 1;
      this.#opened.requests.takeResult(callId)?.memory[Symbol.dispose]();
      if (this.#isRetired) this.retire();
      ending.abort(new Error("the call is over"));
      // The notice of the cancel is a request of its own in the older era; then the response is closed.
      if (signal.aborted) setTimeout(() => call.close(), NOTICE_MS).unref();
      else call.close();
    }
  }

  /** The server answers, by an error, that it does not know the session. */
  #isForgottenIn({ kind, code = 0, message }: McpFailure): boolean {
    const hasSession = !this.isStdio && this.isStateful;
    return (
      hasSession && kind === "protocol_error" && SESSION_CODES.has(code) && saysForgottenSession(message)
    );
  }

  #checked(answer: unknown): CallResult {
    const bytes = resultBytes(answer);
    if (bytes > this.#maxResultBytes) {
      const message = `the result has ${bytes} bytes, more than the ${this.#maxResultBytes} allowed`;
      throw new McpFailure("too_large", "maybe", message);
    }
    try {
      return parseCallResult(answer);
    } catch (error) {
      throw new McpFailure("invalid_answer", "maybe", errorMessage(error), { cause: error });
    }
  }

  /** Takes no more calls, and closes after the last one. */
  retire(): void {
    this.#isRetired = true;
    if (this.#running === 0) this[Symbol.asyncDispose]().catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    await this.#opened[Symbol.asyncDispose]();
    await this.#client.close().catch(() => undefined);
    this.#lost.abort(new Error("the connection was closed"));
  }
}

function newClient({ protocol }: ServerSettings, isLegacy: boolean): Client {
  const mode = isLegacy ? "legacy" : protocol === "modern" ? { pin: MODERN } : "auto";
  return new Client(CLIENT, {
    capabilities: {},
    versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
    inputRequired: { autoFulfill: false },
  });
}

/** Asks a newer server to say when its tools change; an older one does so unasked. What is missed is listed a minute later. */
function listenForChanges(client: Client): void {
  const canTell = client.getServerCapabilities()?.tools?.listChanged === true;
  if (!canTell || client.getProtocolEra() !== "modern") return;
  client.listen({ toolsListChanged: true }, { timeout: LISTEN_MS }).catch(() => undefined);
}

/** The server did not understand that it was asked what it speaks: it was silent, or failed. */
function isNoAnswer(error: unknown): boolean {
  if (SdkHttpError.isInstance(error)) return (error.status ?? 0) >= 500;
  return SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout;
}

function endOf(log: string): string {
  return log.length <= MAX_LOG_CHARS ? log : log.slice(safeCut(log, log.length - MAX_LOG_CHARS));
}
