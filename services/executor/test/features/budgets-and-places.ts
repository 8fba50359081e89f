import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { ParkedBy } from "#shared/contracts/statuses.ts";
import { Budgets } from "../budget-fixture.ts";
import { decide } from "../decide.ts";
import { resume } from "../park.ts";
import { answerTurn, callStep, callTurn } from "../scripted-turns.ts";
import type { Feature, FeatureLab } from "./feature.ts";

const STRATEGY = "native-thinking";
/** Of each call, much more than the most that a lost one counts as. */
const USED = { usage: { input_tokens: 10, output_tokens: 200_000 } };
const TOKENS = 2_000_000;
/** Reached with the second call. */
const SOFT_RATIO = 0.2;
const CALLS = 3;

/** An agent that goes on until it is made to conclude, with `more` in each answer of the model. */
const playRestless = async ({ runs }: FeatureLab, ...more: readonly object[]) => {
  const { steps } = answerTurn("react", "as far as I know");
  await runs.play(
    { when: { last_contains: "Conclude now" }, steps: [...steps, ...more] },
    { steps: [callStep("react", "k8s.pods", {}), ...more] },
  );
};

const parseCounted = compileParser(
  "calls and tokens",
  Type.Object({ calls: Type.Integer(), tokens: Type.Integer() }),
);

/** What the session's calls have used, and at most those of dead owners, which the api's sweeper has not settled yet. */
const counted = async ({ runs: { executor } }: FeatureLab, id: string) => {
  const [found] = await executor.query(
    `SELECT count(*)::int AS calls, coalesce(sum(tokens), 0)::int AS tokens FROM (
       SELECT total_tokens AS tokens FROM llm_interactions WHERE session_id = $1
       UNION ALL SELECT tokens FROM budget_reservations r WHERE session_id = $1 AND kind = 'call'
         AND NOT EXISTS (SELECT FROM budget_ledger l WHERE l.reservation_id = r.reservation_id)) c`,
    [id],
  );
  return parseCounted(found);
};

/** What the account of a session says after the sweep, which leaves no reservation. */
const settled = async ({ runs: { executor } }: FeatureLab, id: string) => {
  const budgets = new Budgets(executor);
  await budgets.sweep();
  const left = "SELECT kind FROM budget_reservations WHERE session_id = $1";
  expect(await executor.query(left, [id]), "reservations").to.deep.equal([]);
  const [account] = await budgets.accounts(`session:${id}`);
  // It is opened by the first call.
  if (account === undefined) return { calls: 0, tokens: 0 };
  expect(account).to.include({ reserved_usd: 0, reserved_tokens: 0, reserved_calls: 0 });
  return { calls: account.used_calls, tokens: account.used_tokens };
};

/** Each call is reserved and settled once, a lost one in full; what was lost is not used before the sweep, so the rows are the same. */
const withRoom: Feature = {
  name: "a budget with room until its soft limit",
  toolCalls: 2,
  start: async (lab) => {
    await playRestless(lab, USED);
    const budgets = { session: { tokens: TOKENS, soft_ratio: SOFT_RATIO } };
    return lab.runs.executor.insert({ strategy: "react", servers: ["k8s"], budgets });
  },
  always: async (lab, id) => {
    const before = await counted(lab, id);
    expect(await settled(lab, id)).to.deep.equal(before);
  },
};

/** What a dead owner has reserved counts as used, so that another number of calls fits. */
const usedUp: Feature = {
  name: "a budget that is used up",
  // Where the conclusion itself was lost.
  mayFail: true,
  start: async (lab) => {
    await playRestless(lab);
    const budgets = { session: { calls: CALLS, soft_ratio: 1 } };
    return lab.runs.executor.insert({ strategy: "react", servers: ["k8s"], budgets });
  },
  afterEachDeath: async ({ runs }) => new Budgets(runs.executor).sweep(),
  expects: async ({ runs }, id) => {
    const found = await runs.executor.row("alert_sessions", "final_analysis IS NOT NULL AS concluded", id);
    expect(found).to.deep.equal({ concluded: true });
  },
  always: async (lab, id) => {
    expect((await settled(lab, id)).calls, "calls").to.be.at.most(CALLS);
  },
};

const PARKINGS = `(SELECT count(*) FROM events e
  WHERE e.session_id = alert_sessions.session_id AND payload ->> 'type' = 'session.parked')`;

/** A session that is asked to park while its first call of a tool runs: another asks for its place, or a person does. */
const parked = (by: ParkedBy): Feature => ({
  name: `a session that is parked (${by})`,
  toolCalls: 2,
  start: async ({ runs, points }) => {
    await runs.play(
      callTurn(STRATEGY, 1, "k8s.restart", {}),
      // It cannot end before it is parked: people answer when it is, or with the request in its row.
      callTurn(STRATEGY, 2, "k8s.remove", {}),
      answerTurn(STRATEGY),
    );
    const id = await runs.executor.insert({ strategy: STRATEGY, servers: ["k8s"] });
    await points.park(id, 2, by);
    return id;
  },
  answer: async ({ runs }, id) => {
    await decide(runs.executor, id, "approved");
    await resume(runs.executor, id);
  },
  always: async ({ runs }, id) => {
    const found = await runs.executor.row(
      "alert_sessions",
      `status <> 'completed' OR ${PARKINGS} = 1 AS once`,
      id,
    );
    expect(found, "parkings").to.deep.equal({ once: true });
  },
});

/** What stops a session from without: its budget, and others that need its place. */
export const BUDGET_AND_PLACE_FEATURES: readonly Feature[] = [
  withRoom,
  usedUp,
  parked("priority"),
  parked("operator"),
];
