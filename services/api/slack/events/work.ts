import { AccessRefused } from "#shared/access/access-refused.ts";
import { isDatabaseUnavailable } from "#shared/database/connection/database-unavailable.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import { jitter, pause } from "#shared/pause.ts";
import type { Caller } from "../../http/caller.ts";
import { RequestError } from "../../http/request-error.ts";
import { DeedRefused, type Deed, type Done } from "../effects/effect.ts";
import { handleMentions } from "../effects/mention.ts";
import { handlePresses } from "../effects/press.ts";
import { handleReactions } from "../effects/reaction.ts";
import type { SlackDeps } from "../slack-deps.ts";
import { EventLost, claimEvents, postponeEvent, settleEvent, type ClaimedEvent } from "./event-store.ts";

const PARALLEL = 4;
/** Half of the lease: nothing is called any more when it expires. */
const EFFECT_MS = 30_000;
const RETRIES = { firstMs: 5_000, lastMs: 5 * 60_000 };
/** What is busy is tried again for so long; then the author reads why. */
const BUSY_MS = 10 * 60_000;
const GIVE_UP_MS = 24 * 60 * 60_000;

interface WorkOptions {
  readonly everyMs: number;
  /** Resolves when an event has been stored, or the signal aborts. */
  readonly stored: (signal: AbortSignal) => Promise<void>;
}

/**
 * Until `signal` aborts: does what the stored events ask for, each once. Any number of apis may do so. The effect of an event and its
 * settlement are one transaction; where the effect has a transaction of its own, its key is that of the event. Never rejects.
 */
export async function workOnEvents(
  deps: SlackDeps,
  options: WorkOptions,
  signal: AbortSignal,
): Promise<void> {
  const { db, log } = deps;
  const handle = openHandler(deps);
  while (!signal.aborted) {
    const claimed = await claimEvents(db, PARALLEL).catch((error: unknown) => {
      if (!signal.aborted) {
        log.warn({ error: errorMessage(error) }, "no events of Slack can be taken: retrying");
      }
      return [];
    });
    await Promise.all(claimed.map(async (event) => handle(event, signal)));
    if (claimed.length > 0) continue;
    const waiting = new AbortController();
    const ends = AbortSignal.any([waiting.signal, signal]);
    await Promise.race([
      pause(jitter(options.everyMs), ends).catch(() => undefined),
      options.stored(ends).catch(() => undefined),
    ]);
    waiting.abort();
  }
}

/** Returns what handles one event. Never rejects. */
function openHandler(deps: SlackDeps): (event: ClaimedEvent, signal: AbortSignal) => Promise<void> {
  const { audit, log } = deps;
  const perform = openEffects(deps);
  return async (event, stop) => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(EFFECT_MS)]);
    const who: { caller?: Caller } = {};
    try {
      const { action, sessionId, detail } = await perform(event, signal, who);
      audit.record({
        action,
        result: "allowed",
        identity: who.caller?.identity,
        peer: "slack",
        sessionId,
        detail: { ...detail, event_key: event.event_key },
      });
      log.info({ action, session_id: sessionId, kind: event.payload.kind }, "event of Slack handled");
    } catch (error) {
      if (error instanceof EventLost) return log.warn({ id: event.id }, error.message);
      await failed(event, error, { ...deps, caller: who.caller }).catch((again: unknown) => {
        if (!stop.aborted) {
          log.warn({ id: event.id, error: errorMessage(again) }, "event of Slack left to its next attempt");
        }
      });
    }
  };
}

