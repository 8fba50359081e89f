import { Registry, collectDefaultMetrics } from "prom-client";
import { openBus } from "#shared/bus/open-bus.ts";
import { serveHealth } from "#shared/health-server.ts";
import { runService } from "#shared/run-service.ts";
import { loadConfig } from "./config.ts";
import { serveTools } from "./serve-tools.ts";

await runService("tool-runner", loadConfig, async ({ config, log, signal, resources }) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const bus = resources.use(await openBus({ url: config.natsUrl, name: "tarsy-tool-runner", log, signal }));
  resources.use(await serveTools(bus));
  resources.use(
    await serveHealth({ ...config.health, checks: { nats: () => bus.check() }, metrics: registry }),
  );
});
