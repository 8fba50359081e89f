import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { showFrameCodes } from "#shared/cassette/frame-codes.ts";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { findContextBlock } from "#shared/contracts/context-block.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { PlannedCell } from "../plan/planned-cell.ts";
import { type CellFacts, WorldFacts } from "../results/cell-facts.ts";
import { answerQuestions } from "./answer-questions.ts";
import type { Configuration } from "./configurations.ts";
import type { OfflineExecutor } from "../../replay/engine/offline-executor.ts";
import { maskOrWithhold } from "#shared/masking/mask-or-withhold.ts";
import { rulesOfAlerts } from "#shared/masking/masking-rules.ts";
import { readWorld } from "../../worlds/world-files.ts";
import { judgeSession } from "./judge-session.ts";
import type { Engine } from "./open-engine.ts";
import { readCellFacts } from "./read-cell-facts.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";

/** A session's conclusion is its newest one. */
const READ = `
WITH found AS (SELECT tool, match, count(*)::int AS calls FROM world_calls WHERE session_id = $1 GROUP BY tool, match),
concluded AS (
  SELECT status, body, checked, claims_total, claims_verified FROM conclusions WHERE session_id = $1 ORDER BY seq DESC, attempt DESC LIMIT 1)
SELECT (SELECT jsonb_build_object('status', status, 'body', body, 'checked', checked) FROM concluded) AS conclusion,
  coalesce((SELECT claims_total FROM concluded), 0) AS claims, coalesce((SELECT claims_verified FROM concluded), 0) AS verified_claims,
  coalesce((SELECT sum(calls) FROM found), 0)::int AS calls,
  coalesce((SELECT jsonb_object_agg(tool, calls) FROM found WHERE match = 'miss'), '{}') AS misses,
  coalesce((SELECT sum(calls) FROM found WHERE match = 'absent'), 0)::int AS absent,
  (SELECT count(*)::int FROM mcp_interactions WHERE session_id = $1 AND outcome ->> 'kind' = 'unknown_tool') AS unknown_tools,
  (SELECT count(*)::int FROM masked_values WHERE session_id = $1) AS masked`;
const parseFacts = compileParser("facts of a world", WorldFacts);

/** What else is known of a session that a world has answered. Throws database errors. */
async function readWorldFacts(db: Queryable, sessionId: string): Promise<WorldFacts> {
  const [facts] = await selectRows(db, parseFacts, READ, [sessionId]);
  if (facts === undefined) throw new Error(`there is no session ${sessionId}`);
  return facts;
}

/** A scoring ends by itself after ten minutes. */
const JUDGE_WITHIN_MS = 11 * 60_000;
/** An investigation that has reached its deadline ends by itself, unless nothing runs it any more. */
const SPARE_MS = 60_000;

const DELETE = "DELETE FROM alert_sessions WHERE session_id = $1";

/** A cell's configuration, and the judge with its own. */
interface CellSettings {
  readonly configuration: Configuration;
  readonly judge: { readonly agent: ResolvedAgent; readonly configuration: Configuration } | undefined;
}

/** A session that was inserted, with the rest of its case. */
interface Inserted {
  readonly sessionId: string;
  /** The present of its agents, in milliseconds since the epoch: the results of its tools are of then. */
  readonly nowMs: number;
  /** What was decided about calls that needed approval. */
  readonly approvals: Cassette["inputs"]["approvals"];
}

/**
 * Runs a cell: the investigation of the case's alert by the variant's chain, with live models and recorded tools, and then the
 * judge. Throws if it cannot be run or does not end, and the signal's reason.
 */
export async function runCell(
  engine: Engine,
  cell: PlannedCell,
  { configuration, judge }: CellSettings,
  signal: AbortSignal,
): Promise<CellFacts> {
  const { db } = engine;
  const { chain } = cell;
  const executor = await engine.executorOf(configuration);
  const { sessionId, nowMs, approvals } = await (cell.case.kind === "world" ? insertWorld : insertCassette)(
    engine,
    cell,
    { configuration, executor },
  );
  const now = () => nowMs;
  try {
    const over = new AbortController();
    const answering = answerQuestions(db, sessionId, approvals, over.signal);
    // Its error is thrown below.
    answering.catch(() => undefined);
    try {
      const limit = limitOf(chain.session_timeout_ms + SPARE_MS, "the investigation");
      await executor.runToEnd(sessionId, AbortSignal.any([signal, limit]), { now });
    } finally {
      over.abort();
      await answering;
    }
    const read = async () => ({
      ...(await readCellFacts(db, sessionId, chain.budgets?.session?.usd)),
      ...(cell.world === undefined ? {} : { world: await readWorldFacts(db, sessionId) }),
    });
    const facts = await read();
    if (judge === undefined || facts.status !== "completed") return facts;
    await judgeSession(db, sessionId, { chain, judge: judge.agent });
    const judging = await engine.executorOf(judge.configuration);
    const limit = limitOf(JUDGE_WITHIN_MS, "the judge");
    await judging.runToEnd(sessionId, AbortSignal.any([signal, limit]), { now });
    return await read();
  } finally {
    await db.query(DELETE, [sessionId]);
  }
}

/** Where a case is inserted. */
interface Place {
  readonly configuration: Configuration;
  readonly executor: OfflineExecutor;
}

async function insertCassette(
  engine: Engine,
  { case: { file }, chain }: PlannedCell,
  { configuration }: Place,
): Promise<Inserted> {
  const nonce = randomUUID();
  const recorded = parseCassette(showFrameCodes(await readFile(file, "utf8"), nonce));
  const sessionId = randomUUID();
  const cassette = { ...recorded, session: { ...recorded.session, session_id: sessionId } };
  const texts = { ...cassette.texts, ...textsOf(configuration) };
  await engine.insert({ cassette, nonce, chain, texts });
  return { sessionId, nowMs: timeOf(recorded), approvals: recorded.inputs.approvals };
}

async function insertWorld(
  engine: Engine,
  { case: { file }, chain }: PlannedCell,
  { configuration, executor }: Place,
): Promise<Inserted> {
  const { world, hash } = await readWorld(file);
  const sessionId = randomUUID();
  const rules = rulesOfAlerts(configuration.config.defaults.alert_masking);
  const alertData = await maskOrWithhold(executor.deps.masker, world.alert.data, rules);
  const texts = textsOf(configuration);
  await engine.insertInWorld({ world, hash }, { sessionId, hash, alertData, chain, texts });
  return { sessionId, nowMs: Date.parse(world.clock.now), approvals: [] };
}

/** The texts of the skills of a configuration, by hash. */
function textsOf({ config }: Configuration): Readonly<Record<string, string>> {
  return Object.fromEntries([...config.skills.values()].map(({ hash, body }) => [hash, body] as const));
}

/** When the recorded session ran, in milliseconds since the epoch: the results of its tools are of then. */
function timeOf({ executions, session }: Cassette): number {
  const [context] = executions.flatMap(({ messages }) => findContextBlock(messages) ?? []);
  return context?.nowMs ?? Date.parse(session.created_at);
}

function limitOf(ms: number, what: string): AbortSignal {
  const limit = new AbortController();
  setTimeout(
    () => limit.abort(new Error(`${what} has not ended after ${Math.round(ms / 1_000)} s`)),
    ms,
  ).unref();
  return limit.signal;
}
