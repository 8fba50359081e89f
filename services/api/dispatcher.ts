import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { readQueueState } from "#shared/bus/executors-durable.ts";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { publishEvent } from "#shared/bus/publish-event.ts";
import { queueAdmin, type QueueAdmin, type QueueState, queuedSessions } from "#shared/bus/queue-admin.ts";
import { request } from "#shared/bus/request.ts";
import { subscribe } from "#shared/bus/subscribe.ts";
import { SessionWaker } from "#shared/bus/session-waker.ts";
import {
  inboxNoticeCodec,
  queueRefusalCodec,
  sessionCancelCodec,
} from "#shared/contracts/session-signals.ts";
import {
  CONNECT_TIMEOUT_MS,
  callbackCodecs,
  connectCodecs,
  type CallbackReply,
  type CallbackRequest,
  type ConnectReply,
} from "#shared/contracts/mcp-connect.ts";
import {
  RUNBOOK_FETCH_MS,
  runbookListReplyCodec,
  runbookListRequestCodec,
} from "#shared/contracts/runbook-requests.ts";
import { busEventCodec, type SessionEvent } from "#shared/contracts/session-event.ts";
import { streamChunkCodec, type StreamChunk } from "#shared/contracts/stream-chunk.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolListReplyCodec, toolListRequestCodec, type ToolListReply } from "#shared/contracts/tool-list.ts";
import { WAKE_UP_QUEUES, type WakeUp, type WakeUpQueue } from "#shared/contracts/wake-up-queue.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ApiMetrics } from "./api-metrics.ts";
import { CatchUp, type Sweep } from "./catch-up.ts";
import type { ApiConfig } from "./config.ts";
import { StreamWatch } from "./stream-watch.ts";
import { WakeUpBursts } from "./wake-up-bursts.ts";

/**
 * What the api sends and receives over the bus. Messages only speed up what the rows already say: while NATS is
 * unavailable no request fails, and the sweeper dispatches later.
 */
export interface Dispatcher extends AsyncDisposable {
  /**
   * Wakes an executor for a new session, in the background. While older sessions may be missing in the stream, a sweep
   * that starts at once does it instead, in the order of their age. A follow-up waits for none of them.
   */
  wake(wakeUp: WakeUp): void;
  /** Wakes an executor for each session. Rejects while NATS is unavailable, or if the stream refuses a wake-up. */
  wakeAll(wakeUps: readonly WakeUp[]): Promise<void>;
  /** Asks the session's owner to stop, in the background. */
  cancel(sessionId: string): void;
  /** Tells the session's owner that its inbox has an entry of this number, in the background. */
  noticeInbox(sessionId: string, inboxSeq: number): void;
  /** Publishes committed events of a session without an owner, in the background. */
  publish(events: readonly SessionEvent[]): void;
  /**
   * Calls `handle` with the number of each event of a session that arrives from now on, until the returned function is
   * called. The bus can lose events; the session's row has the last number. `takeText` gets what agents are writing: each piece after the
   * number of the event that it belongs to.
   */
  follow(
    sessionId: string,
    handle: (seq: number) => void,
    takeText?: (chunk: StreamChunk) => void,
  ): () => void;
  /** To be called at the start of each sweep, before it reads the sessions. */
  startSweep(): Sweep;
  /**
   * The sessions whose wake-up is in a queue, by default that of sessions. Prepares the streams at the start, after a reconnect and after a
   * failure. Rejects while NATS is unavailable.
   */
  queued(queue?: WakeUpQueue): Promise<ReadonlySet<string>>;
  /**
   * The queues whose stream holds wake-ups that its consumer will never deliver. If either is missing, the next sweep
   * starts at once and creates it. Rejects while NATS is unavailable.
   */
  stuckQueues(): Promise<readonly WakeUpQueue[]>;
  /** Recreates a queue's consumer, so that it delivers every wake-up in the stream again. Rejects while NATS is unavailable. */
  recreateQueue(queue: WakeUpQueue): Promise<void>;
  /** The addresses of the runbooks to choose from, as a tool-runner lists them. Rejects if none answers within 12 s. */
  listRunbooks(): Promise<readonly string[]>;
  /** The tools of these servers, as a tool-runner lists them. Rejects if none answers within 12 s. */
  listTools(serverIds: readonly string[]): Promise<ToolListReply>;
  /** Asks a tool-runner to begin to connect an MCP server, or to finish it. Rejects if none answers. */
  connectServer(server: string, redirectUri: string): Promise<ConnectReply>;
  finishConnect(answer: CallbackRequest): Promise<CallbackReply>;
  /** Notices streams that take no message, and makes them anew. */
  readonly streams: Pick<StreamWatch, "look" | "refused">;
  /** Whether the streams and their consumer are there, with all replicas, and take messages. */
  readonly queueState: QueueState;
  /** Rejects with one sentence unless NATS answers. */
  check(): Promise<void>;
}

