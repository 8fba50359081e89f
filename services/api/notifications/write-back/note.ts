import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { parseJsonText, textAt, type JsonPointer } from "../../alerts/json-pointer.ts";
import { NEWEST_CONCLUSION } from "../../conclusions/read-conclusion.ts";
import type { Notification } from "../notification.ts";

/** What is written about a session in another system: the conclusion and a link, and nothing that a tool said. */
export interface Note {
  readonly text: string;
  /** The same where text is Markdown: what agents wrote is in a block in which it names no one and is no link. */
  readonly markdown: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const MAX_CLAIMS = 5;
const MAX_CHARACTERS = 8_000;

const parseRow = compileParser(
  "session to write of",
  Type.Object({
    data: Type.Union([Type.String(), Type.Null()]),
    claims: Type.Array(Type.String()),
  }),
);
const READ = `
SELECT CASE WHEN $2 THEN s.alert_data END AS data, ARRAY(
  SELECT claim->>'text' FROM (
    SELECT c.body FROM conclusions c WHERE c.session_id = s.session_id ${NEWEST_CONCLUSION}
  ) newest, jsonb_array_elements(newest.body->'claims') WITH ORDINALITY AS claims(claim, n) ORDER BY n LIMIT ${MAX_CLAIMS}
) AS claims
FROM alert_sessions s WHERE s.session_id = $1`;

/** Reads what else a note needs: the text of the alert at the pointer, undefined if there is none, and the claims. */
export async function readForNote(
  db: Queryable,
  sessionId: string,
  pointer: JsonPointer | undefined,
): Promise<{ readonly key: string | undefined; readonly claims: readonly string[] }> {
  const [row] = await selectRows(db, parseRow, READ, [sessionId, pointer !== undefined]);
  const data = row?.data ?? null;
  const key = pointer === undefined || data === null ? undefined : textAt(parseJsonText(data), pointer);
  return { key, claims: row?.claims ?? [] };
}

/** By it a note is known again; it is part of each. */
export function markOf(sessionId: string): string {
  return `tarsy:${sessionId}`;
}

/** Makes the note of a session that has ended. */
export function noteOf({ session, url, at }: Notification, claims: readonly string[]): Note {
  const { conclusion, status, started_at, created_at, session_id } = session;
  const found = conclusion === undefined ? status : `${status}, ${conclusion.status}`;
  const said = [conclusion?.summary ?? "", ...claims.map((claim) => `- ${oneLine(claim)}`)].filter(
    (line) => line !== "",
  );
  const body = said.join("\n").slice(0, MAX_CHARACTERS).toWellFormed();
  const [head, mark] = [`TARSy: ${found}`, markOf(session_id)];
  const longest = Math.max(2, ...[...body.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return {
    text: [head, body, url, mark].filter((line) => line !== "").join("\n"),
    markdown: `${head}\n\n${body === "" ? "" : `${fence}text\n${body}\n${fence}\n\n`}${url}\n\n<!-- ${mark} -->`,
    fromMs: Date.parse(started_at ?? created_at),
    toMs: Date.parse(session.completed_at ?? at),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim();
}
