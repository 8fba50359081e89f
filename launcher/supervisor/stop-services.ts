import { setTimeout as delay } from "node:timers/promises";
import type { SupervisedService } from "./supervise-service.ts";

/** The time that each stage may take, in ms since the stop began. SIGKILL follows the last stage. */
const stageEndsMs = [2_000, 11_500, 13_000] as const;

/**
 * Stops services stage by stage, then kills the remaining ones: after at most 13 s, or immediately once `force` aborts.
 * Services that exceed the time of their stage continue to stop during the next one.
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
    const timeout = delay(endMs - (performance.now() - begin), undefined, {
      signal: AbortSignal.any([timer.signal, force]),
    }).catch(() => undefined);
    await Promise.race([Promise.all(isLast ? stopping : stops), timeout]);
    timer.abort();
  }
  await Promise.all(services.map(async (service) => service.kill()));
}
