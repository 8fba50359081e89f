import type { Cassette } from "#shared/cassette/cassette.ts";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Database } from "#shared/database/database.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { pause } from "#shared/pause.ts";
import { decideApproval } from "../../../services/api/approvals/decide-approval.ts";
import { RequestError } from "../../../services/api/http/request-error.ts";

const EVERY_MS = 200;
const OPEN = `
SELECT approval_id, tool, arguments::text AS arguments FROM approvals
WHERE session_id = $1 AND state = 'awaiting_approval' ORDER BY approval_id`;
const parseOpen = compileParser(
  "open question",
  Type.Object({ approval_id: Type.String(), tool: Type.String(), arguments: Type.String() }),
);

/**
 * Decides what the agents of a session with recorded tools ask about calls, until the signal aborts: as it was recorded for a tool, and
 * otherwise with a yes, because no recorded call does anything. Resolves once aborted; throws database errors.
 */
export async function answerQuestions(
  db: Database,
  sessionId: string,
  approvals: Cassette["inputs"]["approvals"],
  signal: AbortSignal,
): Promise<void> {
  const denied = new Map(
    approvals.filter(({ state }) => state === "denied").map(({ tool, reason }) => [tool, reason]),
  );
  while (!signal.aborted) {
    for (const { approval_id: id, tool } of await selectRows(db, parseOpen, OPEN, [sessionId])) {
      const decision = denied.has(tool)
        ? ({ state: "denied", reason: denied.get(tool) ?? null } as const)
        : ({ state: "approved", reason: null } as const);
      await decide(db, sessionId, id, { ...decision, decidedBy: "evaluation" });
    }
    await pause(EVERY_MS, signal).catch(() => undefined);
  }
}

async function decide(
  db: Database,
  session_id: string,
  approvalId: string,
  decision: Parameters<typeof decideApproval>[3],
): Promise<void> {
  try {
    await db.transaction((transaction) =>
      decideApproval(transaction, { session_id, status: "in_progress" }, approvalId, decision),
    );
  } catch (error) {
    // It was closed since it was read.
    if (!(error instanceof RequestError)) throw error;
  }
}
