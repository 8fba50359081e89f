import { runService } from "#shared/service/run-service.ts";
import { loadNotifierConfig } from "./config.ts";
import { runNotifier } from "./run-notifier.ts";

await runService("notifier", loadNotifierConfig, async (service) => {
  await runNotifier(service);
});
