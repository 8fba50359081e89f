import { useEffect, useMemo, useState } from "preact/hooks";
import { followSession } from "#shared/client/follow-session.ts";
import { TERMINAL_STATUSES } from "#shared/contracts/statuses.ts";
import { api, socketUrl } from "../../api/client.ts";
import { openSocket } from "../../api/sockets.ts";
import { useRemote } from "../../parts/use-remote.ts";
import { isStoredMessage } from "../../session/session-message.ts";
import { endOfStep } from "../../session/steps.ts";

/** A trace is read again at most this often while something happens in its session. */
const RELOAD_MS = 2_000;
/** And this often without the socket. */
const POLL_MS = 10_000;

/** More events than a step has. */
const MAX_STEP_EVENTS = 200;

const ENDED: ReadonlySet<string> = new Set(TERMINAL_STATUSES);

/**
 * The trace of a session with the session itself, read again while it runs and when questions, scores or reviews follow its end; or
 * both as they were at event `at`.
 */
export function useTrace(id: string, at?: number) {
  const [poll, setPoll] = useState<number>();
  const remote = useRemote(
    `${id} ${at}`,
    async (signal) => {
      const moment = at === undefined ? undefined : await momentOf(id, at, signal);
      const request = { params: { id }, query: moment === undefined ? {} : { at_seq: moment.seq }, signal };
      const [session, trace] = await Promise.all([
        api.call("GET /api/v1/sessions/:id", request),
        api.call("GET /api/v1/sessions/:id/trace", request),
      ]);
      return { session, trace, readAt: moment?.time ?? Date.now() };
    },
    { every: poll },
  );
  const { value, reload } = remote;
  const isRunning = value !== undefined && at === undefined && !ENDED.has(value.session.status);
  const isRead = value !== undefined && at === undefined;
  // The events tell of changes once: a reading that failed is repeated without another one.
  useEffect(() => {
    if (remote.error !== undefined && isRead) setPoll(POLL_MS);
  }, [remote.error, isRead]);
  const afterSeq = value?.session.last_seq ?? 0;
  const firstSeq = useMemo(() => afterSeq, [isRead, id]);
  useEffect(() => {
    setPoll(undefined);
    if (!isRead) return undefined;
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reloadSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, RELOAD_MS);
    };
    const follow = async () => {
      try {
        await followSession({
          url: socketUrl(),
          sessionId: id,
          afterSeq: firstSeq,
          followsAll: true,
          open: openSocket,
          // A chunk of text changes no row of the trace.
          onMessage: (message) => {
            if (typeof message["seq"] === "number") reloadSoon();
          },
          signal: stopping.signal,
        });
      } catch {
        // Without the socket the trace is as current as the latest reading.
        if (!stopping.signal.aborted) setPoll(POLL_MS);
      }
    };
    void follow();
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [id, isRead, firstSeq, reload]);
  return { ...remote, isRunning };
}

/** The end of the step that an event belongs to, and when it was committed, by which what ran then is drawn. */
async function momentOf(id: string, at: number, signal: AbortSignal) {
  const query = { after_seq: at - 1, limit: MAX_STEP_EVENTS };
  const page = await api.call("GET /api/v1/sessions/:id/events", { params: { id }, query, signal });
  const read: readonly unknown[] = page?.events ?? [];
  const events = read.filter(isStoredMessage);
  const [event] = events;
  const time = event === undefined ? undefined : Date.parse(event.timestamp);
  return { seq: endOfStep(events, at), time };
}
