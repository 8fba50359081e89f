import { Registry, collectDefaultMetrics } from "prom-client";
import { runService } from "#shared/service/run-service.ts";
import { loadToolRunnerConfig } from "./config.ts";
import { runToolRunner } from "./run-tool-runner.ts";

await runService("tool-runner", loadToolRunnerConfig, async (service) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  await runToolRunner(service, registry);
});
