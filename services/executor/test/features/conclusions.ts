import { answerTurn, callTurn, conclusionWith, type Strategy } from "../scripted-turns.ts";
import type { Feature } from "./feature.ts";

const WRONG = conclusionWith([["r1", "pod checkout-7d9f restarted"]]);
const RIGHT = conclusionWith([["r1", "pod checkout-7d9f restarts"]]);

const ATTEMPTS = `
SELECT c.attempt, c.status, c.claims_verified, c.claims_total, e.payload ->> 'status' AS event
FROM conclusions c LEFT JOIN events e ON e.session_id = c.session_id AND e.payload ->> 'type' = 'conclusion.checked'
  AND (e.payload ->> 'attempt')::int = c.attempt
WHERE c.session_id = $1 ORDER BY c.attempt`;

/** A quote that is corrected after its check: the tool is called twice, whatever dies, and each check is there once. */
const corrected = (strategy: Strategy): Feature => ({
  name: `a conclusion that is corrected (${strategy})`,
  toolCalls: 1,
  start: async ({ runs }) => {
    await runs.play(
      callTurn(strategy, 1, "k8s.pods", {}),
      callTurn(strategy, 2, "tarsy.conclude", WRONG),
      callTurn(strategy, 3, "tarsy.conclude", RIGHT),
      answerTurn(strategy),
    );
    return runs.executor.insert({ strategy, servers: ["k8s"], concludes: true });
  },
  always: async ({ runs }, id) => {
    const attempts = JSON.stringify(await runs.executor.query(ATTEMPTS, [id]));
    const [first, second] = [
      { attempt: 1, status: "inconclusive", claims_verified: 0, claims_total: 1, event: "inconclusive" },
      { attempt: 2, status: "confirmed", claims_verified: 1, claims_total: 1, event: "confirmed" },
    ];
    const allowed = [[], [first], [first, second]].map((rows) => JSON.stringify(rows));
    if (!allowed.includes(attempts)) throw new Error(`the conclusions are ${attempts}`);
  },
});

/** Agents that state their conclusion as data. */
export const CONCLUSION_FEATURES: readonly Feature[] = [
  corrected("react"),
  corrected("native-thinking"),
  {
    name: "a conclusion that is asked for after the answer (native-thinking)",
    toolCalls: 1,
    start: async ({ runs }) => {
      await runs.play(
        callTurn("native-thinking", 1, "k8s.pods", {}),
        { when: { call: 2 }, ...answerTurn("native-thinking", "it was the memory, r1 says so") },
        callTurn("native-thinking", 3, "tarsy.conclude", RIGHT),
      );
      return runs.executor.insert({ strategy: "native-thinking", servers: ["k8s"], concludes: true });
    },
  },
];
