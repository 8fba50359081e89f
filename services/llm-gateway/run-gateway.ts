import type { Registry } from "prom-client";
import { serveHealth } from "#shared/service/health-server.ts";
import type { ServiceContext } from "#shared/service/run-service.ts";
import type { GatewayConfig } from "./config.ts";
import { gatewayMetrics } from "./gateway-metrics.ts";
import { serveGenerate } from "./grpc/serve-generate.ts";
import { loadProviders } from "./providers/load-providers.ts";
import { selectProvider } from "./providers/select-provider.ts";
import { openRecorder } from "./recordings/open-recorder.ts";
import { recordExchanges } from "./recordings/recording-scope.ts";

/** Starts the gateway and resolves with its ports once it serves. Everything it opens is added to `resources`. */
export async function runGateway(
  { config, log, resources }: Omit<ServiceContext<GatewayConfig>, "signal">,
  registry: Registry,
): Promise<{ readonly port: number; readonly healthPort: number }> {
  for (const warning of config.warnings) log.warn({ path: warning.path }, warning.message);
  const provider = selectProvider(loadProviders(config));
  const secrets = [...config.tokens, ...Object.values(config.credentials)].filter(
    (text) => text !== undefined,
  );
  const recorder = config.recordings && resources.use(openRecorder({ ...config.recordings, secrets, log }));
  if (recorder !== undefined) {
    log.warn({ dir: config.recordings?.dir }, "exchanges with providers are recorded");
  }
  const server = resources.use(
    await serveGenerate({
      ...config.grpc,
      maxMessageBytes: config.maxMessageBytes,
      maxOutputBytes: config.maxOutputBytes,
      stopGraceMs: config.stopGraceMs,
      callTimeoutMs: config.callTimeoutMs,
      tokens: config.tokens,
      limits: config.limits,
      configured: config.providers,
      embedding: { settings: config.embedding, credentials: config.credentials, retry: config.retry },
      provider: recorder === undefined ? provider : recordExchanges(provider, recorder.begin),
      metrics: gatewayMetrics(registry),
      log,
    }),
  );
  // The gateway keeps no connections, so it is ready as soon as its gRPC port is bound, which happened above.
  const health = resources.use(
    await serveHealth({ ...config.health, checks: { grpc: () => Promise.resolve() }, metrics: registry }),
  );
  log.info({ grpc_port: server.port, health_port: health.port }, "listening");
  return { port: server.port, healthPort: health.port };
}
