import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { CancelledError, TerminalError, errorMessage } from "#shared/errors.ts";
import { HealthService } from "#shared/generated/grpc/health/v1/health.ts";
import { LLMServiceService, type LLMServiceServer } from "#shared/generated/llm/v1/llm.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { ConfiguredProviders } from "../providers/provider-config.ts";
import { providerAddress } from "../providers/provider-target.ts";
import type { Provider } from "../providers/provider.ts";
import { callAdapter } from "../tool-schemas/adapt-call.ts";
import type { CallLimits } from "./call-budget.ts";
import { guardCalls, type Refusal } from "./guard-calls.ts";
import { handleEmbed, type EmbeddingOptions } from "./handle-embed.ts";
import { handleGenerate } from "./handle-generate.ts";
import { inCallSpan } from "./in-call-span.ts";
import { healthService } from "./health-service.ts";

interface ServeGenerateOptions {
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  /** The largest gRPC message in either direction. */
  readonly maxMessageBytes: number;
  /** The limit for all content of one answer together. */
  readonly maxOutputBytes: number;
  /** The time for which running calls may continue after the server was asked to stop. */
  readonly stopGraceMs: number;
  /** The time that a call without a deadline may take. */
  readonly callTimeoutMs: number;
  /** The tokens that callers may use. */
  readonly tokens: readonly string[];
  readonly limits: CallLimits;
  /** The providers that calls may name. */
  readonly configured: ConfiguredProviders;
  readonly provider: Provider;
  readonly embedding: EmbeddingOptions;
  readonly metrics: GatewayMetrics;
  /** The default is the machine's clock. */
  readonly now?: () => Date;
  readonly log: Logger;
}

interface GenerateServer extends AsyncDisposable {
  readonly port: number;
}

/** More than the fields around a chunk's content ever take. */
const MESSAGE_OVERHEAD_BYTES = 1_024;

/** Sessions and providers for which a warning was logged. */
const MAX_WARNED = 1_000;
const REFUSALS_LOGGED_EVERY_MS = 60_000;

/**
 * Serves `llm.v1.LLMService` and gRPC's health service. Resolves when the port is bound; throws TerminalError
 * `port_unavailable` if it cannot be. Disposing rejects new calls, lets running calls finish within `stopGraceMs`, then
 * ends them with a retryable error.
 */
export async function serveGenerate(options: ServeGenerateOptions): Promise<GenerateServer> {
  const { provider, configured, callTimeoutMs, metrics } = options;
  const { now = () => new Date() } = options;
  // A chunk over the message limit would end the call with a bare gRPC status; the output limit ends it with an
  // ErrorInfo.
  const maxOutputBytes = Math.min(options.maxOutputBytes, options.maxMessageBytes - MESSAGE_OVERHEAD_BYTES);
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  const track = (done: Promise<void>) => {
    running.add(done);
    void done.finally(() => running.delete(done));
  };
  const warnOnce = onceEach(MAX_WARNED);
  const adaptCall = callAdapter();
  const service: LLMServiceServer = {
    generate: (call) => {
      const { sessionId, executionId, agentName, llmConfig } = call.request;
      const log = options.log.child({
        session_id: sessionId,
        execution_id: executionId,
        agent: agentName === "" ? undefined : agentName,
        provider: llmConfig?.providerName,
        model: llmConfig?.model,
        address: addressOf(llmConfig?.providerName, configured),
      });
      const record = metrics.openRecord({
        type: llmConfig?.providerType ?? "",
        model: llmConfig?.model ?? "",
      });
      const done = inCallSpan(call, record, async (traced) =>
        handleGenerate(call, {
          provider,
          adaptCall,
          configured,
          maxOutputBytes,
          callTimeoutMs,
          stopping: stop.signal,
          warnOnce,
          record: traced,
          now,
          log,
        }),
      );
      track(done);
    },
    embed: embedder(options, { stopping: stop.signal, track }),
  };
  const server = new Server({
    interceptors: [
      guardCalls({ tokens: options.tokens, limits: options.limits, onRefused: reportRefusals(options) }),
    ],
    "grpc.max_receive_message_length": options.maxMessageBytes,
    "grpc.max_send_message_length": options.maxMessageBytes,
    // No connection age: grpc-js destroys a closing connection with its running calls as soon as either side pings it.
    // The same happens to a call that still runs when the gateway stops, so it pings rarely. This finds the connections
    // of clients that have lost their network; a call of theirs ends at its deadline at the latest.
    "grpc.keepalive_time_ms": 300_000,
    "grpc.keepalive_timeout_ms": 20_000,
  });
  server.addService(LLMServiceService, service);
  const health = healthService(["llm.v1.LLMService"]);
  server.addService(HealthService, health.service);
  const port = await bind(server, options);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      health.stop();
      const drained = promisify(server.tryShutdown.bind(server))();
      const grace = setTimeout(
        () => stop.abort(new CancelledError("shutdown", "the LLM gateway is stopping")),
        options.stopGraceMs,
      );
      await Promise.race([drained, settled(running, stop.signal)]);
      clearTimeout(grace);
      server.forceShutdown();
    },
  };
}

