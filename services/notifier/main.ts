import { runService } from "#shared/service/run-service.ts";
import { loadConfig } from "./config.ts";
import { runNotifier } from "./run-notifier.ts";

await runService("notifier", loadConfig, async (service) => {
  await runNotifier(service);
});