function openEffects(deps: SlackDeps) {
  const [mention, reaction, press] = [handleMentions(deps), handleReactions(deps), handlePresses(deps)];
  const { people } = deps;
  return async (event: ClaimedEvent, signal: AbortSignal, who: { caller?: Caller }): Promise<Done> => {
    const { actor, payload: deed } = event;
    if (deed.kind === "channel_gone") return closeChannel(event, deed.channel, deps);
    const { channel } = deed;
    // An approval counts only of someone who is here now.
    const identity = await people.identify({ actor, channel }, { fresh: deed.kind === "press" }, signal);
    if (typeof identity === "string") {
      throw new DeedRefused(ACTIONS[deed.kind], identity);
    }
    const caller: Caller = { identity, peer: "slack", channel: "slack" };
    who.caller = caller;
    const common: Omit<Deed, "deed"> = { event, caller, signal };
    switch (deed.kind) {
      case "mention":
        return mention({ ...common, deed });
      case "reaction":
        return reaction({ ...common, deed });
      case "press":
        return press({ ...common, deed });
      default:
        return deed satisfies never;
    }
  };
}

/** The action of the audit log where it is not known yet what would be done. */
const ACTIONS = { mention: "session.read", reaction: "session.review", press: "session.read" } as const;

async function closeChannel(event: ClaimedEvent, channel: string, { db }: SlackDeps): Promise<Done> {
  await db.transaction(async (transaction) => {
    await transaction.query("UPDATE slack_threads SET is_live = false WHERE channel = $1 AND is_live", [
      channel,
    ]);
    await settleEvent(transaction, event, { state: "done" });
  });
  return { action: "session.read", detail: { channel } };
}

async function failed(
  event: ClaimedEvent,
  error: unknown,
  deps: SlackDeps & { readonly caller: Caller | undefined },
): Promise<void> {
  const { db, log } = deps;
  const why = errorMessage(error);
  // A button is pressed again, if at all, by the person.
  const status = statusOf(error);
  const isBusy = status === 429 || (status === 409 && event.payload.kind === "mention");
  if (status !== undefined && (!isBusy || event.age_ms > BUSY_MS)) return refuse(event, error, deps);
  const isHopeless = !isBusy && error instanceof TerminalError && !isDatabaseUnavailable(error);
  if (isHopeless || event.age_ms > GIVE_UP_MS) {
    log.error({ id: event.id, error: why }, "event of Slack given up");
    return settleEvent(db, event, { state: "dead", error: why });
  }
  const ms = Math.min(RETRIES.lastMs, RETRIES.firstMs * 2 ** (event.attempts - 1));
  if (!isBusy) {
    log.warn({ id: event.id, error: why, attempts: event.attempts }, "event of Slack not handled: retrying");
  }
  await postponeEvent(db, event, ms, why);
}

async function refuse(
  event: ClaimedEvent,
  error: unknown,
  { db, audit, caller }: SlackDeps & { readonly caller: Caller | undefined },
): Promise<void> {
  const { actor, payload: deed } = event;
  const why = errorMessage(error);
  const refused = error instanceof DeedRefused ? error : undefined;
  const isInThread = deed.kind !== "mention" || deed.is_reply;
  await settleEvent(db, event, {
    state: "refused",
    error: why.slice(0, 500),
    // Anyone may put a thumb on a message.
    ...(deed.kind === "reaction"
      ? {}
      : {
          awaits: "text" as const,
          result: {
            channel: deed.channel,
            user: actor,
            text: `Not done: ${why}.`,
            ...(isInThread ? { thread: deed.thread } : {}),
          },
        }),
  });
  audit.record({
    action: refused?.action ?? (deed.kind === "channel_gone" ? "session.read" : ACTIONS[deed.kind]),
    result: "refused",
    identity: caller?.identity,
    // Each member has a share of what is recorded.
    peer: `slack:${actor}`,
    sessionId: refused?.sessionId ?? caller?.sessionId,
    detail: { reason: why, actor, event_key: event.event_key },
  });
}

/** Why it was refused, as a status; undefined for a failure. */
function statusOf(error: unknown): number | undefined {
  const isKnown =
    error instanceof RequestError || error instanceof AccessRefused || error instanceof DeedRefused;
  return isKnown && error.status < 500 ? error.status : undefined;
}
