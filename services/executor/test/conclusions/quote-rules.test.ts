import { expect } from "chai";
import { verifyQuotes } from "../../features/conclusions/verify-quotes.ts";

/** What becomes of a quote: `verified`, or `verified: note`, or `altered: note`. */
function outcomeOf(text: string, quote: string, lines = ""): string {
  const [checked] = verifyQuotes(
    [{ claim_id: "c1", list: "claim", source: "r1", lines, quote }],
    [{ id: "r1", kind: "result", text }],
  );
  return checked?.note ? `${checked.outcome}: ${checked.note}` : (checked?.outcome ?? "");
}

const TABLE = `NAME            READY   STATUS    RESTARTS   AGE
cart-7f9c       0/1     Pending   0          70s
ledger-5d4      1/1     Running   4 (2m ago)   5d`;
const ARGO = `GROUP  KIND        NAMESPACE  STATUS     MESSAGE
apps   Deployment  shop       OutOfSync  not ready yet
apps   Service     shop       Synced     unchanged`;
const PODS = JSON.stringify(
  {
    items: [
      {
        name: "cart",
        ready: false,
        restarts: 15,
        limits: { memory: "64Mi", cpu: "1" },
        args: ["-v", "2", "--fast"],
      },
      { name: "shop", ready: true, restarts: 2, limits: { memory: "128Mi" }, note: "" },
    ],
  },
  null,
  2,
);
const LINES = Array.from({ length: 50 }, (_, at) => `${at % 10 === 3 ? "full" : "tick"} at ${at}`).join("\n");

