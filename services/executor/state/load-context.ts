import type { Holiday } from "#shared/agent-config/schemas/system-section.ts";
import { findContextBlock } from "#shared/contracts/context-block.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ToolSource } from "#shared/contracts/recorded-tools.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import type { Pacing } from "../pacing.ts";
import { contextBlock } from "../prompts/context-block.ts";

/** The session whose agent is told the time. */
interface Asking {
  readonly db: Queryable;
  readonly sessionId: string;
  readonly toolSource: ToolSource;
  readonly now: () => number;
  readonly holidays: readonly Holiday[];
  readonly pacing?: Pick<Pacing, "context"> | undefined;
}

/**
 * What an agent whose conversation opens is told of the present time; null in a replay of a session that was not told it. In a fork with
 * recorded tools it is the time of the session that the fork comes from, because that is when their results were true. Throws database
 * errors.
 */
export async function loadContext(
  session: Asking,
  { executionId, alertData }: { readonly executionId: string; readonly alertData: string },
): Promise<string | null> {
  const { pacing, toolSource, now, holidays } = session;
  if (pacing !== undefined) return pacing.context(executionId);
  const recordedMs = toolSource === "recorded" ? await recordedTime(session) : undefined;
  return contextBlock(new Date(recordedMs ?? now()), { holidays, alertData });
}

/** The first messages of the parent's first agent. */
const READ = `
SELECT m.role, m.content, (extract(epoch FROM parent.created_at) * 1000)::float8 AS created_ms
FROM alert_sessions fork JOIN alert_sessions parent ON parent.session_id = fork.forked_from
  LEFT JOIN LATERAL (SELECT role, content FROM messages WHERE session_id = parent.session_id AND role = 'user'
                     ORDER BY created_at, sequence_number LIMIT 1) m ON true
WHERE fork.session_id = $1`;
const parseParent = compileParser(
  "time of a forked session",
  Type.Object({
    role: Type.Union([Type.String(), Type.Null()]),
    content: Type.Union([Type.String(), Type.Null()]),
    created_ms: Type.Number(),
  }),
);

/** When the session that a fork comes from ran, in milliseconds since the epoch; undefined if the session is no fork. */
async function recordedTime({ db, sessionId }: Asking): Promise<number | undefined> {
  const [parent] = await selectRows(db, parseParent, READ, [sessionId]);
  if (parent === undefined) return undefined;
  const { role, content, created_ms } = parent;
  const found = role === null || content === null ? undefined : findContextBlock([{ role, content }]);
  return found?.nowMs ?? created_ms;
}
