import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { CancelledError, TerminalError, errorMessage } from "#shared/errors.ts";
import { HealthService } from "#shared/generated/grpc/health/v1/health.ts";
import { LLMServiceService, type LLMConfig, type LLMServiceServer } from "#shared/generated/llm/v1/llm.ts";
import type { Logger } from "#shared/logger.ts";
import type { CallRecord } from "../gateway-metrics.ts";
import { healthService } from "./health-service.ts";
import type { Provider } from "../providers/provider.ts";
import { handleGenerate } from "./handle-generate.ts";

export interface ServeGenerateOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The largest gRPC message either way. */
  readonly maxMessageBytes: number;
  /** All text of one answer together. */
  readonly maxOutputBytes: number;
  /** Connections are closed in good order at this age, so that clients find new replicas. */
  readonly maxConnectionAgeMs?: number;
  /** How long running calls may go on once the server is told to stop. */
  readonly stopGraceMs: number;
  readonly provider: Provider;
  readonly openRecord: (config: LLMConfig | undefined) => CallRecord;
  readonly log: Logger;
}

export interface GenerateServer extends AsyncDisposable {
  readonly port: number;
}

/** A client asks the name service again only when it loses a connection. */
const CONNECTION_AGE_MS = 5 * 60_000;
/** More than a chunk's own fields ever take. */
const MESSAGE_OVERHEAD_BYTES = 1_024;

/**
 * Serves `llm.v1.LLMService` and gRPC's health service. Resolves once bound; throws TerminalError `port_unavailable` otherwise.
 * Disposing takes no new calls, lets running ones finish within the grace, then ends them with a retryable error.
 */
export async function serveGenerate(options: ServeGenerateOptions): Promise<GenerateServer> {
  const { provider, openRecord, maxConnectionAgeMs = CONNECTION_AGE_MS } = options;
  // What exceeds a message would end the call with a bare gRPC status: the answer's limit ends it with a typed error.
  const maxOutputBytes = Math.min(options.maxOutputBytes, options.maxMessageBytes - MESSAGE_OVERHEAD_BYTES);
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  const service: LLMServiceServer = {
    generate: (call) => {
      const { sessionId, executionId, llmConfig } = call.request;
      const log = options.log.child({
        session_id: sessionId,
        execution_id: executionId,
        provider: llmConfig?.provider,
        model: llmConfig?.model,
      });
      const record = openRecord(llmConfig);
      const done = handleGenerate(call, { provider, maxOutputBytes, stopping: stop.signal, record, log });
      running.add(done);
      void done.finally(() => running.delete(done));
    },
  };
  const server = new Server({
    "grpc.max_receive_message_length": options.maxMessageBytes,
    "grpc.max_send_message_length": options.maxMessageBytes,
    // A client behind a cut cable must not keep a provider's call running.
    "grpc.keepalive_time_ms": 10_000,
    "grpc.keepalive_timeout_ms": 5_000,
    "grpc.max_connection_age_ms": maxConnectionAgeMs,
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

/** Resolves once stop has aborted and every running call has told its caller. */
async function settled(running: ReadonlySet<Promise<void>>, stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, "abort");
  await Promise.all(running);
  // The last chunks are in the HTTP/2 session's buffers: give them the loop once more before it is destroyed.
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
