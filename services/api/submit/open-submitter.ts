import { v7 as uuidV7 } from "uuid";
import { ownerOf } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { knownAlertTypes, findChain } from "#shared/agent-config/find-chain.ts";
import { runbookHosts } from "#shared/agent-config/runbook-hosts.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import {
  hashResolvedChain,
  storedChain,
  textsOfChain,
  type ResolvedChain,
} from "#shared/contracts/resolved-chain.ts";
import type { SessionLane } from "#shared/contracts/subjects.ts";
import { keepTexts } from "#shared/database/keep-texts.ts";
import { rulesOfAlerts } from "#shared/masking/masking-rules.ts";
import { isRunbookAddress, runbookAddress } from "#shared/runbooks/runbook-address.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { traceCarrier } from "#shared/telemetry/tracing.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { ApiConfig } from "../config.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { RequestError, abbreviate, validationError } from "../http/request-error.ts";
import type { AlertRequest } from "./alert-request.ts";
import { openSelection } from "./open-selection.ts";
import { maskAlerts, type MaskedAlert } from "./mask-alert.ts";
import { insertSession } from "./insert-session.ts";
import type { NewSession } from "./new-session.ts";
import { SessionInserts } from "./session-inserts.ts";
import { askedPriority } from "./asked-priority.ts";
import { SubmissionRate } from "./submission-rate.ts";
import { sessionNotice } from "./session-notice.ts";
import type { SubmissionKey } from "./submission-key.ts";

export const MAX_DATA_BYTES = 1_048_576;

/** An alert to investigate, from whichever route. */
interface Submission {
  readonly request: AlertRequest;
  readonly identity: Identity;
  /** Shown as the session's author; by default the identity's name. */
  readonly author?: string;
  /** The client's address, if it is known. */
  readonly peer: string | undefined;
  /** The key by which a repetition is recognised, of an alert of this type. Called after all checks of the request. */
  readonly keyOf: (alertType: string) => SubmissionKey | undefined;
  /** What the source's mapping says; the alert's own one goes before it, the chain's after it. */
  readonly mappedPriority?: SessionLane | undefined;
}

/** What became of a submission. */
export interface Submitted {
  readonly sessionId: string;
  /** The session is that of an earlier submission with the same key. */
  readonly isReplayed: boolean;
  /** Masking failed, so nothing of the alert's text was stored. */
  readonly isWithheld: boolean;
}

/** What the routes that take alerts share: their limits, and how an alert becomes a session. */
export interface Submitter {
  readonly rate: SubmissionRate;
  readonly bodies: BodyBudget;
  /**
   * Resolves once the session is committed, and wakes an executor in the background. Throws RequestError 400, 413, 422 or 503, and
   * database errors.
   */
  submit(submission: Submission): Promise<Submitted>;
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
  const { config, db, dispatcher, metrics, audit, masker, log, places } = deps;
  const resolved = cacheResolvedChains(config);
  const select = openSelection(config.agents);
  const chainFor = ({ alertType, mcp }: CheckedAlert) => {
    if (mcp === null) return resolved(alertType);
    const standard = resolved(alertType, mcp.servers.length > 0);
    const chain = select(standard.chain, mcp);
    return { ...stored(chain), notice: sessionNotice(chain, config.stubbedServers) };
  };
  const texts = new Map([...config.agents.skills.values()].map((skill) => [skill.hash, skill]));
  const inserts = new SessionInserts(db);
  const mask = maskAlerts({ masker, rules: rulesOfAlerts(config.agents.defaults.alert_masking), log });
  const submit = async (submission: Submission): Promise<Submitted> => {
    const { request, identity, author, peer, keyOf } = submission;
    const asked = askedPriority(request, identity);
    const alert = checkAlert(request, config);
    const lane = asked ?? submission.mappedPriority ?? alert.chainPriority;
    // After all other checks, so that a rejected request does not use up its key.
    const key = keyOf(alert.alertType);
    const masked = await mask(alert);
    const session = newSession(masked, { identity, author, peer, lane }, chainFor(alert));
    await keepTexts(
      db,
      session.textHashes.flatMap((hash) => texts.get(hash) ?? []),
    );
    const { sessionId, isReplayed } = await insertSession({ db, inserts }, session, key);
    if (isReplayed) {
      metrics.replayed.inc();
      audit.record({ action: "alert.submit", result: "repeated", identity, peer, sessionId });
    } else {
      dispatcher.wake({ sessionId, lane });
      if (lane === "critical") places.look();
      metrics.accepted.inc();
      audit.logOnly({ action: "alert.submit", result: "allowed", identity, peer, sessionId });
    }
    return { sessionId, isReplayed, isWithheld: masked.isWithheld };
  };
  return {
    rate: new SubmissionRate(config.submissionsPerMinute),
    bodies: new BodyBudget(config.bodyBytesInFlight),
    submit,
    alias: async ({ key, requestHash, keptHours = 24 }, sessionId) => {
      await db.query(ALIAS, [key, sessionId, requestHash, keptHours]);
    },
  };
}