const TOOL_LIST = { request: toolListRequestCodec, reply: toolListReplyCodec };
const RUNBOOK_LIST = { request: runbookListRequestCodec, reply: runbookListReplyCodec };
/** Longer than the tool-runner waits for the Git host. */
const LIST_TIMEOUT_MS = RUNBOOK_FETCH_MS + 2_000;
/** `flush` has no timeout of its own. */
const FLUSH_TIMEOUT_MS = 2_000;
/** Disposal waits this long for background messages: a dead connection must not delay a stop. */
const DRAIN_TIMEOUT_MS = 2_000;

/** Connects in the background, so that alerts are accepted while NATS is unavailable. */
export function openDispatcher({
  config,
  log,
  metrics,
  signal,
}: {
  readonly config: ApiConfig;
  readonly log: Logger;
  readonly metrics: ApiMetrics;
  readonly signal: AbortSignal;
}): Dispatcher {
  let bus: Bus | undefined;
  let waker: SessionWaker | undefined;
  const background = openBackgroundSends(log);
  const connected = () => assertConnected(bus);
  const wakeCounted = async (wakeUps: readonly WakeUp[]) =>
    catchUp.watch(wakeAndCount(waker, { metrics, streams }, wakeUps));
  const bursts = new WakeUpBursts((wakeUps) =>
    background.start("wake-up", bus, async () => wakeCounted(wakeUps)),
  );
  const admin = openAdmin(config, { log, signal, assertConnected: connected });
  const streams = watchStreams({ admin, log, metrics, onLost: () => catchUp.recover() }, () => bus);
  const catchUp = new CatchUp({
    prepare: () => admin.prepare(),
    send: (wakeUp) => bursts.add(wakeUp),
  });
  const open = async () => {
    bus = await openBus({ url: config.natsUrl, name: "tarsy-api", log, signal });
    waker = new SessionWaker(bus);
    bus.onReconnect(() => catchUp.recover());
    catchUp.requestSweep();
    await catchUp.prepare();
  };
  const opening = open().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ error: errorMessage(error) }, "streams not prepared: sweeper retries");
  });

  return {
    // Messages are dropped while disconnected: the sweep after the reconnect sends them.
    wake: (wakeUp) => void (bus?.isConnected() === true && catchUp.wake(wakeUp)),
    wakeAll: async (wakeUps) => {
      connected();
      await wakeCounted(wakeUps);
    },
    cancel: (sessionId) => background.start("cancel", bus, (live) => sendCancel(live, sessionId)),
    noticeInbox: (sessionId, inboxSeq) =>
      background.start("inbox notice", bus, (live) => sendInboxNotice(live, sessionId, inboxSeq)),
    publish: (events) => {
      if (bus?.isConnected() !== true) return;
      for (const event of events) publishEvent(bus, event);
    },
    follow: (sessionId, handle, takeText) =>
      bus === undefined ? () => undefined : followEvents(bus, sessionId, handle, takeText),
    startSweep: () => catchUp.startSweep(),
    queued: async (queue) => {
      const live = connected();
      await catchUp.prepare();
      await admin.retryReplicas();
      return catchUp.watch(queuedSessions(live, queue));
    },
    stuckQueues: async () => findStuckQueues(connected(), () => catchUp.recover()),
    recreateQueue: (queue) => admin.recreateDurable(queue),
    listRunbooks: async () => listRunbooks(connected()),
    listTools: async (serverIds) => listTools(connected(), serverIds),
    connectServer: async (server, redirect_uri) =>
      request(connected(), SUBJECTS.mcpConnect, connectCodecs, { server, redirect_uri }, CONNECT_TIMEOUT_MS),
    finishConnect: async (answer) =>
      request(connected(), SUBJECTS.mcpCallback, callbackCodecs, answer, CONNECT_TIMEOUT_MS),
    streams,
    get queueState() {
      return streams.state;
    },
    check: async () => connected().check(),
    [Symbol.asyncDispose]: async () => {
      await opening;
      bursts.flush();
      await background.drain();
      waker?.[Symbol.dispose]();
      await bus?.[Symbol.asyncDispose]();
    },
  };
}

async function listRunbooks(bus: Bus): Promise<readonly string[]> {
  const { urls } = await request(bus, SUBJECTS.runbookList, RUNBOOK_LIST, {}, LIST_TIMEOUT_MS);
  return urls;
}

async function listTools(bus: Bus, serverIds: readonly string[]): Promise<ToolListReply> {
  if (serverIds.length === 0) return { tools: [] };
  const body = { session_id: randomUUID(), execution_id: randomUUID(), server_ids: [...serverIds] };
  return request(bus, SUBJECTS.toolsList, TOOL_LIST, body, LIST_TIMEOUT_MS);
}

