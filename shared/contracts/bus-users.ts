import { EVENTS_STREAM, FOLLOWUP_LANE, SUBJECTS, type BusUser } from "#shared/contracts/subjects.ts";
import { WAKE_UP_QUEUES } from "#shared/contracts/wake-up-queue.ts";

/** The rights of one user on the bus, as subjects with wildcards. */
interface BusPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** The time in which the one reply to a request may be published, as a NATS duration; absent without a right to reply. */
  readonly answersWithin?: string;
}

/** Wildcard for every session or call. */
const ANY = "*";

const onStreams = (verb: string): string[] =>
  [...WAKE_UP_QUEUES.map(({ stream }) => stream), EVENTS_STREAM].map(
    (stream) => `$JS.API.STREAM.${verb}.${stream}`,
  );

const onDurables = (verb: string): string[] =>
  WAKE_UP_QUEUES.map(({ stream, durable }) => `$JS.API.CONSUMER.${verb}.${stream}.${durable}`);

/** The subjects to look at the streams and the durables. */
const STREAM_INFO = [...onStreams("INFO"), ...onDurables("INFO")];

const WAKE_UPS = WAKE_UP_QUEUES.flatMap(({ subjects }) => subjects);

const EVENT_SUBJECTS = [SUBJECTS.allEvents, SUBJECTS.allFeeds];

/** Replies are sent to an inbox prefix per user, so that no service can read replies to another. */
export function inboxPrefix(user: string): string {
  return `_INBOX_${user}`;
}

/**
 * Exactly the subjects that the table in subjects.ts gives each user, without the user's inbox. A stream reads any subject
 * that it is asked for, and a consumer delivers to any subject: so no service may create or change one.
 */
const PERMISSIONS: Readonly<Record<BusUser, BusPermissions>> = {
  api: {
    publish: [
      ...WAKE_UPS,
      ...EVENT_SUBJECTS,
      SUBJECTS.allCancels,
      SUBJECTS.allInboxes,
      SUBJECTS.queueRefuses,
      SUBJECTS.runbookList,
      SUBJECTS.toolsList,
      SUBJECTS.mcpConnect,
      SUBJECTS.mcpCallback,
      ...STREAM_INFO,
    ],
    // These serve its SSE connections.
    subscribe: [SUBJECTS.allEvents, SUBJECTS.chunks(ANY)],
  },
  executor: {
    publish: [
      SUBJECTS.allWakeUps(FOLLOWUP_LANE),
      ...EVENT_SUBJECTS,
      SUBJECTS.chunks(ANY),
      SUBJECTS.progress(ANY),
      SUBJECTS.runbookFetch,
      SUBJECTS.toolsList,
      SUBJECTS.toolsCall,
      SUBJECTS.toolsCallOf(ANY),
      SUBJECTS.allToolCancels,
      SUBJECTS.toolsRelease,
      ...STREAM_INFO,
      `$JS.API.STREAM.MSG.GET.${EVENTS_STREAM}`,
      ...onDurables("MSG.NEXT"),
      ...WAKE_UP_QUEUES.map(({ stream, durable }) => `$JS.ACK.${stream}.${durable}.>`),
    ],
    subscribe: [
      SUBJECTS.allCancels,
      SUBJECTS.allInboxes,
      SUBJECTS.queueRefuses,
      SUBJECTS.snapshot(ANY),
      SUBJECTS.toolProgress(ANY),
    ],
    answersWithin: "1m",
  },
  "tool-runner": {
    publish: [SUBJECTS.toolProgress(ANY)],
    subscribe: [
      SUBJECTS.runbookFetch,
      SUBJECTS.runbookList,
      SUBJECTS.mcpConnect,
      SUBJECTS.mcpCallback,
      SUBJECTS.toolsList,
      SUBJECTS.toolsCall,
      SUBJECTS.toolsCallOf(ANY),
      SUBJECTS.allToolCancels,
      SUBJECTS.toolsRelease,
    ],
    // A tool call may run until its session's deadline.
    answersWithin: "1h",
  },
  notifier: {
    publish: [SUBJECTS.snapshot(ANY)],
    subscribe: [...EVENT_SUBJECTS, SUBJECTS.chunks(ANY), SUBJECTS.progress(ANY)],
  },
  "stream-admin": {
    // A durable is deleted to be created again at the start of its stream, a stream to be created again when it stores
    // nothing any more, which the server says when it is asked to purge a subject that has no message.
    publish: [
      ...STREAM_INFO,
      ...onStreams("CREATE"),
      ...onStreams("UPDATE"),
      ...onStreams("PURGE"),
      ...onStreams("DELETE"),
      ...["CREATE", "DURABLE.CREATE", "DELETE"].flatMap(onDurables),
    ],
    subscribe: [],
  },
};

/** The permissions of a user, with its inbox. The server may know the user under another `name`. */
export function busPermissions(user: BusUser, name: string = user): BusPermissions {
  const { subscribe, ...rest } = PERMISSIONS[user];
  return { ...rest, subscribe: [...subscribe, `${inboxPrefix(name)}.>`] };
}

/** A user of a NATS server. */
export interface NatsUser {
  /** The name that the server knows it by. */
  readonly name: string;
  /** A value of the server's configuration: a quoted string, or a variable such as `$NATS_API_PASSWORD`. */
  readonly password: string;
  /** Its rights; `all` is for tests and a server that nothing else uses. */
  readonly may: BusUser | "all";
}

function renderList(subjects: readonly string[]): string {
  return `[${subjects.map((subject) => `\n        ${JSON.stringify(subject)}`).join("")}\n      ]`;
}

function renderPermissions({ publish, subscribe, answersWithin }: BusPermissions): string {
  const answers =
    answersWithin === undefined ? "" : `\n      allow_responses: { max: 1, expires: "${answersWithin}" }`;
  // An empty allow list would allow everything.
  const published = publish.length === 0 ? `{ deny: ">" }` : `{ allow: ${renderList(publish)} }`;
  return `
    permissions: {
      publish: ${published}
      subscribe: { allow: ${renderList(subscribe)} }${answers}
    }`;
}

/** The list `users` of a NATS server's configuration, of its `authorization` or of one of its `accounts`. */
export function renderBusUsers(users: readonly NatsUser[]): string {
  const entries = users.map(
    ({ name, password, may }) => `  {
    user: ${JSON.stringify(name)}
    password: ${password}${may === "all" ? "" : renderPermissions(busPermissions(may, name))}
  }`,
  );
  return `users: [
${entries.join("\n")}
  ]`;
}
