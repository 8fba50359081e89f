import { isNull } from "#shared/database/connection/statement-limits.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Bus } from "#shared/bus/open-bus.ts";
import { serveRequests } from "#shared/bus/request.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import {
  runbookFetchReplyCodec,
  runbookFetchRequestCodec,
  runbookListReplyCodec,
  runbookListRequestCodec,
} from "#shared/contracts/runbook-requests.ts";
import { SUBJECTS, TOOL_RUNNERS_GROUP } from "#shared/contracts/subjects.ts";
import type { Database } from "#shared/database/database.ts";
import { isDatabaseRetryable } from "#shared/database/connection/database-retryable.ts";
import { keepTexts } from "#shared/database/keep-texts.ts";
import { configOf } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Masker } from "#shared/masking/masker.ts";
import { postgresSafeText } from "#shared/postgres-safe-text.ts";
import { runbookAddresses } from "#shared/runbooks/runbook-address.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { EgressRules } from "../egress/guarded-fetch.ts";
import { fetchRunbook } from "./fetch-runbook.ts";
import { RunbookList } from "./runbook-list.ts";
import type { RunbookSettings } from "./runbook-settings.ts";

interface RunbookDeps {
  readonly bus: Bus;
  readonly db: Database;
  readonly masker: Pick<Masker, "mask">;
  readonly log: Logger;
  /** Undefined if the configuration of this runner says nothing about runbooks. */
  readonly settings: RunbookSettings | undefined;
  /** The network of tests, whose hosts are on this machine. */
  readonly network?: Pick<EgressRules, "resolve" | "isBlocked" | "ca">;
}

type RunbookReply = "settled" | "refused" | "busy";

const MAX_FETCHES = 20;
const MAX_FAILURE_CHARS = 500;

/** The session's runbook as the alert and the configuration name it, if the executor of this epoch owns the session. */
const FIND = `
SELECT s.runbook_url AS of_alert, coalesce(${configOf("s")} ->> 'default_runbook', '') AS configured,
  EXISTS (SELECT FROM session_runbooks b WHERE b.session_id = s.session_id) AS is_settled
FROM tarsy_hold_work($1) r JOIN alert_sessions s USING (session_id)
WHERE r.lease_epoch = $2 AND r.lease_expires_at > clock_timestamp() AND r.cancel_requested_at IS NULL AND ${isNull("s.deleted_at")}`;
const parseFound = compileParser(
  "runbook of a session",
  Type.Object({
    of_alert: Type.Union([Type.String(), Type.Null()]),
    configured: Type.String(),
    is_settled: Type.Boolean(),
  }),
);

/** The first outcome stays, also if others have fetched meanwhile. */
const SETTLE = `
WITH settled AS (
  INSERT INTO session_runbooks (session_id, hash, failure) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING RETURNING session_id, hash
)
INSERT INTO needed_texts (session_id, hash) SELECT session_id, hash FROM settled WHERE hash IS NOT NULL
ON CONFLICT DO NOTHING`;

/**
 * Answers requests to fetch the runbook of a session, in a queue group with its replicas. What is fetched, or why it is not, is
 * recorded before the answer: a repeated request finds it, and fetches nothing. Answers requests to list runbooks, too.
 */
export function serveRunbooks(deps: RunbookDeps): AsyncDisposable {
  const stopping = new AbortController();
  const running = new Map<string, Promise<RunbookReply>>();
  const served = serveRequests(
    deps.bus,
    { subject: SUBJECTS.runbookFetch, span: SUBJECTS.runbookFetch, queue: TOOL_RUNNERS_GROUP },
    { request: runbookFetchRequestCodec, reply: runbookFetchReplyCodec },
    async ({ session_id, epoch }) => {
      const known = running.get(session_id);
      if (known === undefined && running.size >= MAX_FETCHES) return { kind: "busy" as const };
      const reply = known ?? settle(deps, { sessionId: session_id, epoch }, stopping.signal);
      running.set(session_id, reply);
      try {
        return { kind: await reply };
      } finally {
        running.delete(session_id);
      }
    },
  );
  const list = new RunbookList(deps);
  const lists = serveRequests(
    deps.bus,
    { subject: SUBJECTS.runbookList, queue: TOOL_RUNNERS_GROUP },
    { request: runbookListRequestCodec, reply: runbookListReplyCodec },
    async () => ({ urls: [...(await list.read(stopping.signal))] }),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      served.unsubscribe();
      lists.unsubscribe();
      stopping.abort(new Error("the tool-runner stops"));
      await Promise.allSettled(running.values());
    },
  };
}

async function settle(
  deps: RunbookDeps,
  { sessionId, epoch }: { readonly sessionId: string; readonly epoch: number },
  signal: AbortSignal,
): Promise<RunbookReply> {
  const { db, log } = deps;
  try {
    const [found] = await selectRows(db, parseFound, FIND, [sessionId, epoch]);
    if (found === undefined) return "refused";
    if (found.is_settled) return "settled";
    const addresses = runbookAddresses(found.of_alert, found.configured);
    const { text, failures } = await firstFetched(addresses, deps, signal);
    const failure =
      failures.length === 0 ? null : postgresSafeText(failures.join("; ").slice(0, MAX_FAILURE_CHARS)).text;
    if (failure !== null) log.warn({ session_id: sessionId, reason: failure }, "runbook not fetched");
    if (text === undefined) {
      await db.query(SETTLE, [sessionId, null, failure ?? "the session has no address of a runbook"]);
      return "settled";
    }
    const body = postgresSafeText(text).text;
    const hash = textHash(body);
    await keepTexts(db, [{ hash, body }]);
    await db.query(SETTLE, [sessionId, hash, failure]);
    log.info({ session_id: sessionId, hash, characters: body.length }, "runbook fetched");
    return "settled";
  } catch (error) {
    if (!isDatabaseRetryable(error) && !signal.aborted) throw error;
    log.warn({ session_id: sessionId, error: errorMessage(error) }, "runbook deferred");
    return "busy";
  }
}

/** The masked text of the first address that has one, and why those before it have none. */
async function firstFetched(
  addresses: readonly string[],
  { masker, settings, network }: Pick<RunbookDeps, "masker" | "settings" | "network">,
  signal: AbortSignal,
): Promise<{ readonly text?: string; readonly failures: readonly string[] }> {
  if (settings === undefined) {
    return { failures: ["the tool-runner's configuration has no section system.runbooks"] };
  }
  const failures: string[] = [];
  for (const address of addresses) {
    const fetched = await fetchRunbook(address, settings, signal, network);
    if ("failure" in fetched) {
      failures.push(fetched.failure);
      continue;
    }
    const masked = await masker.mask(fetched.text, { rules: settings.maskingRules }).catch(() => undefined);
    if (masked !== undefined) return { text: masked.text, failures };
    failures.push("masking the secrets in it failed");
  }
  return { failures };
}
