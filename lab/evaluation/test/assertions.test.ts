import { expect } from "chai";
import { RE2JS } from "re2js";
import { checkAssertion } from "../assertions/check-assertion.ts";
import type { CellFacts } from "../results/cell-facts.ts";
import type { Assertion } from "../suite/suite.ts";

const FACTS: CellFacts = {
  status: "completed",
  error: null,
  conclusion: "The Disk of web-1 is full.",
  summary: null,
  score: 70,
  judge: "Good.",
  tags: [],
  cost_usd: 0.02,
  duration_ms: 90_000,
  limited_by_usd: null,
  input_tokens: 10,
  output_tokens: 5,
  llm_calls: 4,
  tool_calls: [
    {
      server: "files",
      tool: "read",
      arguments: '{"path": "/var/log", "lines": 20, "deep": {"a": 1}}',
      error: null,
    },
    { server: "files", tool: "read", arguments: '{"path": "/etc"}', error: "denied" },
    { server: "k8s", tool: "pods", arguments: '{"namespace": "shop", "wor', error: null },
  ],
};
const called = (name: string, given: Record<string, string> = {}, min = 1, max?: number): Assertion => ({
  kind: "tool_called",
  name,
  arguments: given,
  min,
  max,
});

/** The assertion, the facts in which it differs, and what is said if it fails; empty: it passes. */
const CASES: readonly (readonly [Assertion, Partial<CellFacts>, string])[] = [
  [{ kind: "contains", text: "disk of WEB-1" }, {}, ""],
  [{ kind: "contains", text: "memory" }, {}, "the conclusion does not contain it"],
  [{ kind: "not_contains", text: "memory" }, {}, ""],
  [{ kind: "not_contains", text: "DISK" }, {}, "the conclusion contains it"],
  [{ kind: "matches", text: "web-\\d", expression: RE2JS.compile("web-\\d") }, {}, ""],
  [{ kind: "matches", text: "^disk", expression: RE2JS.compile("^disk") }, {}, "the conclusion has no match"],
  [called("files.read"), {}, ""],
  [called("read", {}, 2, 2), {}, ""],
  [called("read", { path: "/var/log", lines: "20", deep: '{"a":1}' }), {}, ""],
  [called("read", { path: "/tmp" }), {}, "called never, and 2 times with other arguments"],
  [called("read", {}, 3), {}, "called 2 times"],
  [called("read", {}, 1, 1), {}, "called 2 times"],
  [called("pods", { namespace: "shop" }), {}, "called never, and once with other arguments"],
  [called("other.read"), {}, "called never"],
  [{ kind: "tool_not_called", name: "delete" }, {}, ""],
  [{ kind: "tool_not_called", name: "k8s.pods" }, {}, "called once"],
  [{ kind: "max_cost_usd", usd: 0.02 }, {}, ""],
  [{ kind: "max_cost_usd", usd: 0.01 }, {}, "cost $0.0200"],
  [{ kind: "max_cost_usd", usd: 1 }, { cost_usd: null }, "the cost is unknown: a model has no price"],
  [{ kind: "max_duration", text: "90s", ms: 90_000 }, {}, ""],
  [{ kind: "max_duration", text: "89s", ms: 89_000 }, {}, "took 1 min 30 s"],
  [{ kind: "max_llm_calls", calls: 4 }, {}, ""],
  [{ kind: "max_llm_calls", calls: 3 }, {}, "made 4"],
  [{ kind: "status", status: "completed" }, {}, ""],
  [{ kind: "status", status: "failed" }, {}, "ended as completed"],
  [{ kind: "min_score", score: 70 }, {}, ""],
  [{ kind: "min_score", score: 71 }, {}, "scored 70"],
  [{ kind: "min_score", score: 1 }, { score: null }, "has no score"],
];

describe("checkAssertion", () => {
  for (const [assertion, difference, reason] of CASES) {
    const { text } = checkAssertion(assertion, FACTS);
    it(`${text}: ${reason === "" ? "passes" : reason}`, () => {
      const checked = checkAssertion(assertion, { ...FACTS, ...difference });
      expect(checked).to.deep.equal({ kind: assertion.kind, text, passed: reason === "", reason });
    });
  }
});
