import type { RouterMiddleware } from "@koa/router";
import { v7 as uuidV7 } from "uuid";
import { ownerOf } from "#shared/access/authorize.ts";
import type { Identity } from "#shared/access/identity.ts";
import { knownAlertTypes, findChain } from "#shared/agent-config/find-chain.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { hashResolvedChain, type ResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import type { ApiDeps } from "../api-deps.ts";
import type { ApiConfig } from "../config.ts";
import { BodyBudget } from "../http/body-budget.ts";
import { callerOf } from "../http/caller.ts";
import { readJsonBody } from "../http/read-json-body.ts";
import { RequestError, abbreviate, validationError } from "../http/request-error.ts";
import { parseAlertRequest, type AlertRequest } from "../submit/alert-request.ts";
import { applyMcpSelection } from "../submit/apply-mcp-selection.ts";
import { insertSession } from "../submit/insert-session.ts";
import type { NewSession } from "../submit/new-session.ts";
import { SessionInserts } from "../submit/session-inserts.ts";
import { SubmissionRate } from "../submit/submission-rate.ts";
import { submissionKey } from "../submit/submission-key.ts";

const MAX_DATA_BYTES = 1_048_576;

/** `POST /api/v1/alerts`: answers 202 once the session is committed, and wakes an executor in the background. */
export function submitAlert({ config, db, dispatcher, metrics, door, audit }: ApiDeps): RouterMiddleware {
  const rate = new SubmissionRate(config.submissionsPerMinute);
  const bodies = new BodyBudget(config.bodyBytesInFlight);
  const resolved = cacheResolvedChains(config);
  const instructions = new Map(
    [...config.agents.mcpServers].map(([id, server]) => [id, server.instructions ?? ""]),
  );
  const chainFor = ({ alertType, mcp }: CheckedAlert) => {
    const standard = resolved(alertType);
    if (mcp === null) return standard;
    return { ...standard, ...stored(applyMcpSelection(standard.chain, mcp, instructions)) };
  };
  const inserts = new SessionInserts(db);
  return async (ctx) => {
    const caller = callerOf(ctx);
    const { identity } = caller;
    rate.check(identity);
    const request = parseAlertRequest(await readJsonBody(ctx, bodies));
    const alert = checkAlert(request, config);
    // After all other checks, so that a rejected request does not use up its key.
    const key = submissionKey(ctx.req.headers["idempotency-key"], {
      request,
      submitter: ownerOf(identity) ?? identity.name,
      alertType: alert.alertType,
      fingerprintPath: config.fingerprintPath,
    });
    const peer = door.addressOf(ctx.req);
    const session = newSession(alert, { identity, peer }, chainFor(alert));
    const { sessionId, isReplayed } = await insertSession({ db, inserts }, session, key);
    if (isReplayed) {
      ctx.set("idempotent-replayed", "true");
      metrics.replayed.inc();
      audit.record({ action: "alert.submit", result: "repeated", identity, peer, sessionId });
    } else {
      dispatcher.wake(sessionId);
      metrics.accepted.inc();
      audit.logOnly({ action: "alert.submit", result: "allowed", identity, peer, sessionId });
    }
    ctx.status = 202;
    ctx.body = { session_id: sessionId, status: "queued", message: "Alert submitted for processing" };
  };
}

function newSession(
  alert: CheckedAlert,
  { identity, peer }: { readonly identity: Identity; readonly peer: string | undefined },
  { chain, json, hash, notice }: ChainToStore,
): NewSession {
  const data = postgresSafeText(alert.data);
  const metadata = {
    ...(notice === null ? {} : { notice }),
    ...(data.changed
      ? { alert_data_changed: "characters that cannot be stored were replaced by U+FFFD" }
      : {}),
  };
  return {
    // Version 7: ids that rise with time keep the indexes' newest pages in memory, and sessions of one commit in order.
    sessionId: uuidV7(),
    data: data.text,
    alertType: alert.alertType,
    author: identity.name,
    owner: ownerOf(identity),
    submitter: { subject: identity.subject, via: identity.via, peer: peer ?? null },
    teams: alert.teams,
    runbook: alert.runbook === null ? null : postgresSafeText(alert.runbook).text,
    mcpSelection: alert.mcp === null ? null : postgresSafeJson(alert.mcp),
    chainId: chain.chain_id,
    resolvedConfig: json,
    configHash: hash,
    metadata: Object.keys(metadata).length === 0 ? null : postgresSafeJson(metadata),
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
  const alertType = request.alert_type ?? "";
  const found = findChain(agents, alertType);
  if (found === undefined) {
    const why = `no chain found for alert type '${alertType === "" ? agents.defaults.alert_type : abbreviate(alertType)}'`;
    throw validationError("alert_type", why, knownAlertTypes(agents));
  }
  const mcp = request.mcp ?? null;
  for (const { name } of mcp?.servers ?? []) {
    if (!agents.mcpServers.has(name)) {
      throw validationError("mcp_selection", `MCP server '${abbreviate(name)}' is not configured`, [
        ...agents.mcpServers.keys(),
      ]);
    }
  }
  return {
    data,
    alertType: found.alertType,
    runbook: request.runbook || null,
    mcp,
    teams: found.chain.teams ?? [],
  };
}

interface ChainToStore {
  readonly chain: ResolvedChain;
  readonly json: string;
  readonly hash: string;
  readonly notice: string | null;
}

/** Resolves each alert type once: the configuration does not change while the process runs. */
function cacheResolvedChains({ agents }: ApiConfig): (alertType: string) => ChainToStore {
  const cache = new Map<string, ChainToStore>();
  return (alertType) => {
    const cached = cache.get(alertType);
    if (cached !== undefined) return cached;
    const chain = resolveChain(agents, alertType);
    const entry = { ...stored(chain), notice: demoNotice(chain) };
    cache.set(alertType, entry);
    return entry;
  };
}

function stored(chain: ResolvedChain): Omit<ChainToStore, "notice"> {
  // The configuration's free texts may contain characters that jsonb rejects.
  return { chain, json: postgresSafeJson(chain), hash: hashResolvedChain(chain) };
}

/** A notice if a scripted provider answers instead of an LLM. */
function demoNotice(chain: ResolvedChain): string | null {
  const providers = chain.stages.flatMap(({ agents }) => agents.map(({ llm_provider }) => llm_provider));
  const scripted = providers.find(({ type }) => type === "scripted");
  if (scripted === undefined) return null;
  return `answered by a scripted demo model (provider '${scripted.name}'), not by an LLM: the text is the same for every alert`;
}
