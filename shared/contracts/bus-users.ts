import {
  EVENTS_STREAM,
  EXECUTORS_DURABLE,
  SESSIONS_STREAM,
  SUBJECTS,
  type BusUser,
} from "#shared/contracts/subjects.ts";

/** What one user may do on the bus, as subjects with wildcards. */
export interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** How long after a request its one reply may be published, as a NATS duration; absent without a right to reply. */
  readonly answersWithin?: string;
}

/** Wildcard for every session or call. */
const ANY = "*";

/** The right to create and update both streams, not to purge or delete them. */
const STREAM_SETUP = [SESSIONS_STREAM, EVENTS_STREAM].flatMap((stream) =>
  ["INFO", "CREATE", "UPDATE"].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
);

const durable = (verb: string): string => `$JS.API.CONSUMER.${verb}.${SESSIONS_STREAM}.${EXECUTORS_DURABLE}`;

/** The right to create and update the executors' durable. */
const DURABLE_SETUP = ["INFO", "CREATE", "DURABLE.CREATE"].map(durable);

const EVENT_SUBJECTS = [SUBJECTS.allEvents, SUBJECTS.allFeeds];

/** Replies are sent to an inbox prefix per user, so that no service can read replies to another. */
export function inboxPrefix(user: string): string {
  return `_INBOX_${user}`;
}

const inbox = (user: BusUser): string => `${inboxPrefix(user)}.>`;

/** One user per service on the bus, with exactly the subjects that the table in subjects.ts gives it. */
export const BUS_USERS: Readonly<Record<BusUser, BusPermissions>> = {
  api: {
    publish: [
      SUBJECTS.allSessions,
      ...EVENT_SUBJECTS,
      SUBJECTS.allCancels,
      ...STREAM_SETUP,
      ...DURABLE_SETUP,
      durable("DELETE"),
    ],
    // For its SSE connections.
    subscribe: [SUBJECTS.allEvents, inbox("api")],
  },
  executor: {
    publish: [
      ...EVENT_SUBJECTS,
      SUBJECTS.chunks(ANY),
      SUBJECTS.toolsList,
      SUBJECTS.toolsCall,
      SUBJECTS.allToolCancels,
      ...STREAM_SETUP,
      `$JS.API.STREAM.MSG.GET.${EVENTS_STREAM}`,
      ...DURABLE_SETUP,
      durable("MSG.NEXT"),
      `$JS.ACK.${SESSIONS_STREAM}.${EXECUTORS_DURABLE}.>`,
    ],
    subscribe: [SUBJECTS.allCancels, SUBJECTS.snapshot(ANY), inbox("executor")],
    answersWithin: "1m",
  },
  "tool-runner": {
    publish: [],
    subscribe: [SUBJECTS.toolsList, SUBJECTS.toolsCall, SUBJECTS.allToolCancels, inbox("tool-runner")],
    // A tool call may run until its session's deadline.
    answersWithin: "1h",
  },
  notifier: {
    publish: [SUBJECTS.snapshot(ANY)],
    subscribe: [...EVENT_SUBJECTS, SUBJECTS.chunks(ANY), inbox("notifier")],
  },
};
