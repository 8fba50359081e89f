import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  NatsError,
  RetentionPolicy,
  StorageType,
  nanos,
  type ConsumerConfig,
  type StreamConfig,
} from "nats";
import type { Bus } from "#shared/bus/open-bus.ts";
import { EVENTS_STREAM, EXECUTORS_DURABLE, SESSIONS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** JetStream error codes, from the server's own table. */
const STREAM_NOT_FOUND = 10_059;
const CONSUMER_NOT_FOUND = 10_014;

export interface StreamOptions {
  /** 1 on one server, 3 on a cluster. */
  readonly replicas: number;
}

/** Creates SESSIONS and EVENTS, or brings existing ones up to these settings. Safe to call by many at once. */
export async function ensureStreams(bus: Bus, { replicas }: StreamOptions): Promise<void> {
  await ensureStream(bus, {
    name: SESSIONS_STREAM,
    subjects: [SUBJECTS.allSessions],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    num_replicas: replicas,
    // One message per session: a second wake-up is refused while the first is queued, delivered or delayed.
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
    // A wake-up is some 60 bytes; a million of them is far beyond any backlog, and the sweeper brings back the rest.
    max_msgs: 1_000_000,
  });
  await ensureStream(bus, {
    name: EVENTS_STREAM,
    subjects: [SUBJECTS.allEvents],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    discard: DiscardPolicy.Old,
    // A bounded record beside the truth in Postgres.
    max_age: nanos(DAY_MS),
    max_bytes: 1024 * 1024 * 1024,
  });
}

/**
 * Creates the executors' durable or updates its limit. `maxRunning` becomes `max_ack_pending`: the number of sessions
 * that run at once in the whole cluster, exact because the server counts.
 */
export async function ensureExecutorsDurable(
  bus: Bus,
  { maxRunning }: { maxRunning: number },
): Promise<void> {
  const config: Partial<ConsumerConfig> = {
    durable_name: EXECUTORS_DURABLE,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    // Longer than a lease (20 s), so that a redelivery finds a lease that has expired, not one about to.
    ack_wait: nanos(25_000),
    max_ack_pending: maxRunning,
    // Attempts are counted in Postgres; the stream never gives up by itself.
    max_deliver: -1,
  };
  try {
    const { config: current } = await bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
    if (current.max_ack_pending === maxRunning && current.ack_wait === config.ack_wait) return;
    await bus.jsm.consumers.update(SESSIONS_STREAM, EXECUTORS_DURABLE, config);
  } catch (error) {
    if (!isApiError(error, CONSUMER_NOT_FOUND)) throw error;
    await bus.jsm.consumers.add(SESSIONS_STREAM, config);
  }
}

async function ensureStream(bus: Bus, config: Partial<StreamConfig> & { name: string }): Promise<void> {
  try {
    await bus.jsm.streams.update(config.name, config);
  } catch (error) {
    if (!isApiError(error, STREAM_NOT_FOUND)) throw error;
    await bus.jsm.streams.add(config);
  }
}

/** True for a JetStream API error with this code. */
function isApiError(error: unknown, code: number): boolean {
  return error instanceof NatsError && error.api_error?.err_code === code;
}
