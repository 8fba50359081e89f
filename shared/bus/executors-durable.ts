import { NatsError } from "nats";
import { ensureExecutorsDurable } from "#shared/bus/ensure-streams.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import { EXECUTORS_DURABLE, SESSIONS_STREAM } from "#shared/contracts/subjects.ts";

/** How often the same must be seen in a row: the figures are not of one moment, and acknowledgements come in between. */
const READINGS = 5;
const NOT_FOUND = new Set([10_059, 10_014]);

/**
 * True when the SESSIONS stream holds messages that the executors' durable neither has delivered nor ever will: after
 * a power cut it can be ahead of the stream. False where one of the two does not exist yet. Rejects with NATS away.
 */
export async function isDurableBehind(bus: Bus): Promise<boolean> {
  try {
    for (let reading = 0; reading < READINGS; reading++) {
      const before = await readOutstanding(bus);
      const { state } = await bus.jsm.streams.info(SESSIONS_STREAM);
      const after = await readOutstanding(bus);
      if (state.messages <= Math.max(before, after)) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof NatsError && NOT_FOUND.has(error.api_error?.err_code ?? 0)) return false;
    throw error;
  }
}

/** Deletes the executors' durable and creates it again at the stream's beginning; every message is delivered anew. */
export async function recreateDurable(bus: Bus, options: { readonly maxRunning: number }): Promise<void> {
  await bus.jsm.consumers.delete(SESSIONS_STREAM, EXECUTORS_DURABLE);
  await ensureExecutorsDurable(bus, options);
}

/** What the durable still has to deliver, or has delivered without an acknowledgement. */
async function readOutstanding(bus: Bus): Promise<number> {
  const { num_pending, num_ack_pending } = await bus.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
  return num_pending + num_ack_pending;
}
