import { processRegistry } from "#shared/service/process-registry.ts";
import { runService } from "#shared/service/run-service.ts";
import { loadToolRunnerConfig } from "./config.ts";
import { runToolRunner } from "./run-tool-runner.ts";

await runService("tool-runner", loadToolRunnerConfig, async (service) => {
  const registry = processRegistry();
  await runToolRunner(service, registry);
});
