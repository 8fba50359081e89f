import {
  EXECUTORS_DURABLE,
  FOLLOWUPS_DURABLE,
  FOLLOWUPS_STREAM,
  FOLLOWUP_LANE,
  SESSIONS_STREAM,
  SESSION_LANES,
  SUBJECTS,
  type Lane,
} from "#shared/contracts/subjects.ts";

/** A stream of wake-ups with the one durable that delivers them to all executors. */
export interface WakeUpQueue {
  readonly stream: string;
  readonly durable: string;
  /** The stream's subjects. */
  readonly subjects: readonly string[];
  /** The subjects on which a wake-up of this session may come. */
  readonly subjectsOf: (sessionId: string) => readonly string[];
}

/** The sessions that have not ended, in all their lanes: one durable, so that one limit holds for them together. */
export const SESSIONS_QUEUE: WakeUpQueue = {
  stream: SESSIONS_STREAM,
  durable: EXECUTORS_DURABLE,
  subjects: SESSION_LANES.map(SUBJECTS.allWakeUps),
  subjectsOf: (sessionId) => SESSION_LANES.map((lane) => SUBJECTS.wakeUp(lane, sessionId)),
};

/** The sessions that have ended and have open follow-ups. */
export const FOLLOWUPS_QUEUE: WakeUpQueue = {
  stream: FOLLOWUPS_STREAM,
  durable: FOLLOWUPS_DURABLE,
  subjects: [SUBJECTS.allWakeUps(FOLLOWUP_LANE)],
  subjectsOf: (sessionId) => [SUBJECTS.wakeUp(FOLLOWUP_LANE, sessionId)],
};

export const WAKE_UP_QUEUES = [SESSIONS_QUEUE, FOLLOWUPS_QUEUE] as const;

/** The queue of a lane. */
export function queueOf(lane: Lane): WakeUpQueue {
  return lane === FOLLOWUP_LANE ? FOLLOWUPS_QUEUE : SESSIONS_QUEUE;
}

/** A session that needs an executor. */
export interface WakeUp {
  readonly sessionId: string;
  readonly lane: Lane;
}