/** Answers calls for vectors. */
function embedder(
  { embedding, callTimeoutMs, metrics, log }: ServeGenerateOptions,
  { stopping, track }: { readonly stopping: AbortSignal; readonly track: (done: Promise<void>) => void },
): LLMServiceServer["embed"] {
  return (call, answer) => {
    const { sessionId, provider: type, model } = call.request;
    const record = metrics.openRecord({ type, model });
    const child = log.child({ session_id: sessionId, provider: type, model });
    track(handleEmbed(call, answer, { ...embedding, callTimeoutMs, stopping, record, log: child }));
  };
}

/** True for each key the first time; remembers the last `max` keys. */
function onceEach(max: number): (key: string) => boolean {
  const seen = new Set<string>();
  return (key) => {
    if (seen.has(key)) return false;
    seen.add(key);
    const [oldest] = seen;
    if (seen.size > max && oldest !== undefined) seen.delete(oldest);
    return true;
  };
}

/** Counts refused calls, and logs the first and then at most one a minute of each kind. */
function reportRefusals({ metrics, log }: ServeGenerateOptions): (refusal: Refusal) => void {
  const loggedAt = new Map<Refusal, number>();
  return (refusal) => {
    metrics.refused(refusal);
    const now = performance.now();
    if (now - (loggedAt.get(refusal) ?? -Infinity) < REFUSALS_LOGGED_EVERY_MS) return;
    loggedAt.set(refusal, now);
    log.warn({ refusal }, "calls are refused; tarsy_llm_calls_refused_total counts them");
  };
}

function addressOf(name: string | undefined, configured: ConfiguredProviders): string | undefined {
  const entry = name === undefined ? undefined : configured.get(name);
  if (entry === undefined) return undefined;
  const { type, base_url: baseUrl = "", location = "" } = entry;
  return providerAddress({ provider: type, baseUrl, location, settings: entry });
}

/** Resolves when `stop` has aborted and every running call has sent its final chunk. */
async function settled(running: ReadonlySet<Promise<void>>, stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, "abort");
  await Promise.all(running);
  // The final chunks are still in the HTTP/2 session's buffers; let them be sent before the session is destroyed.
  await delay(100);
}

async function bind(server: Server, { host, port }: ServeGenerateOptions): Promise<number> {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  try {
    return await new Promise<number>((resolve, reject) => {
      server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
        if (error) reject(error);
        else resolve(bound);
      });
    });
  } catch (error) {
    throw new TerminalError(
      "port_unavailable",
      `cannot serve gRPC on ${address}: ${errorMessage(error)}: stop the other program or set LLM_GATEWAY_PORT`,
      { cause: error },
    );
  }
}
