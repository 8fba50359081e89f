import { STREAM_NOT_FOUND, STREAM_PURGE_FAILED, jetStreamError } from "#shared/bus/jetstream-error.ts";
import type { Bus } from "#shared/bus/open-bus.ts";
import {
  EVENTS_STREAM,
  FOLLOWUPS_STREAM,
  FOLLOWUP_LANE,
  SESSIONS_STREAM,
  SUBJECTS,
} from "#shared/contracts/subjects.ts";

/** A stream that takes no message, although its server answers. */
export interface RefusedStream {
  readonly stream: string;
  /** The server's words, or what was seen. */
  readonly why: string;
}

/** The server's statement about the streams. */
export interface StreamAnswers {
  readonly refused: readonly RefusedStream[];
  readonly isOneMissing: boolean;
}

/** Has for every stream a subject on which nothing is published. */
const UNUSED = {
  [SESSIONS_STREAM]: SUBJECTS.wakeUp("normal", "none"),
  [FOLLOWUPS_STREAM]: SUBJECTS.wakeUp(FOLLOWUP_LANE, "none"),
  [EVENTS_STREAM]: SUBJECTS.events("none"),
} as const;

/**
 * Asks the server about every stream by a purge of a subject without messages: a stream whose file could not be written once
 * (nats-server 2.15 then stores nothing more in it, also when there is space again) refuses that with the file system's error,
 * and nothing is stored or removed. Rejects when the server does not answer, or not
 * for every stream: nothing is known then.
 */
export async function readRefusedStreams(bus: Bus): Promise<StreamAnswers> {
  const refused: RefusedStream[] = [];
  let isOneMissing = false;
  for (const [stream, filter] of Object.entries(UNUSED)) {
    try {
      await bus.jsm.streams.purge(stream, { filter });
    } catch (error) {
      const answer = jetStreamError(error);
      if (answer?.code === STREAM_PURGE_FAILED) refused.push({ stream, why: answer.description });
      else if (answer?.code === STREAM_NOT_FOUND) isOneMissing = true;
      else throw error;
    }
  }
  return { refused, isOneMissing };
}

/**
 * Deletes a stream, which is then to be created again: what it held is in Postgres. Resolves with the number that its first
 * message has to have, so that an acknowledgement of a message of the deleted one is of none of the new one; undefined if
 * there is no such stream.
 */
export async function deleteStream(bus: Bus, stream: string): Promise<number | undefined> {
  try {
    const { state } = await bus.jsm.streams.info(stream);
    await bus.jsm.streams.delete(stream);
    return state.last_seq + 1;
  } catch (error) {
    if (jetStreamError(error)?.code !== STREAM_NOT_FOUND) throw error;
    return undefined;
  }
}
