import { ensureExecutorsDurable } from "#shared/bus/ensure-streams.ts";
import { CONSUMER_NOT_FOUND, STREAM_NOT_FOUND, jetStreamError } from "#shared/bus/jetstream-error.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import { EXECUTORS_DURABLE, SESSIONS_STREAM } from "#shared/contracts/subjects.ts";

/**
 * Consecutive readings that must agree: the counters come from separate requests, and acknowledgements arrive in
 * between.
 */
const READINGS = 5;

/**
 * `stuck` when SESSIONS holds messages that the executors' durable has not delivered and never will: after a power cut
 * the durable's position can be ahead of the stream's last sequence. `missing` when either does not exist. Rejects when
 * NATS does not answer.
 */
export async function readQueueState(bus: Bus): Promise<"working" | "stuck" | "missing"> {
  try {
    for (let reading = 0; reading < READINGS; reading++) {
      const before = await readOutstanding(bus);
      const { state } = await bus.jsm.streams.info(SESSIONS_STREAM);
      const after = await readOutstanding(bus);
      if (state.messages <= Math.max(before, after)) return "working";
    }
    return "stuck";
  } catch (error) {
    const code = jetStreamError(error)?.code;
    if (code === STREAM_NOT_FOUND || code === CONSUMER_NOT_FOUND) return "missing";
    throw error;
  }
}

/** Deletes the executors' durable and creates it again at the start of the stream; every message is redelivered. */
export async function recreateDurable(bus: Bus, options: { readonly maxRunning: number }): Promise<void> {
  await bus.jsm.consumers.delete(SESSIONS_STREAM, EXECUTORS_DURABLE);
  await ensureExecutorsDurable(bus, options);
}

/** Number of messages that the durable has not delivered yet, or that await an acknowledgement. */
async function readOutstanding(bus: Bus): Promise<number> {
  const { num_pending, num_ack_pending } = await bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
  return num_pending + num_ack_pending;
}