async function findStuckQueues(bus: Bus, onMissing: () => void): Promise<readonly WakeUpQueue[]> {
  const stuck: WakeUpQueue[] = [];
  for (const queue of WAKE_UP_QUEUES) {
    const state = await readQueueState(bus, queue);
    if (state === "missing") onMissing();
    if (state === "stuck") stuck.push(queue);
  }
  return stuck;
}

function openAdmin(
  config: ApiConfig,
  rest: { readonly log: Logger; readonly signal: AbortSignal; readonly assertConnected: () => void },
): QueueAdmin {
  const { max_concurrent_sessions: maxSessions, max_concurrent_followups: maxFollowups } =
    config.agents.queue;
  return queueAdmin({
    ...rest,
    url: config.natsAdminUrl,
    name: "tarsy-api-streams",
    replicas: config.natsReplicas,
    limits: { maxSessions, maxFollowups },
  });
}

type MessageKind = "wake-up" | "cancel" | "inbox notice";

interface BackgroundSends {
  /** Starts a send; a failure is only logged. While disconnected the message is dropped: queued ones would pile up. */
  start(kind: MessageKind, bus: Bus | undefined, send: (live: Bus) => Promise<void>): void;
  /** Resolves once all started sends have ended, or after `DRAIN_TIMEOUT_MS`. */
  drain(): Promise<void>;
}

function openBackgroundSends(log: Logger): BackgroundSends {
  const pending = new Set<Promise<void>>();
  return {
    start: (kind, bus, send) => {
      if (bus?.isConnected() !== true) return;
      const done = send(bus)
        .catch((error: unknown) => log.warn({ kind, error: errorMessage(error) }, "bus message not sent"))
        .finally(() => pending.delete(done));
      pending.add(done);
    },
    drain: async () => {
      await Promise.race([Promise.all(pending), wait(DRAIN_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

/** Sends the wake-ups and counts their results. Rejects with the first failure. */
async function wakeAndCount(
  waker: SessionWaker | undefined,
  { metrics, streams }: { readonly metrics: ApiMetrics; readonly streams: StreamWatch },
  wakeUps: readonly WakeUp[],
): Promise<void> {
  const results = (await waker?.wake(wakeUps)) ?? [];
  streams.note(wakeUps, results);
  for (const result of results) {
    metrics.wakeups.inc({ result: typeof result === "string" ? result : "failed" });
  }
  const failed = results.find((result) => typeof result !== "string");
  if (failed !== undefined) throw failed;
}

/** Throws one sentence while NATS is not connected. */
function assertConnected(bus: Bus | undefined): Bus {
  if (bus === undefined) throw new Error("NATS has not answered yet");
  if (!bus.isConnected()) throw new Error("NATS is not connected");
  return bus;
}

function watchStreams(
  parts: Omit<ConstructorParameters<typeof StreamWatch>[0], "announce">,
  current: () => Bus | undefined,
): StreamWatch {
  const announce = (streams: readonly string[]) => {
    const bus = current();
    // Core publish, unacknowledged: the next sweep repeats it.
    const notice = queueRefusalCodec.encode({ streams: [...streams] });
    if (bus?.isConnected() === true) bus.connection.publish(SUBJECTS.queueRefuses, notice);
  };
  return new StreamWatch({ ...parts, announce });
}

async function sendCancel(bus: Bus, sessionId: string): Promise<void> {
  // Core publish, unacknowledged: the owner also finds the cancel at its next lease renewal.
  bus.connection.publish(SUBJECTS.cancel(sessionId), sessionCancelCodec.encode({ session_id: sessionId }));
  await Promise.race([bus.flush(), wait(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
}

async function sendInboxNotice(bus: Bus, sessionId: string, inbox_seq: number): Promise<void> {
  // As for a cancel; the owner also learns of it from its next commit.
  bus.connection.publish(
    SUBJECTS.inbox(sessionId),
    inboxNoticeCodec.encode({ session_id: sessionId, inbox_seq }),
  );
  await Promise.race([bus.flush(), wait(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
}

/** Subscribes to a session's events, and to its live text if it is wanted, until the returned function is called. */
function followEvents(
  bus: Bus,
  sessionId: string,
  handle: (seq: number) => void,
  takeText?: (chunk: StreamChunk) => void,
): () => void {
  const events = subscribe(bus, SUBJECTS.events(sessionId), busEventCodec, ({ seq }) => handle(seq));
  const texts =
    takeText === undefined
      ? undefined
      : subscribe(bus, SUBJECTS.chunks(sessionId), streamChunkCodec, takeText);
  return () => {
    events.unsubscribe();
    texts?.unsubscribe();
  };
}
