import { EventEmitter, once } from "node:events";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { checkedLookup } from "#shared/egress/checked-lookup.ts";
import { isMetadataAddress } from "#shared/egress/is-metadata-address.ts";
import { errorMessage, TerminalError } from "#shared/errors.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import { rulesOfAlerts } from "#shared/masking/masking-rules.ts";
import { backoff, jitter, pause } from "#shared/pause.ts";
import { openSubmitter } from "../alerts/open-submitter.ts";
import type { ApiDeps } from "../api-deps.ts";
import { Outbound } from "../notifications/http/outbound.ts";
import type { SlackSettings } from "../notifications/read-settings.ts";
import { SlackApi, SlackError, isRefusedApp } from "../notifications/slack/slack-api.ts";
import { storeEvent } from "./events/event-store.ts";
import type { ExternalEvent } from "./events/external-event.ts";
import { readEnvelope, type SlackApp, readMention } from "./events/read-envelope.ts";
import { workOnEvents } from "./events/work.ts";
import { People } from "./people.ts";
import type { SlackDeps } from "./slack-deps.ts";
import { keepSocket, SocketRefused, type Envelope } from "./socket/slack-socket.ts";
import { followThrough } from "./talk/follow-through.ts";
import { flushLiveMessages } from "./talk/live-messages.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { readMessages } from "../notifications/slack/read-messages.ts";

const WITHIN_MS = 60 * 60_000;
const MAX_THREADS = 100;

const parseThread = compileParser("thread", Type.Object({ channel: Type.String(), thread: Type.String() }));
const RECENT = `
SELECT channel, thread_ts AS thread FROM slack_threads WHERE touched_at > now() - interval '1 hour' OR is_live
ORDER BY touched_at DESC LIMIT ${MAX_THREADS}`;

/**
 * Reads the mentions of the last hour in the newest threads, and passes them on: Slack forgets what it could not deliver. What was received
 * is known by its key. Rejects with SlackError and what `store` rejects with.
 */
async function recoverMentions(
  { db, slack, app }: { readonly db: Queryable; readonly slack: SlackApi; readonly app: SlackApp },
  store: (event: ExternalEvent) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const sinceMs = Date.now() - WITHIN_MS;
  for (const where of await selectRows(db, parseThread, RECENT, [])) {
    try {
      for await (const message of readMessages(slack, { ...where, sinceMs }, signal)) {
        if (message.text?.includes(`<@${app.bot}>`) !== true) continue;
        const event = readMention({ ...message, channel: where.channel }, app);
        if (event !== undefined) await store(event);
      }
    } catch (error) {
      // Of a thread or a channel that is gone there is nothing to find; the others are read.
      if (!(error instanceof SlackError) || error.code === undefined || isRefusedApp(error)) throw error;
    }
  }
}

const TIMEOUT_MS = 10_000;
/** What is to be done or said is looked for at most so long after it is due. */
const POLL_EVERY_MS = 1_000;
const RETRIES = { firstMs: 1_000, lastMs: 60_000 };
/** Between tries of an app that Slack refuses. */
const REFUSED_MS = 5 * 60_000;

const parseSelf = compileParser(
  "app of Slack",
  Type.Object({ user_id: Type.String(), team_id: Type.String() }),
);
const parseTicket = compileParser("connection of Slack", Type.Object({ url: Type.String() }));

interface Times {
  readonly everyMs: number;
  readonly refusedMs: number;
}

/**
 * Until `signal` aborts: takes what people do in Slack, does it, and keeps the messages about sessions up to date. Every api does so; Slack
 * sends each event to one of the connections, and the rows make a second one harmless. Never rejects.
 */
export async function listenToSlack(
  deps: ApiDeps,
  signal: AbortSignal,
  { everyMs = POLL_EVERY_MS, refusedMs = REFUSED_MS }: Partial<Times> = {},
): Promise<void> {
  const settings = deps.config.notifications.slack;
  const listening = settings?.listening;
  if (settings === undefined || listening === undefined) return;
  await using outbound = new Outbound();
  const slack = new SlackApi(settings, outbound);
  const app = await whoAmI(slack, { ...deps, refusedMs }, signal);
  if (app === undefined) return;
  const people = new People({ slack, team: app.team, settings: listening });
  const all = { ...deps, slack, app, settings: listening, people, submitter: openSubmitter(deps) };
  const stored = new EventEmitter();
  stored.setMaxListeners(0);
  const store = async (event: ExternalEvent) => {
    await storeMasked(event, all);
    stored.emit("event");
  };
  await Promise.all([
    keepSocket(socketDeps({ ...all, outbound, store }, settings, signal), signal),
    workOnEvents(
      all,
      { everyMs, stored: async (until) => void (await once(stored, "event", { signal: until })) },
      signal,
    ),
    talk({ ...all, everyMs, refusedMs }, signal),
  ]);
}

