import { randomUUID } from "node:crypto";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import type { Database } from "#shared/database/database.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import type { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import { backoff, jitter, pause } from "#shared/pause.ts";
import type { Logger } from "#shared/service/logger.ts";
import { startAtZero } from "#shared/service/start-at-zero.ts";
import { LEASE_SECONDS, claimNotifications, type ClaimedNotification } from "./claim-notifications.ts";
import { NOTIFICATION_RESULTS, type NotificationMetrics } from "./notification-metrics.ts";
import type { Delivery, Destination } from "./destination.ts";
import { readNotification, type ReadNotification } from "./notification.ts";
import { settleNotification, type Settled } from "./settle-notification.ts";

interface SenderDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly metrics: Pick<NotificationMetrics, "notifications">;
  readonly destinations: readonly Destination[];
  readonly masker: Pick<Masker, "mask">;
  /** Where the page is, without a slash at the end. */
  readonly pageUrl: string;
}

/** A notification is sent at most about this long after it is due. */
const POLL_EVERY_MS = 1_000;
/** Half of the lease, so that the outcome is stored before it expires. */
const ATTEMPT_MS = (LEASE_SECONDS / 2) * 1_000;
/** How long a stop waits for what is being sent; then the rows are given back. */
const STOP_GRACE_MS = 5_000;
const STORE_RETRIES = { firstMs: 100, lastMs: 2_000 };

/**
 * Until `signal` aborts: sends what is due in the outbox to each destination. Any number of apis may do so: each row has a lease.
 * Never throws. Resolves once nothing is being sent any more; what is not done within the grace is given back.
 */
export async function sendNotifications(
  deps: SenderDeps,
  signal: AbortSignal,
  { everyMs = POLL_EVERY_MS }: { readonly everyMs?: number } = {},
): Promise<void> {
  const grace = new AbortController();
  const timer = new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  void timer.then(() => setTimeout(() => grace.abort(signal.reason), STOP_GRACE_MS).unref());
  for (const { name } of deps.destinations) {
    startAtZero(deps.metrics.notifications, { destination: [name], result: NOTIFICATION_RESULTS });
  }
  await Promise.all(
    deps.destinations.map(async (destination) =>
      sendTo(destination, deps, { stop: signal, abort: grace.signal, everyMs }),
    ),
  );
}

interface Signals {
  readonly stop: AbortSignal;
  readonly abort: AbortSignal;
  readonly everyMs: number;
}

async function sendTo(destination: Destination, deps: SenderDeps, signals: Signals): Promise<void> {
  const { stop, everyMs } = signals;
  let failures = 0;
  while (!stop.aborted) {
    const token = randomUUID();
    const claimed = await claimNotifications(deps.db, destination, token).then(
      (rows) => {
        failures = 0;
        return rows;
      },
      (error: unknown) => {
        failures += 1;
        const level = failures === 1 ? "debug" : "warn";
        if (!stop.aborted) {
          deps.log[level]({ error: errorMessage(error) }, "no notifications can be taken: retrying");
        }
        return [];
      },
    );
    await Promise.all(claimed.map(async (row) => send(row, { ...deps, destination, token }, signals)));
    if (claimed.length === 0) await pause(jitter(everyMs), stop).catch(() => undefined);
  }
}

interface Sending extends SenderDeps {
  readonly destination: Destination;
  readonly token: string;
}

/** Sends one notification and stores how that ended. Never throws. */
async function send(row: ClaimedNotification, deps: Sending, signals: Signals): Promise<void> {
  const { log, metrics, destination } = deps;
  const fields = { session_id: row.session_id, kind: row.kind, destination: destination.name };
  try {
    const settled = await attempt(row, deps, signals.abort);
    const state = await store(row, settled, deps, signals.abort);
    if (state === undefined) {
      log.warn(fields, "another api has taken the notification over");
      return;
    }
    metrics.notifications.inc({ destination: destination.name, result: state });
    if (settled.outcome === "sent") log.info(fields, "notification sent");
    else {
      log.warn(
        { ...fields, error: settled.error, attempts: row.attempts },
        `notification not sent: ${state}`,
      );
    }
  } catch (error) {
    log.warn({ ...fields, error: errorMessage(error) }, "notification left to its next attempt");
  }
}

async function attempt(row: ClaimedNotification, deps: Sending, abort: AbortSignal): Promise<Settled> {
  const read = await readRow(row, deps);
  if ("outcome" in read) return read;
  if ("obsolete" in read) return { outcome: "dropped", error: read.obsolete };
  const signal = AbortSignal.any([abort, AbortSignal.timeout(ATTEMPT_MS)]);
  try {
    const sent = await deps.destination.deliver(read.notification, { isUnsure: row.is_unsure }, signal);
    return await masked(sent, deps.masker);
  } catch (error) {
    return cutShort(abort.aborted ? "the api stopped" : errorMessage(error));
  }
}

/** What cannot be read now cannot be read later, unless the database is to blame. */
async function readRow(
  row: ClaimedNotification,
  { db, pageUrl }: Sending,
): Promise<ReadNotification | Settled> {
  try {
    return await readNotification(db, row, pageUrl);
  } catch (error) {
    if (error instanceof TerminalError) return { outcome: "refused", error: error.message };
    throw error;
  }
}

/** What a receiver answers is shown to operators, and may repeat what it was sent or what it knows. */
async function masked(delivery: Delivery, masker: Pick<Masker, "mask">): Promise<Delivery> {
  if (delivery.outcome === "sent") return delivery;
  return { ...delivery, error: await maskOrWithhold(masker, delivery.error, rulesOfServer()) };
}

/** What was being sent may have been received. */
function cutShort(error: string): Delivery {
  return { outcome: "failed", error, isUnsure: true };
}

/**
 * Stores the outcome, however long the database is away: another api that could take the row needs the database, too. On a stop
 * the last try is the one under way when the grace ends.
 */
async function store(row: ClaimedNotification, settled: Settled, deps: Sending, abort: AbortSignal) {
  for (let retry = 1; ; retry += 1) {
    try {
      return await settleNotification(deps.db, row, deps, settled);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || abort.aborted) throw error;
      await pause(backoff(retry, STORE_RETRIES), abort).catch(() => undefined);
    }
  }
}
