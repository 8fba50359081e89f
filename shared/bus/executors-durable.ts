import { ensureDurable, type RunLimits } from "#shared/bus/ensure-streams.ts";
import { CONSUMER_NOT_FOUND, STREAM_NOT_FOUND, jetStreamError } from "#shared/bus/jetstream-error.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import type { WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";

/**
 * Consecutive readings that must agree: the counters come from separate requests, and acknowledgements arrive in
 * between.
 */
const READINGS = 5;

/**
 * `stuck` when a queue's stream holds messages that its durable has not delivered and never will: after a power cut
 * the durable's position can be ahead of the stream's last sequence. `missing` when either does not exist. Rejects when
 * NATS does not answer.
 */
export async function readQueueState(bus: Bus, queue: WakeUpQueue): Promise<"working" | "stuck" | "missing"> {
  try {
    for (let reading = 0; reading < READINGS; reading++) {
      const before = await readOutstanding(bus, queue);
      const { state } = await bus.jsm.streams.info(queue.stream);
      const after = await readOutstanding(bus, queue);
      if (state.messages <= Math.max(before, after)) return "working";
    }
    return "stuck";
  } catch (error) {
    const code = jetStreamError(error)?.code;
    if (code === STREAM_NOT_FOUND || code === CONSUMER_NOT_FOUND) return "missing";
    throw error;
  }
}

/** Deletes a queue's durable and creates it again at the start of the stream; every message is redelivered. */
export async function recreateDurable(bus: Bus, queue: WakeUpQueue, limits: RunLimits): Promise<void> {
  await bus.jsm.consumers.delete(queue.stream, queue.durable);
  await ensureDurable(bus, queue, limits);
}

/** Number of messages that the durable has not delivered yet, or that await an acknowledgement. */
async function readOutstanding(bus: Bus, { stream, durable }: WakeUpQueue): Promise<number> {
  const { num_pending, num_ack_pending } = await bus.jsm.consumers.info(stream, durable);
  return num_pending + num_ack_pending;
}
