import { BUILT_IN_SETTINGS } from "#shared/agent-config/built-in-config.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import type { QueueSection } from "#shared/agent-config/schemas/tarsy-file.ts";

/** Keys for a queue that polls the database, and their replacements here. */
const REPLACED = {
  poll_interval:
    "an executor with a free slot keeps one pull open on the SESSIONS stream and is woken immediately",
  poll_interval_jitter: "an executor with a free slot keeps one pull open on the SESSIONS stream",
  heartbeat_interval: "the session lease replaces it, renewed every 5s",
  orphan_detection_interval: "an expired session lease and the sweeper replace it",
  orphan_threshold: "the session lease of 20s replaces it",
  scoring_shutdown_timeout: "a scoring that a stop interrupts goes on in another executor",
  graceful_shutdown_timeout: "the executor's stop grace of 10s replaces it, and no step is lost",
} as const;

/** Checks the queue settings against each other and warns of those without effect. */
export function checkQueue(queue: Loose<QueueSection>, reporter: Reporter): void {
  checkBelow(queue, "poll_interval_jitter", "poll_interval", reporter);
  checkBelow(queue, "heartbeat_interval", "orphan_threshold", reporter);
  for (const [key, replacement] of Object.entries(REPLACED)) {
    if (!Object.hasOwn(queue, key)) continue;
    reporter.warn({ container: queue, key }, "is valid but has no effect", replacement);
  }
}

type DurationKey = keyof typeof REPLACED & keyof typeof BUILT_IN_SETTINGS.queue;

/** A missing key, and one of zero, counts with its default, so that setting one of a pair alone can break the rule. */
function checkBelow(
  queue: Loose<QueueSection>,
  lower: DurationKey,
  upper: DurationKey,
  reporter: Reporter,
): void {
  const written = (key: DurationKey) => (parseDuration(queue[key] ?? "0") === 0 ? undefined : queue[key]);
  const broken = (key: DurationKey) => queue[key] === undefined && reporter.sources.hasChild(queue, key);
  if (broken(lower) || broken(upper)) return;
  const low = parseDuration(written(lower) ?? BUILT_IN_SETTINGS.queue[lower]);
  const high = parseDuration(written(upper) ?? BUILT_IN_SETTINGS.queue[upper]);
  if (low === undefined || high === undefined || low < high) return;
  const withValue = (key: DurationKey) =>
    `${key} (${written(key) ?? `by default ${BUILT_IN_SETTINGS.queue[key]}`})`;
  if (written(lower) === undefined) {
    const rule = `must be longer than ${withValue(lower)}`;
    reporter.error({ container: queue, key: upper }, rule, `set ${lower} too`);
  } else {
    reporter.error({ container: queue, key: lower }, `must be shorter than ${withValue(upper)}`);
  }
}