/** A rule, a source, and quotes with their outcomes. */
const RULES: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  [
    "Unicode and white space",
    "the “primary” node — db\u00A0one — can\u2019t st\u00ADart cafe\u0301 \u001B[31mFATAL\u001B[0m disk\\u003efull",
    {
      'the "primary" node - db one - can\'t start caf\u00E9': "verified",
      "the\n   primary node – db\tone": "verified",
      "FATAL disk>full": "verified",
      "st art café FATAL": "absent",
    },
  ],
  [
    "marks divide words and count for nothing",
    '{"state":"CrashLoopBackOff","reason":"Back-off. Stop!","n":[1,200,300],"log":"one\\ntwo \\"three\\""}',
    {
      "state = CrashLoopBackOff": "verified",
      "**state**: `CrashLoopBackOff`": "verified",
      "reason: Back-off Stop": "verified",
      'log: one\ntwo "three"': "verified",
      '"n": [\n 1,\n 200,\n 300\n], "log"': "verified",
      "reason Backoff Stop": "altered: words",
    },
  ],
  [
    "a quote begins and ends at a word's edge",
    "cpu -34.6% of node-12 at 10.0.0.1/24, ready 0/1",
    {
      "-34.6% of node-12": "verified",
      "34.6% of node-12": "altered: words",
      "of node-12 at 10.0.0.1": "altered: words",
      "of node-1": "absent",
      "cpu -34.6% of node-1": "altered: words",
    },
  ],
  [
    "case",
    "Memory limit 300m Was reached By the Pod cart in Namespace shop",
    {
      "memory limit 300m Was reached": "verified: case",
      "MEMORY LIMIT 300m was reached": "altered: case",
      "Memory limit 300M Was reached": "altered: case",
    },
  ],
  [
    "case of a word with digits",
    "Pod7 failed at once, R7x too",
    { "pod7 failed at once": "verified: case", "at once r7X too": "altered: case" },
  ],
  [
    "numbers",
    "took 5000 ms, rate 98.3471%, load 0.04967, p99 1,234,567 at 12.5Gi and 10:15:30.123 or 1.2345e-05, -2.3456 down, size 1734",
    {
      "took 5,000 ms, rate": "verified",
      "p99 1234567 at": "verified",
      "rate 98.35% load": "verified: rounded",
      "rate 98% load": "verified: rounded",
      "load 0.050, p99": "verified: rounded",
      "load 0.05, p99": "altered: words",
      "rate 98.34% load": "altered: words",
      "rate 98.35 load": "altered: words",
      "at 13Gi and": "verified: rounded",
      "and 10:15:30.12 or": "altered: words",
      "or 1.23e-05 and": "absent",
      "2.35 down, size": "altered: words",
      "-2.35 down, size": "verified: rounded",
      "down, size 1730": "altered: words",
    },
  ],
  [
    "numbers that are names",
    'image busybox:1.35 runs version 1.28, "cpu":1.284 of it',
    {
      "image busybox:1.3 runs": "altered: words",
      "runs version 1.3, cpu": "altered: words",
      '"cpu":1.28 of': "verified: rounded",
    },
  ],
  [
    "bounds of numbers",
    "alert if usage > 90% for 5m, or if free <= 12 GiB -> page",
    {
      "alert if usage >90% for": "verified",
      "alert if usage < 90% for": "altered: words",
      "or if free >= 12 GiB": "altered: words",
    },
  ],
  [
    "an ellipsis",
    'alpha beta gamma delta not epsilon zeta\neta theta iota kappa\n{"a":{"name":"x","b":[1]},"c":{"phase":"Up"}},{"name":"y","phase":"Down"}',
    {
      "alpha beta … delta not": "verified",
      "alpha … gamma [...] zeta": "altered: ellipsis",
      "beta gamma ... epsilon zeta": "altered: ellipsis",
      "delta not epsilon zeta … eta theta": "verified",
      "delta not epsilon zeta … eta": "verified",
      "alpha beta … eta theta": "altered: ellipsis",
      "delta not epsilon zeta … theta iota": "altered: ellipsis",
      "theta iota … alpha beta": "absent",
      "name: x … phase: Up": "verified",
      "name: x … phase: Down": "altered: ellipsis",
      "… gamma delta not …": "verified",
    },
  ],
  [
    "a negation before the quote",
    "the node is not quite ready now\nit isn't yet running here\nready at last: running here",
    {
      "quite ready now": "altered: negation",
      "ready now it isn't": "altered: negation",
      "it isn't yet running": "verified",
      "yet running here": "altered: negation",
      "running here": "verified",
      "the node is ready now": "altered: words",
    },
  ],
  [
    "cells of a table",
    TABLE,
    {
      "cart-7f9c Pending 70s": "verified: cells",
      "cart-7f9c STATUS Pending": "verified: cells",
      "cart-7f9c Status: Pending": "verified: cells",
      "NAME cart-7f9c READY 0/1 AGE 70s": "verified: cells",
      "ledger-5d4 RESTARTS 4 (2m ago)": "verified: cells",
      "ledger-5d4 RESTARTS 4": "altered: words",
      "cart-7f9c READY Pending": "altered: words",
      "NAME cart-7f9c": "absent",
      "cart-7f9c Running 70s": "altered: words",
      "cart-7f9c 70s Pending": "altered: words",
      "Pending RESTARTS 0 70s": "altered: words",
    },
  ],
  [
    "cells that negate",
    ARGO,
    { "apps Service Synced": "verified: cells", "apps Deployment OutOfSync": "verified: cells" },
  ],
  [
    "the first cell, which is kept",
    "x1-pod  alpha  q  x1-pod  beta",
    { "alpha x1-pod beta": "altered: words", "x1-pod q beta": "verified: cells" },
  ],
  [
    "two tables",
    "NAME  SIZE  AGE\ncart-1  4  70s\n\nNAME  NODE  ZONE\nshop-1  n7  eu-1",
    { "shop-1 ZONE eu-1": "verified: cells", "shop-1 AGE eu-1": "altered: words" },
  ],
  ["a list of numbers", "values [1,200,300, 4] end", { "values [ 1, 200, 300, 4 ]": "verified" }],
  [
    "a left out cell that negates",
    "a1-b  not ready  Running  here",
    { "a1-b Running here": "altered: negation" },
  ],
  [
    "single spaces below headings in capitals",
    "NAME READY STATUS\ncart-7f9c 0/1 Pending\nshop-1 1/1 Running",
    { "cart-7f9c Pending": "verified: cells", "shop-1 Pending": "absent" },
  ],
  [
    "members of a JSON object",
    PODS,
    {
      '{"restarts":15,"ready":false}': "verified: members",
      "restarts: 15, name: cart": "verified: members",
      '"limits": {"memory": "64Mi"}, "restarts": 15': "verified: members",
      '{"args":["-v","--fast"],"name":"cart"}': "verified: members",
      '{"restarts":15,"name":"shop"}': "absent",
      '{"restarts":2,"restarts":15,"name":"cart"}': "absent",
      '{"args":[],"name":"cart"}': "altered: words",
      '{"restarts":15,"limits":{"memory":"128Mi"}}': "altered: words",
      '{"args":["--fast","-v"],"name":"cart"}': "altered: words",
    },
  ],
  [
    "numbers of lines",
    "disk is full\nnode is down\n12: raid is gone",
    {
      "1: disk is full\n2: node is down": "verified",
      "L1: disk is full": "verified",
      "1 | disk is full": "verified",
      "12: raid is gone": "verified",
      "13: raid is gone": "altered: words",
    },
  ],
  [
    "masked words",
    "token: [MASKED_TOKEN:0a1b2c] for cart\nurl: http://user:[MASKED_PASSWORD:ffffff]@db",
    {
      "token: [MASKED_TOKEN:0a1b2c] for cart": "verified",
      "token: [MASKED_TOKEN] for cart": "verified: masked",
      "token: [MASKED_PASSWORD] for cart": "altered: masked",
      "token: [MASKED_TOKEN:0a1b2d] for cart": "altered: masked",
      "token: abcdef for cart": "altered: masked",
      "//user:[MASKED_PASSWORD:ffffff]@db": "verified",
    },
  ],
  [
    "short quotes",
    LINES,
    {
      "full at": "absent: too_short",
      "at 13": "absent: too_short",
      "full at 13": "verified",
      full: "absent: too_short",
    },
  ],
];

