/**
 * Every stream, subject and durable on the bus with its writers and readers. No other file contains a subject. Ids in
 * subjects are validated UUIDs, so input from outside cannot forge a subject. Only the api's user `stream-admin` creates,
 * updates and deletes streams and durables.
 *
 * | name                       | kind              | written by            | read by                               |
 * |----------------------------|-------------------|-----------------------|---------------------------------------|
 * | SESSIONS tarsy.sessions.critical.*, .normal.*, .low.* | work queue | api (submit, sweeper) | executors, durable `executors` |
 * | FOLLOWUPS tarsy.sessions.followup.* | work queue | api (ask, sweeper), executor | executors, durable `followups` |
 * | EVENTS   tarsy.events.*    | bounded copy      | executor, api         | notifier, api (core subscriptions)    |
 * | tarsy.feed.*               | core, live only   | executor, api         | notifier, for the channel `sessions`  |
 * | tarsy.chunks.*             | core, live only   | executor, while read  | notifier, api (AG-UI)                 |
 * | tarsy.progress.*           | core, live only   | executor              | notifier                              |
 * | tarsy.snapshot.*           | request/reply     | notifier              | the executor that runs the session    |
 * | tarsy.cancel.*             | core, best effort | api                   | every executor; the owner acts        |
 * | tarsy.inbox.*              | core, best effort | api                   | every executor; the owner acts        |
 * | tarsy.queue.refuses        | core, best effort | api                   | every executor                        |
 * | tarsy.runbooks.fetch       | request/reply     | executor              | queue group `tool-runners`            |
 * | tarsy.runbooks.list        | request/reply     | api                   | queue group `tool-runners`            |
 * | tarsy.mcp.connect          | request/reply     | api                   | queue group `tool-runners`            |
 * | tarsy.mcp.callback         | request/reply     | api                   | queue group `tool-runners`            |
 * | tarsy.tools.list           | request/reply     | executor, api         | queue group `tool-runners`            |
 * | tarsy.tools.call           | request/reply     | executor              | queue group `tool-runners`            |
 * | tarsy.tools.call.*         | request/reply     | executor              | the tool-runner of that id            |
 * | tarsy.tools.cancel.*       | core, best effort | executor              | every tool-runner; the runner acts    |
 * | tarsy.tools.release        | core, best effort | executor              | every tool-runner; the homes act      |
 * | tarsy.tools.progress.*     | core, live only   | tool-runner           | the executor that runs the session    |
 */

export const SESSIONS_STREAM = "SESSIONS";
export const FOLLOWUPS_STREAM = "FOLLOWUPS";
export const EVENTS_STREAM = "EVENTS";
/** One durable for all executors: its max_ack_pending is the cluster-wide limit on running sessions. */
export const EXECUTORS_DURABLE = "executors";
/** One durable for all executors: its max_ack_pending is the cluster-wide limit on running follow-ups. */
export const FOLLOWUPS_DURABLE = "followups";
/** The lanes of sessions, those that go first first. */
export const SESSION_LANES = ["critical", "normal", "low"] as const;
export type SessionLane = (typeof SESSION_LANES)[number];
/** The lane of the work on sessions that have ended, which waits for none of them. */
export const FOLLOWUP_LANE = "followup";
export type Lane = SessionLane | typeof FOLLOWUP_LANE;

export const TOOL_RUNNERS_GROUP = "tool-runners";

/**
 * The users of the NATS server where it authenticates clients: one per service on the bus, and `stream-admin`, with which
 * the api creates and updates the streams and their durables.
 */
export const BUS_USERS = ["api", "executor", "tool-runner", "notifier", "stream-admin"] as const;
export type BusUser = (typeof BUS_USERS)[number];

export const SUBJECTS = {
  /** One subject per session: a second wake-up of the same session is refused while the first is in the stream. */
  wakeUp: (lane: Lane, sessionId: string) => `tarsy.sessions.${lane}.${sessionId}`,
  allWakeUps: (lane: Lane) => `tarsy.sessions.${lane}.*`,
  events: (sessionId: string) => `tarsy.events.${sessionId}`,
  allEvents: "tarsy.events.*",
  feed: (sessionId: string) => `tarsy.feed.${sessionId}`,
  allFeeds: "tarsy.feed.*",
  chunks: (sessionId: string) => `tarsy.chunks.${sessionId}`,
  /** The progress of the tool calls and agents of a session. */
  progress: (sessionId: string) => `tarsy.progress.${sessionId}`,
  snapshot: (sessionId: string) => `tarsy.snapshot.${sessionId}`,
  cancel: (sessionId: string) => `tarsy.cancel.${sessionId}`,
  allCancels: "tarsy.cancel.*",
  /** Something was written for the session's owner. */
  inbox: (sessionId: string) => `tarsy.inbox.${sessionId}`,
  allInboxes: "tarsy.inbox.*",
  /** Wake-ups cannot be stored: executors look for sessions in Postgres while it is repeated. */
  queueRefuses: "tarsy.queue.refuses",
  runbookFetch: "tarsy.runbooks.fetch",
  runbookList: "tarsy.runbooks.list",
  mcpConnect: "tarsy.mcp.connect",
  mcpCallback: "tarsy.mcp.callback",
  toolsList: "tarsy.tools.list",
  toolsCall: "tarsy.tools.call",
  toolsCallOf: (runnerId: string) => `tarsy.tools.call.${runnerId}`,
  toolCancel: (callId: string) => `tarsy.tools.cancel.${callId}`,
  allToolCancels: "tarsy.tools.cancel.*",
  toolsRelease: "tarsy.tools.release",
  /** One per execution, so that its executor subscribes once. */
  toolProgress: (executionId: string) => `tarsy.tools.progress.${executionId}`,
} as const;

/** The last token of a subject, which for every per-session subject is the session's id. */
export function lastToken(subject: string): string {
  return subject.slice(subject.lastIndexOf(".") + 1);
}
