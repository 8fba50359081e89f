import { setTimeout as delay } from "node:timers/promises";
import type { SupervisedService } from "./supervise-service.ts";

/** When, in ms after the stop began, a stage is no longer waited for; the last one is followed by SIGKILL. */
const stageEndsMs = [2_000, 11_500, 13_000] as const;

/**
 * Stops services stage by stage, then kills what is left: at most 13 s, or none once `force` aborts. A stage
 * that takes longer goes on stopping while the next one begins.
 */
export async function stopServices(
  services: readonly SupervisedService[],
  force: AbortSignal,
): Promise<void> {
  const begin = performance.now();
  const stopping: Promise<void>[] = [];
  for (const [stage, endMs] of stageEndsMs.entries()) {
    const members = services.filter(({ stopStage }) => stopStage === stage);
    const stops = members.map(async (service) => service.stop());
    stopping.push(...stops);
    const isLast = stage === stageEndsMs.length - 1;
    const timer = new AbortController();
    const late = delay(endMs - (performance.now() - begin), undefined, {
      signal: AbortSignal.any([timer.signal, force]),
    }).catch(() => undefined);
    await Promise.race([Promise.all(isLast ? stopping : stops), late]);
    timer.abort();
  }
  await Promise.all(services.map(async (service) => service.kill()));
}
