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
  /** How long after a request its one answer may be published, as NATS writes durations; undefined answers nobody. */
  readonly answersWithin?: string;
}

/** Every session, or every call, at once. */
const ANY = "*";

/** Bringing both streams up to their settings; neither purging nor deleting. */
const STREAM_SETUP = [SESSIONS_STREAM, EVENTS_STREAM].flatMap((stream) =>
  ["INFO", "CREATE", "UPDATE"].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
);

const durable = (verb: string): string => `$JS.API.CONSUMER.${verb}.${SESSIONS_STREAM}.${EXECUTORS_DURABLE}`;

/** Bringing the executors' durable to its settings. */
const DURABLE_SETUP = ["INFO", "CREATE", "DURABLE.CREATE"].map(durable);

const EVENT_SUBJECTS = [SUBJECTS.allEvents, SUBJECTS.allFeeds];

/** Answers come to a prefix of the user's own, so that no service can read what was answered to another. */
export function inboxPrefix(user: string): string {
  return `_INBOX_${user}`;
}

const inbox = (user: BusUser): string => `${inboxPrefix(user)}.>`;

/** One user per service that is on the bus, with the subjects that the wiring map gives it and nothing else. */
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
    // Server-Sent Events follow a session as the notifier does.
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
    // A call may run for as long as its session.
    answersWithin: "1h",
  },
  notifier: {
    publish: [SUBJECTS.snapshot(ANY)],
    subscribe: [...EVENT_SUBJECTS, SUBJECTS.chunks(ANY), inbox("notifier")],
  },
};