describe("verifyQuotes follows the rules of", () => {
  for (const [rule, text, quotes] of RULES) {
    it(rule, () => {
      const outcomes = Object.keys(quotes).map((quote) => [quote, outcomeOf(text, quote)]);
      expect(Object.fromEntries(outcomes)).to.deep.equal(quotes);
    });
  }

  it("lines, which choose among places and are corrected", () => {
    const at = (quote: string, lines: string) => {
      const [checked] = verifyQuotes(
        [{ claim_id: "c1", list: "claim", source: "r1", lines, quote }],
        [{ id: "r1", kind: "result", text: "the disk is full\nx\n\nthe disk is full\ny\nthe disk is full" }],
      );
      return [checked?.line_from, checked?.line_to, checked?.note];
    };
    expect(at("disk is full", "")).to.deep.equal([1, 1, null]);
    expect(at("disk is full", "4")).to.deep.equal([4, 4, null]);
    expect(at("disk is full", "L5-6")).to.deep.equal([6, 6, null]);
    expect(at("disk is full", "900")).to.deep.equal([6, 6, "lines"]);
    expect(at("disk is full x", "4")).to.deep.equal([1, 2, "lines"]);
  });

  it("short quotes, which are looked for in their lines only", () => {
    for (const lines of ["14", "14-15"]) expect(outcomeOf(LINES, "full", lines)).to.equal("verified");
    expect(outcomeOf("x\nrestarts 1\ny", "1", "2")).to.equal("absent: too_short");
    expect(outcomeOf(LINES, "full", "15")).to.equal("absent");
    expect(outcomeOf(LINES, "at 13", "14")).to.equal("verified");
  });

  it("lines, which are counted as tarsy.result_read counts them", () => {
    const text = `${"word ".repeat(500)}\nthe disk is full\n${"x".repeat(1_000)}\nthe node is down`;
    const at = (quote: string) => {
      const source = { id: "r1", kind: "result", text } as const;
      const [checked] = verifyQuotes(
        [{ claim_id: "c1", list: "claim", source: "r1", lines: "", quote }],
        [source],
      );
      return checked?.line_from;
    };
    expect(at("the disk is full")).to.equal(4);
    expect(at("the node is down")).to.equal(6);
  });
});
