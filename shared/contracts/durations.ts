import { envInteger, type Environment } from "#shared/service/environment.ts";

/**
 * The durations that say how fast a loss is noticed: of an executor, a tool-runner, a message, a connection. Tests need not wait for
 * them as long as production does: each is divided by TARSY_TIME_SCALE. How long a statement, a request or a provider may take is
 * none of them, and neither is what a user can set.
 */

/**
 * TARSY_TIME_SCALE, a whole number from 1 to 8, by default 1. Throws TerminalError naming the variable for anything else. Services
 * call it at their start; with another value than 1 they need a database for tests (`checkTimeScale`).
 */
export function readTimeScale(env: Environment = process.env): number {
  return envInteger(env, "TARSY_TIME_SCALE", { fallback: 1, min: 1, max: 8 });
}

/** The scale of this process; 1 for an invalid value, with which no service starts. */
export const TIME_SCALE = scaleOrOne();

function scaleOrOne(): number {
  try {
    return readTimeScale();
  } catch {
    return 1;
  }
}

/** Whole milliseconds, which NATS and Postgres take alike. */
function scaled(ms: number): number {
  return Math.round(ms / TIME_SCALE);
}

/** The time for which a claim or a renewal lasts, by the database's clock. */
export const LEASE_MS = scaled(20_000);
export const RENEW_EVERY_MS = scaled(5_000);
/** Sessions stop after this long without a renewal, by the monotonic clock: well before another executor may claim them. */
export const SELF_FENCE_MS = scaled(15_000);
/** An executor that was not seen for this long is dead: three renewals. */
export const EXECUTOR_DEAD_MS = scaled(15_000);
/** A failure within this time of a server's restart is not held against a session. */
export const RESTART_EXCUSES_MS = scaled(20_000);

/** The time between two signs that a wake-up is worked on. */
export const WORKING_EVERY_MS = scaled(8_000);
/** Longer than a lease: when a dead executor's message is redelivered, its lease has expired. */
export const ACK_WAIT_MS = scaled(25_000);
/** A deferred session, or one whose wake-up was lost, is dispatched at most about this long after it is due. */
export const SWEEP_EVERY_MS = scaled(2_000);
/** The time between two looks for sessions in Postgres while the stream takes no wake-ups. */
export const LOOK_EVERY_MS = scaled(2_000);
/** While nothing points to a refusal: nothing else would notice one by EVENTS, which is written without an answer. */
export const STREAM_LOOK_EVERY_MS = scaled(10_000);
/** A disk that is full stays so for a while; each try to make a stream anew empties it. */
export const STREAM_REMAKE_EVERY_MS = scaled(10_000);
/** The time between two looks for events that were lost on the bus. */
export const EVENT_POLL_MS = scaled(2_000);
/** The time between two pings on a connection to NATS; with two unanswered it is given up. */
export const NATS_PING_MS = scaled(5_000);

/** The time for which a new session holds its slot while no gateway can be reached. */
export const GATEWAY_WAIT_MS = scaled(10_000);
/** The time for which an agent without any tool waits for servers that cannot be listed: as long as a restart of theirs takes. */
export const SERVERS_WAIT_MS = scaled(60_000);

/** The time between two heartbeats of a running tool call. */
export const CALL_HEARTBEAT_MS = scaled(5_000);
/** A running call without a heartbeat of its runner for this long is lost. */
export const CALL_ALIVE_MS = scaled(15_000);
/** The time between two looks for connections of executions that no executor runs any more, and how long they are unused then. */
export const HELD_SWEEP_MS = scaled(20_000);
export const HELD_UNUSED_MS = scaled(60_000);
/** A tool-runner confirms the states of its servers this often; without it they are not believed any more after the longer time. */
export const MCP_STATE_CONFIRM_MS = scaled(15_000);
export const MCP_STATE_ALIVE_MS = scaled(60_000);
