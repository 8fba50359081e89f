import { isDeepStrictEqual } from "node:util";
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  nanos,
  type ConsumerConfig,
  type StreamConfig,
} from "nats";
import {
  CONSUMER_NOT_FOUND,
  REPLICAS_NOT_SUPPORTED,
  STREAM_NOT_FOUND,
  jetStreamError,
} from "#shared/bus/jetstream-error.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import { ACK_WAIT_MS } from "#shared/contracts/durations.ts";
import type { Logger } from "#shared/service/logger.ts";
import { EVENTS_STREAM, SUBJECTS } from "#shared/contracts/subjects.ts";
import { FOLLOWUPS_QUEUE, WAKE_UP_QUEUES, type WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

interface EnsureStreamsOptions {
  /** 1 on one server, 3 on a cluster. */
  readonly replicas: number;
  readonly log?: Pick<Logger, "info">;
  /** Keyed by stream: the number of its first message if it has to be created; by default 1. */
  readonly firstSeqs?: ReadonlyMap<string, number>;
}

/**
 * Creates SESSIONS, FOLLOWUPS and EVENTS, or updates those with other settings. Streams of one server are given replicas once it belongs to a
 * cluster. Safe to call concurrently. Resolves with one sentence for each stream that NATS gives fewer replicas than wanted: it can
 * be used, and is lost with its server.
 */
export async function ensureStreams(bus: Bus, options: EnsureStreamsOptions): Promise<readonly string[]> {
  const { replicas } = options;
  const sentences: (string | undefined)[] = [];
  for (const { stream, subjects } of WAKE_UP_QUEUES) {
    const sentence = await ensureStream(bus, options, {
      name: stream,
      subjects: [...subjects],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      num_replicas: replicas,
      // One message per session: a second wake-up is refused while the first is queued, delivered or delayed.
      max_msgs_per_subject: 1,
      discard: DiscardPolicy.New,
      discard_new_per_subject: true,
      // A wake-up is about 60 bytes. A million exceeds any expected backlog; the sweeper re-sends what was refused.
      max_msgs: 1_000_000,
    });
    sentences.push(sentence);
  }
  const events = await ensureStream(bus, options, {
    name: EVENTS_STREAM,
    subjects: [SUBJECTS.allEvents],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    discard: DiscardPolicy.Old,
    // A bounded copy: the complete log is in Postgres.
    max_age: nanos(DAY_MS),
    max_bytes: 1024 * 1024 * 1024,
  });
  return [...sentences, events].filter((sentence) => sentence !== undefined);
}

/** The number of sessions that all executors together run concurrently. */
export interface RunLimits {
  readonly maxSessions: number;
  readonly maxFollowups: number;
}

/** Creates the durables of both queues or updates their limits. */
export async function ensureDurables(bus: Bus, limits: RunLimits): Promise<void> {
  for (const queue of WAKE_UP_QUEUES) await ensureDurable(bus, queue, limits);
}

/**
 * Creates a queue's durable or updates its limit, which becomes `max_ack_pending`: the limit on sessions or follow-ups
 * running concurrently in the cluster is exact because the server enforces it.
 */
export async function ensureDurable(
  bus: Bus,
  queue: WakeUpQueue,
  { maxSessions, maxFollowups }: RunLimits,
): Promise<void> {
  const { stream, durable } = queue;
  const maxRunning = queue === FOLLOWUPS_QUEUE ? maxFollowups : maxSessions;
  const config: Partial<ConsumerConfig> = {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: maxRunning,
    // Attempts are counted in Postgres, so the stream redelivers without a limit.
    max_deliver: -1,
  };
  try {
    const { config: current } = await bus.jsm.consumers.info(stream, durable);
    if (current.max_ack_pending === maxRunning && current.ack_wait === config.ack_wait) return;
    await bus.jsm.consumers.update(stream, durable, config);
  } catch (error) {
    if (jetStreamError(error)?.code !== CONSUMER_NOT_FOUND) throw error;
    await bus.jsm.consumers.add(stream, config);
  }
}

interface WantedStream extends Partial<StreamConfig> {
  readonly name: string;
  readonly num_replicas: number;
}

/** Resolves with a sentence if the stream has other replicas than wanted, and with undefined if it has everything. */
async function ensureStream(
  bus: Bus,
  { log, firstSeqs }: EnsureStreamsOptions,
  wanted: WantedStream,
): Promise<string | undefined> {
  const { name, num_replicas } = wanted;
  const current = await readConfig(bus, name);
  const firstSeq = firstSeqs?.get(name);
  const write = async (config: WantedStream) => {
    if (current !== undefined) await bus.jsm.streams.update(name, config);
    else await bus.jsm.streams.add(firstSeq === undefined ? config : { ...config, first_seq: firstSeq });
  };
  // An update is a write that a cluster has to agree on, also when it changes nothing.
  if (current !== undefined && holds(current, wanted)) return undefined;
  try {
    await write(wanted);
    if (current !== undefined && current.num_replicas !== num_replicas) {
      log?.info(
        { stream: name, replicas: num_replicas, before: current.num_replicas },
        "stream has other replicas",
      );
    }
    return undefined;
  } catch (error) {
    const refusal = jetStreamError(error);
    const possible = current?.num_replicas ?? (refusal?.code === REPLICAS_NOT_SUPPORTED ? 1 : num_replicas);
    if (refusal === undefined || possible === num_replicas) throw error;
    // Sessions must not wait for replicas: the stream goes on as it is, with its other settings.
    const without = { ...wanted, num_replicas: possible };
    if (current === undefined || !holds(current, without)) await write(without);
    return `the stream ${name} has ${possible} of ${num_replicas} replicas (${refusal.description}): start all servers of the cluster, or set NATS_REPLICAS=${possible}`;
  }
}

async function readConfig(bus: Bus, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await bus.jsm.streams.info(name)).config;
  } catch (error) {
    if (jetStreamError(error)?.code !== STREAM_NOT_FOUND) throw error;
    return undefined;
  }
}

/** True if `current` has each value of `wanted`. */
function holds(current: object, wanted: object): boolean {
  const values = new Map<string, unknown>(Object.entries(current));
  return Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(values.get(key), value));
}
