import { finding } from "./finding.ts";
import type { KilledSession } from "./killed-work.ts";
import type { ScenarioContext } from "./scenario.ts";

/** Expects this of each session; `problem` resolves with what is wrong with one, or with undefined. */
export async function expectEach(
  { expect }: Pick<ScenarioContext, "expect">,
  what: string,
  sessions: readonly KilledSession[],
  problem: (session: KilledSession) => Promise<string | undefined>,
): Promise<void> {
  const wrong: string[] = [];
  for (const session of sessions) {
    const found = await problem(session);
    if (found !== undefined) wrong.push(`${session.sessionId} (${session.fate}): ${found}`);
  }
  const { ok, detail } = finding(what, wrong);
  expect(what, ok, detail);
}