/** Undefined once the signal aborts. */
async function whoAmI(
  slack: SlackApi,
  { log, refusedMs }: Pick<ApiDeps & Times, "log" | "refusedMs">,
  signal: AbortSignal,
): Promise<SlackApp | undefined> {
  for (let retry = 1; !signal.aborted; retry += 1) {
    try {
      const call = { method: "auth.test", timeoutMs: TIMEOUT_MS, arguments: {} } as const;
      const { user_id, team_id } = await slack.call(call, parseSelf, signal);
      return { bot: user_id, team: team_id };
    } catch (error) {
      if (signal.aborted) break;
      log.warn({ error: errorMessage(error) }, "Slack does not know the app: retrying");
      const ms = isRefusedApp(error) ? refusedMs : backoff(retry, RETRIES);
      await pause(ms, signal).catch(() => undefined);
    }
  }
  return undefined;
}

/** The texts are masked before they are stored, and again with the session's key. */
async function storeMasked(event: ExternalEvent, { config, db, masker }: SlackDeps): Promise<void> {
  const { deed } = event;
  if (deed.kind !== "mention") return storeEvent(db, event);
  const rules = rulesOfAlerts(config.agents.defaults.alert_masking);
  const text = await maskOrWithhold(masker, deed.text, rules);
  return storeEvent(db, { ...event, deed: { ...deed, text } });
}

interface Storing extends SlackDeps {
  readonly outbound: Outbound;
  readonly store: (event: ExternalEvent) => Promise<void>;
}

function socketDeps(deps: Storing, { apiUrl }: SlackSettings, signal: AbortSignal) {
  const { app, log, outbound, settings, store } = deps;
  const opener = new SlackApi({ token: settings.appToken, apiUrl }, outbound);
  const refusal = (why: string, options?: ErrorOptions) => new Error(why, options);
  let recovering = Promise.resolve();
  return {
    log,
    lookup: checkedLookup({ isBlocked: isMetadataAddress, blocked: "not allowed", refusal }),
    openTicket: async (until: AbortSignal) => openTicket(opener, until),
    store: async (envelope: Envelope) => {
      const event = readSafely(envelope, app, log);
      if (event !== undefined) await store(event);
    },
    onConnected: () => {
      log.info({}, "connected to Slack");
      recovering = recovering.then(async () =>
        recoverMentions(deps, store, signal).catch((error: unknown) => {
          if (!signal.aborted) log.warn({ error: errorMessage(error) }, "mentions in Slack not looked for");
        }),
      );
    },
  };
}

async function openTicket(opener: SlackApi, signal: AbortSignal): Promise<URL> {
  const call = { method: "apps.connections.open", timeoutMs: TIMEOUT_MS, arguments: {} } as const;
  const { url } = await opener.call(call, parseTicket, signal).catch(async (error: unknown) => {
    if (isRefusedApp(error)) throw new SocketRefused(errorMessage(error));
    const delivery = error instanceof SlackError ? error.delivery : undefined;
    if (delivery?.outcome === "failed") await pause(Math.min(delivery.retryAfterMs ?? 0, REFUSED_MS), signal);
    throw error;
  });
  return new URL(url);
}

/** An event of another form is acknowledged, because it would be the same when it is repeated. */
function readSafely(envelope: Envelope, app: SlackApp, log: ApiDeps["log"]): ExternalEvent | undefined {
  try {
    return readEnvelope(envelope, app);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    log.warn({ error: error.message }, "event of Slack in another form");
    return undefined;
  }
}

/** Never rejects. */
async function talk(deps: SlackDeps & Times, signal: AbortSignal): Promise<void> {
  const { config, db, everyMs, log, refusedMs, slack } = deps;
  const { pageUrl } = config.notifications;
  while (!signal.aborted) {
    let waitMs = jitter(everyMs);
    try {
      await followThrough({ db, slack }, signal);
      await flushLiveMessages({ db, slack, pageUrl }, signal);
    } catch (error) {
      if (signal.aborted) break;
      log.warn({ error: errorMessage(error) }, "nothing can be said in Slack: retrying");
      waitMs = isRefusedApp(error) ? refusedMs : backoff(1, RETRIES);
    }
    await pause(waitMs, signal).catch(() => undefined);
  }
}