function newSession(
  alert: CheckedAlert & MaskedAlert,
  {
    identity,
    author,
    peer,
    lane,
  }: Pick<Submission, "identity" | "peer"> & {
    readonly author: string | undefined;
    readonly lane: SessionLane;
  },
  { chain, json, hash, textHashes, notice }: ChainToStore,
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
    submitter: { subject: identity.subject, via: identity.via, peer: peer ?? null },
    teams: alert.teams,
    runbook: alert.runbook === null ? null : postgresSafeText(alert.runbook).text,
    slackFingerprint: alert.slackFingerprint === null ? null : postgresSafeText(alert.slackFingerprint).text,
    mcpSelection: alert.mcp === null ? null : postgresSafeJson(alert.mcp),
    chainId: chain.chain_id,
    resolvedConfig: json,
    configHash: hash,
    textHashes,
    metadata: Object.keys(metadata).length === 0 ? null : postgresSafeJson(metadata),
    maskKey: alert.maskKey,
    maskedValues: alert.maskedValues,
    traceContext: traceCarrier() ?? null,
  };
}

type CheckedAlert = ReturnType<typeof checkAlert>;

/** Checks a decoded request, in the order of the reference. */
function checkAlert(request: AlertRequest, { agents }: ApiConfig) {
  const data = request.data ?? "";
  if (data === "") throw new RequestError(400, "data field is required");
  if (Buffer.byteLength(data) > MAX_DATA_BYTES) {
    throw new RequestError(413, `alert data exceeds maximum size of ${MAX_DATA_BYTES} bytes`);
  }
  const mcp = request.mcp ?? null;
  const names = mcp?.servers.map(({ name }) => name) ?? [];
  const repeated = names.findIndex((name, index) => names.indexOf(name) < index);
  if (repeated !== -1) {
    const why = `must name another server than those before, got '${abbreviate(names[repeated] ?? "")}'`;
    throw new RequestError(400, `field 'mcp.servers[${repeated}].name' ${why}`);
  }
  for (const name of names) {
    if (!agents.mcpServers.has(name)) {
      const why = `MCP server "${abbreviate(name)}" not found in configuration`;
      throw validationError("mcp_selection", why, [...agents.mcpServers.keys()]);
    }
  }
  const runbook = request.runbook || null;
  checkRunbook(runbook, agents);
  const alertType = request.alert_type ?? "";
  const found = findChain(agents, alertType);
  if (found === undefined) {
    const why = `no chain found for alert type '${alertType === "" ? agents.defaults.alert_type : abbreviate(alertType)}'`;
    throw validationError("alert_type", why, knownAlertTypes(agents));
  }
  return {
    data,
    alertType: found.alertType,
    runbook,
    slackFingerprint: request.slack_message_fingerprint || null,
    mcp,
    teams: found.chain.teams ?? [],
    chainPriority: found.chain.priority ?? ("normal" as const),
  };
}

/** Throws RequestError 400 for an address that would have to be fetched, and may not be. */
function checkRunbook(runbook: string | null, agents: ApiConfig["agents"]): void {
  const { runbooks } = agents.system;
  if (runbook === null || runbooks === undefined || !isRunbookAddress(runbook)) return;
  const address = runbookAddress(runbook, runbookHosts(runbooks));
  if ("problem" in address) throw new RequestError(400, `invalid runbook URL: ${address.problem}`);
}

interface ChainToStore {
  readonly chain: ResolvedChain;
  readonly json: string;
  readonly hash: string;
  readonly textHashes: readonly string[];
  readonly notice: string | null;
}

/**
 * Resolves each alert type once, and once more for alerts that select servers: the configuration does not change while the
 * process runs.
 */
function cacheResolvedChains({
  agents,
  stubbedServers,
}: ApiConfig): (alertType: string, selectsServers?: boolean) => ChainToStore {
  const caches = { standard: new Map<string, ChainToStore>(), selected: new Map<string, ChainToStore>() };
  return (alertType, selectsServers = false) => {
    const cache = selectsServers ? caches.selected : caches.standard;
    const cached = cache.get(alertType);
    if (cached !== undefined) return cached;
    const chain = resolveChain(agents, alertType, selectsServers);
    const entry = { ...stored(chain), notice: sessionNotice(chain, stubbedServers) };
    cache.set(alertType, entry);
    return entry;
  };
}

function stored(chain: ResolvedChain): Omit<ChainToStore, "notice"> {
  // The configuration's free texts may contain characters that jsonb rejects.
  return {
    chain,
    json: postgresSafeJson(storedChain(chain)),
    hash: hashResolvedChain(chain),
    textHashes: textsOfChain(chain),
  };
}
