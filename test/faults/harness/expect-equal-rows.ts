import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { CHAIN_ROWS } from "../../support/chain-rows.ts";
import { expectEach } from "./expect-each.ts";
import type { FaultLab } from "./fault-lab.ts";
import type { KilledSession } from "./killed-work.ts";
import type { ScenarioContext } from "./scenario.ts";

/** The results of a session as texts, by their name. */
export type SessionRows = ReadonlyMap<string, string>;

const parseRows = compileParser("rows of a session", Type.Record(Type.String(), Type.Unknown()));

/**
 * Expects that each session has the rows in `reference`, by default those of the first one that was not disturbed, except for
 * what a kill may change. Resolves with the rows that they were compared with.
 */
export async function expectEqualRows(
  context: ScenarioContext,
  lab: FaultLab,
  {
    name,
    sessions,
    reference,
  }: {
    readonly name: string;
    readonly sessions: readonly KilledSession[];
    readonly reference?: SessionRows | undefined;
  },
): Promise<SessionRows | undefined> {
  const undisturbed = sessions.find(({ isUndisturbed }) => isUndisturbed);
  const expected = reference ?? (undisturbed && (await readRows(lab, undisturbed.sessionId)));
  await expectEach(
    context,
    `${name}: every piece has the rows of one that was not disturbed`,
    sessions,
    async ({ sessionId }) => {
      const rows = await readRows(lab, sessionId);
      const names = [...rows.keys()].filter((key) => rows.get(key) !== expected?.get(key));
      const [first] = names;
      if (first === undefined) return undefined;
      return `${names.join(", ")}, ${difference(rows.get(first), expected?.get(first))}`;
    },
  );
  return expected;
}

/** The results of a session without what names its case. */
async function readRows(lab: FaultLab, sessionId: string): Promise<SessionRows> {
  const [row] = await lab.servers.query(CHAIN_ROWS, [sessionId]);
  const caseId = new RegExp(`${lab.alerts.acked.get(sessionId)}(?!\\d)`, "gu");
  const texts = Object.entries(parseRows(row)).map(
    ([key, value]) => [key, JSON.stringify(value).replaceAll(caseId, "case")] as const,
  );
  return new Map(texts);
}

const BEFORE_CHARS = 60;
const SHOWN_CHARS = 200;

function difference(text = "", expected = ""): string {
  let at = 0;
  while (at < text.length && text[at] === expected[at]) at += 1;
  const from = Math.max(0, at - BEFORE_CHARS);
  return `"${text.slice(from, from + SHOWN_CHARS)}" instead of "${expected.slice(from, from + SHOWN_CHARS)}"`;
}
