import { uuidV7 } from "#shared/uuid-v7.ts";
import { authorize, maySee, ownerOf } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { textsOfChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { SESSION_LANES, type SessionLane } from "#shared/contracts/subjects.ts";
import { keepTexts } from "#shared/database/keep-texts.ts";
import { configKeeper, storedConfig, type StoredConfig } from "#shared/database/resolved-configs.ts";
import { rulesOfAlerts } from "#shared/masking/masking-rules.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { traceCarrier } from "#shared/telemetry/tracing.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { ApiConfig } from "../config.ts";
import type { GroupedResult } from "../incidents/grouped-alert.ts";
import { openGrouping } from "../incidents/open-grouping.ts";
import type { SourceIncident } from "../incidents/group-of-alert.ts";
import { auditedAs, type Caller } from "../http/caller.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { abbreviate, validationError } from "../http/request-error.ts";
import type { AlertRequest } from "./contract.ts";
import { checkAlert, type CheckedAlert } from "./check-alert.ts";
import { openSelection } from "./open-selection.ts";
import { maskAlerts, type MaskedAlert } from "./mask-alert.ts";
import { insertSession } from "./insert-session.ts";
import { notifyPlans } from "../notifications/notify-plans.ts";
import type { NewSession } from "./new-session.ts";
import { SessionInserts } from "./session-inserts.ts";
import { SubmissionRate } from "./submission-rate.ts";
import { sessionNotice } from "./session-notice.ts";
import type { SubmissionKey } from "./submission-key.ts";

/** An alert to investigate, from whichever route. */
export interface Submission {
  readonly request: AlertRequest;
  readonly identity: Identity;
  /** Shown as the session's author; by default the identity's name. */
  readonly author?: string;
  /** The client's address, if it is known. */
  readonly peer: string | undefined;
  readonly channel?: Caller["channel"];
  /** The key by which a repetition is recognised. Called after all checks of the request. */
  readonly keyOf: () => SubmissionKey | undefined;
  /** What the source says of the alert's incident; absent where the form of the alerts is not known. */
  readonly incident?: SourceIncident | undefined;
  /** What the source's mapping says; the alert's own one goes before it, the chain's after it. */
  readonly mappedPriority?: SessionLane | undefined;
}

/** What became of a submission. */
export interface Submitted {
  /** Null if no session was started and the alert joined none, or none that the caller may see. */
  readonly sessionId: string | null;
  /** A session was started, the alert belongs to the session of its incident, or it says that one is over that no session is about. */
  readonly status: "queued" | "linked" | "resolved";
  /** It repeats an earlier submission with the same key. */
  readonly isReplayed: boolean;
  /** Masking failed, so nothing of the alert's text was stored. */
  readonly isWithheld: boolean;
}

/** What the routes that take alerts share: their limits, and how an alert becomes a session. */
export interface Submitter {
  readonly rate: SubmissionRate;
  readonly bodies: BodyBudget;
  /**
   * Resolves once the alert is committed, with a session of its own or in that of its incident, and wakes an executor in the
   * background. Throws RequestError 400, 413, 422 or 503, and database errors.
   */
  submit(submission: Submission): Promise<Submitted>;
  /** The same for what says that an incident is over; undefined, and nothing is stored, if such alerts are not grouped. */
  submitResolved(
    submission: Submission & { readonly incident: SourceIncident },
  ): Promise<Submitted | undefined>;
  /** What would be submitted, masked, with its chain and priority. Nothing is stored. Throws what `submit` throws. */
  preview(
    request: AlertRequest,
    identity: Identity,
  ): Promise<{
    readonly alert: CheckedAlert & MaskedAlert;
    readonly chain: ResolvedChain;
    readonly lane: SessionLane;
  }>;
  /** Makes a key stand for a session, unless it stands for one already. */
  alias(key: SubmissionKey, sessionId: string): Promise<void>;
}

const ALIAS = `
INSERT INTO idempotency_keys AS existing (key, session_id, request_hash, expires_at)
SELECT $1, session_id, $3, now() + make_interval(hours => $4) FROM alert_sessions WHERE session_id = $2
ON CONFLICT (key) DO UPDATE SET session_id = excluded.session_id, expires_at = excluded.expires_at
WHERE existing.expires_at <= now()`;

/** Prepares the submission of alerts: once for a process, because its limits hold for all routes together. */
export function openSubmitter(deps: ApiDeps): Submitter {
  const { config, db, masker, log } = deps;
  const resolved = cacheResolvedChains(config);
  const select = openSelection(config.agents);
  const chainFor = ({ alertType, mcp }: CheckedAlert) => {
    if (mcp === null) return resolved(alertType);
    const standard = resolved(alertType, mcp.servers.length > 0);
    const chain = select(standard.chain, mcp);
    return { ...stored(chain), notice: sessionNotice(chain, config) };
  };
  const texts = new Map([...config.agents.skills.values()].map((skill) => [skill.hash, skill]));
  const keepConfig = configKeeper(db);
  const inserts = new SessionInserts(db);
  const grouping = openGrouping(deps);
  const plans = notifyPlans(config.notifications);
  const mask = maskAlerts({ masker, rules: rulesOfAlerts(config.agents.defaults.alert_masking), log });
  const record = openRecorder(deps);
  const submitOne = async (submission: Submission, needsGroup: boolean): Promise<Submitted | undefined> => {
    const { request, identity, author, peer, channel, keyOf, incident } = submission;
    const asked = askedPriority(request, identity);
    const alert = checkAlert(request, config);
    const lane = asked ?? submission.mappedPriority ?? alert.chainPriority;
    // After all other checks, so that a rejected request does not use up its key.
    const key = keyOf();
    const group = await grouping.groupOf(alert, incident);
    if (group === undefined && needsGroup) return undefined;
    const masked = await mask(alert);
    const notify = masked.slackFingerprint === null ? plans.usual : plans.fromSlack;
    const session = newSession(
      masked,
      { identity, author, peer, channel, lane },
      { ...chainFor(masked), notify },
    );
    await keepConfig(session.config);
    await keepTexts(
      db,
      session.textHashes.flatMap((hash) => texts.get(hash) ?? []),
    );
    const source = incident?.source ?? "alert";
    const result =
      group === undefined
        ? ownSession(await insertSession({ db, inserts }, session, key), session)
        : await grouping.insert({ group, session, key, identity, source }, alert.data);
    record(result, { identity, peer, channel, lane });
    const { sessionId, outcome, access } = result;
    return {
      sessionId: sessionId !== null && maySee(identity, access) ? sessionId : null,
      status: statusOf(outcome),
      isReplayed: outcome === "replayed",
      isWithheld: masked.isWithheld,
    };
  };
  return {
    rate: new SubmissionRate(config.submissionsPerMinute),
    bodies: new BodyBudget(config.bodyBytesInFlight),
    submit: async (submission) => assertSubmitted(await submitOne(submission, false)),
    submitResolved: async (submission) => submitOne(submission, true),
    preview: async (request, identity) => {
      const lane = askedPriority(request, identity);
      const alert = await mask(checkAlert(request, config));
      return { alert, chain: chainFor(alert).chain, lane: lane ?? alert.chainPriority };
    },
    alias: async ({ key, requestHash, keptHours = 24 }, sessionId) => {
      await db.query(ALIAS, [key, sessionId, requestHash, keptHours]);
    },
  };
}

/** Counts what became of an alert, records it in the audit log, and wakes an executor for a session that was started. */
function openRecorder({ dispatcher, metrics, audit, places }: ApiDeps) {
  return (
    { outcome, sessionId: found, effect }: GroupedResult,
    { lane, peer, ...by }: Pick<Submission, "identity" | "peer" | "channel"> & { readonly lane: SessionLane },
  ) => {
    const entry = { action: "alert.submit", identity: auditedAs(by), peer, sessionId: found ?? undefined };
    if (outcome === "replayed") {
      metrics.replayed.inc();
      return audit.record({ ...entry, result: "repeated" });
    }
    metrics.accepted.inc();
    if (outcome !== "opened" && outcome !== "reopened") {
      return audit.record({ ...entry, result: outcome, ...(effect === null ? {} : { detail: { effect } }) });
    }
    // Wake-ups are sent at the end of this turn of the event loop, and all of this comes after the answer.
    if (found !== null) dispatcher.wake({ sessionId: found, lane });
    setImmediate(() => {
      if (lane === "critical") places.look();
      audit.logOnly({ ...entry, result: "allowed" });
    });
  };
}

function assertSubmitted(submitted: Submitted | undefined): Submitted {
  if (submitted !== undefined) return submitted;
  throw new Error("an alert was neither grouped nor given a session");
}

function statusOf(outcome: GroupedResult["outcome"]): Submitted["status"] {
  if (outcome === "linked" || outcome === "counted") return "linked";
  return outcome === "unknown" ? "resolved" : "queued";
}

/** The result of an alert that belongs to no group. Its key is the submitter's own, so is the session. */
function ownSession(
  { sessionId, isReplayed }: { readonly sessionId: string; readonly isReplayed: boolean },
  { owner, teams }: NewSession,
): GroupedResult {
  return {
    outcome: isReplayed ? "replayed" : "opened",
    sessionId,
    access: { owner_subject: owner, teams },
    effect: null,
  };
}

function newSession(
  alert: CheckedAlert & MaskedAlert,
  {
    identity,
    author,
    peer,
    channel,
    lane,
  }: Pick<Submission, "identity" | "peer" | "channel"> & {
    readonly author: string | undefined;
    readonly lane: SessionLane;
  },
  { chain, config, textHashes, notice, notify }: ChainToStore & Pick<NewSession, "notify">,
): NewSession {
  const data = postgresSafeText(alert.data);
  const metadata = {
    ...(notice === null ? {} : { notice }),
    ...(alert.isWithheld
      ? { alert_withheld: "masking failed, so nothing of the alert's text was stored" }
      : {}),
    ...(Object.keys(alert.maskCounts).length === 0 ? {} : { masked: alert.maskCounts }),
    ...(data.changed
      ? { alert_data_changed: "characters that cannot be stored were replaced by U+FFFD" }
      : {}),
  };
  return {
    // Version 7: ids that rise with time keep the indexes' newest pages in memory, and sessions of one commit in order.
    sessionId: uuidV7(),
    data: data.text,
    alertType: alert.alertType,
    lane,
    author: author ?? identity.name,
    owner: ownerOf(identity),
    submitter: { ...auditedAs({ identity, channel }), peer: peer ?? null },
    teams: alert.teams,
    runbook: alert.runbook === null ? null : postgresSafeText(alert.runbook).text,
    slackFingerprint: alert.slackFingerprint === null ? null : postgresSafeText(alert.slackFingerprint).text,
    notify,
    mcpSelection: alert.mcp === null ? null : postgresSafeJson(alert.mcp),
    chainId: chain.chain_id,
    config,
    textHashes,
    metadata: Object.keys(metadata).length === 0 ? null : postgresSafeJson(metadata),
    maskKey: alert.maskKey,
    maskedValues: alert.maskedValues,
    traceContext: traceCarrier() ?? null,
  };
}

interface ChainToStore {
  readonly chain: ResolvedChain;
  readonly config: StoredConfig;
  readonly textHashes: readonly string[];
  readonly notice: string | null;
}

/**
 * Resolves each alert type once, and once more for alerts that select servers: the configuration does not change while the
 * process runs.
 */
function cacheResolvedChains(
  config: ApiConfig,
): (alertType: string, selectsServers?: boolean) => ChainToStore {
  const caches = { standard: new Map<string, ChainToStore>(), selected: new Map<string, ChainToStore>() };
  return (alertType, selectsServers = false) => {
    const cache = selectsServers ? caches.selected : caches.standard;
    const cached = cache.get(alertType);
    if (cached !== undefined) return cached;
    const chain = resolveChain(config.agents, alertType, selectsServers);
    const entry = { ...stored(chain), notice: sessionNotice(chain, config) };
    cache.set(alertType, entry);
    return entry;
  };
}

function stored(chain: ResolvedChain): Omit<ChainToStore, "notice"> {
  return {
    chain,
    config: storedConfig(chain),
    textHashes: textsOfChain(chain),
  };
}

/**
 * The priority that an alert asks for; undefined if it asks for none. A critical session can have others parked, so only operators ask for
 * it; what an administrator has configured for a source or a chain needs no role. Throws RequestError 400 and AccessRefused 403.
 */
function askedPriority({ priority }: AlertRequest, identity: Identity): SessionLane | undefined {
  if (priority === undefined || priority === null || priority === "") return undefined;
  const known = SESSION_LANES.find((lane) => lane === priority);
  if (known === undefined) {
    throw validationError("priority", `unknown priority '${abbreviate(priority)}'`, [...SESSION_LANES]);
  }
  if (known === "critical") authorize(identity, "alert.submit_critical");
  return known;
}
