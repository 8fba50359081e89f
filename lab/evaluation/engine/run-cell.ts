import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { showFrameCodes } from "#shared/cassette/frame-codes.ts";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { findContextBlock } from "#shared/contracts/context-block.ts";
import type { ResolvedAgent } from "#shared/contracts/resolved-chain.ts";
import type { PlannedCell } from "../plan/planned-cell.ts";
import type { CellFacts } from "../results/cell-facts.ts";
import { answerQuestions } from "./answer-questions.ts";
import type { Configuration } from "./configurations.ts";
import { judgeSession } from "./judge-session.ts";
import type { Engine } from "./open-engine.ts";
import { readCellFacts } from "./read-cell-facts.ts";

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

/**
 * Runs a cell: the investigation of the cassette's alert by the variant's chain, with live models and recorded tools, and then the
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
  const nonce = randomUUID();
  const recorded = parseCassette(showFrameCodes(await readFile(cell.cassette.file, "utf8"), nonce));
  const sessionId = randomUUID();
  const recordedMs = timeOf(recorded);
  const now = () => recordedMs;
  const cassette = { ...recorded, session: { ...recorded.session, session_id: sessionId } };
  const skills = [...configuration.config.skills.values()].map(({ hash, body }) => [hash, body] as const);
  const texts = { ...cassette.texts, ...Object.fromEntries(skills) };
  await engine.insert({ cassette, nonce, chain, texts });
  try {
    const over = new AbortController();
    const answering = answerQuestions(db, sessionId, cassette, over.signal);
    // Its error is thrown below.
    answering.catch(() => undefined);
    try {
      const limit = limitOf(chain.session_timeout_ms + SPARE_MS, "the investigation");
      await executor.runToEnd(sessionId, AbortSignal.any([signal, limit]), { now });
    } finally {
      over.abort();
      await answering;
    }
    const facts = await readCellFacts(db, sessionId, chain.budgets?.session?.usd);
    if (judge === undefined || facts.status !== "completed") return facts;
    await judgeSession(db, sessionId, { chain, judge: judge.agent });
    const judging = await engine.executorOf(judge.configuration);
    const limit = limitOf(JUDGE_WITHIN_MS, "the judge");
    await judging.runToEnd(sessionId, AbortSignal.any([signal, limit]), { now });
    return await readCellFacts(db, sessionId, chain.budgets?.session?.usd);
  } finally {
    await db.query(DELETE, [sessionId]);
  }
}

/** When the recorded session ran, in milliseconds since the epoch: the results of its tools are of then. */
function timeOf({ executions, session }: Cassette): number {
  const [told] = executions.flatMap(({ messages }) => findContextBlock(messages) ?? []);
  return told?.nowMs ?? Date.parse(session.created_at);
}

function limitOf(ms: number, what: string): AbortSignal {
  const limit = new AbortController();
  setTimeout(
    () => limit.abort(new Error(`${what} has not ended after ${Math.round(ms / 1_000)} s`)),
    ms,
  ).unref();
  return limit.signal;
}
