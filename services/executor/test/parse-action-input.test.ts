import { expect } from "chai";
import { parseActionInput } from "../react-parser/parse-action-input.ts";
import { checkInput } from "./react-fuzz.ts";

const CASES: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ["nothing", "", {}],
  ["whitespace", " \n\t", {}],
  ["an empty object", "{}", {}],
  ["a JSON object", '{"a": 1, "b": [true, null]}', { a: 1, b: [true, null] }],
  ["a JSON object over several lines", '{\n  "a": {\n    "b": "c"\n  }\n}', { a: { b: "c" } }],
  ["a JSON object in a fence", '```json\n{"a": 1}\n```', { a: 1 }],
  ["markers in a JSON string", '{"a": "Action: x\\nFinal Answer: y"}', { a: "Action: x\nFinal Answer: y" }],
  ["a JSON list", "[1, 2]", { input: [1, 2] }],
  ["a JSON string", '"prod"', { input: "prod" }],
  ["a JSON number", "42", { input: 42 }],
  ["a JSON null", "null", { input: null }],
  ["a JSON boolean", "true", { input: true }],
  [
    "a JSON number beyond range",
    '{"a": 1e400, "b": [-1e999]}',
    { a: JSON.rawJSON("1e400"), b: [JSON.rawJSON("-1e999")] },
  ],
  ["a YAML list", "pods:\n  - a\n  - b", { pods: ["a", "b"] }],
  ["a YAML map", "labels:\n  app: web\n  n: 2\nall: true", { labels: { app: "web", n: 2 }, all: true }],
  ["a YAML map in a fence", "```yaml\nlabels:\n  app: web\n```", { labels: { app: "web" } }],
  ["a YAML flow list", "pods: [a, b]", { pods: ["a", "b"] }],
  [
    "a YAML map that was trimmed",
    "ns: prod\n  labels:\n    app: web",
    { ns: "prod", labels: { app: "web" } },
  ],
  ["a YAML text block beside a list", "s: |\n  a\n    b\nx: []", { s: "a\n  b\n", x: [] }],
  ["a YAML map with an alias", "a: &x [1]\nb: *x", { a: [1], b: [1] }],
  ["braces without quotes", "{a: 1, b: 'x'}", { a: 1, b: "x" }],
  ["a pair", "namespace: prod", { namespace: "prod" }],
  ["pairs on lines", "ns: prod\npod: web-1", { ns: "prod", pod: "web-1" }],
  ["pairs with commas", "ns: prod, pod: web-1", { ns: "prod", pod: "web-1" }],
  ["pairs with equals signs", "ns=prod\nlimit=5", { ns: "prod", limit: 5 }],
  ["pairs of both kinds", "ns: prod, limit=5,", { ns: "prod", limit: 5 }],
  ["pairs with booleans", "a: true\nb: FALSE", { a: true, b: false }],
  ["pairs with nothing", "a: null\nb: None\nc:", { a: null, b: null, c: "" }],
  ["pairs with numbers", "a: -3\nb: 2.5\nc: 1e3\nd: +7\ne: .5", { a: -3, b: 2.5, c: 1000, d: 7, e: 0.5 }],
  [
    "pairs with no numbers",
    "a: 1.2.3\nb: 0x1f\nc: inf\nd: 1e999\ne: 5m",
    { a: "1.2.3", b: "0x1f", c: "inf", d: "1e999", e: "5m" },
  ],
  [
    "integers that a double would change",
    "id: 12345678901234567890, n: 90071992547409931",
    { id: "12345678901234567890", n: "90071992547409931" },
  ],
  ["pairs with quotes", "a: \"x\", b: '5'", { a: "x", b: "5" }],
  ["pairs with quoted keys", '"ns": "prod", "n": 1', { ns: "prod", n: 1 }],
  ["pairs with colons in values", "url: http://x:80/y", { url: "http://x:80/y" }],
  ["pairs with Windows line ends", "a: 1\r\nb: 2\r\n", { a: 1, b: 2 }],
  ["pairs of which one is not a pair", "a: 1, hello", { input: "a: 1, hello" }],
  ["keys with spaces", "the pod: web", { input: "the pod: web" }],
  ["empty keys", ": web", { input: ": web" }],
  ["a sentence", "list all pods", { input: "list all pods" }],
  ["a sentence with a comma", "note: hello, world", { input: "note: hello, world" }],
  ["a command in quotes", "`ls -l`", { input: "`ls -l`" }],
  ["broken JSON", '{"a": 1', { input: '{"a": 1' }],
  ["only separators", ",,\n,", { input: ",,\n," }],
  ["two YAML documents", "a: [1]\n---\nb: [2]", { input: "a: [1]\n---\nb: [2]" }],
];

describe("parseActionInput", () => {
  for (const [name, text, expected] of CASES) {
    it(`reads ${name}`, () => {
      expect(parseActionInput(text)).to.deep.equal(expected);
      checkInput(text);
    });
  }

  it("keeps a key called __proto__", () => {
    for (const text of ['{"__proto__": {"x": 1}}', "__proto__:\n  x: 1", "__proto__: 1"]) {
      const parameters = parseActionInput(text);
      expect(Object.keys(parameters), text).to.deep.equal(["__proto__"]);
      expect(Object.getPrototypeOf(parameters)).to.equal(Object.prototype);
    }
    expect(Object.keys({})).to.deep.equal([]);
  });

  it("limits the expansion and the depth of hostile text", () => {
    const deep = 100_000;
    const bombs = [
      "[".repeat(deep) + "]".repeat(deep),
      '{"a":'.repeat(deep) + "1" + "}".repeat(deep),
      "- ".repeat(deep),
      `a: ${"[".repeat(deep)}`,
      `x: &a [1,1,1,1,1,1,1,1]\n${["a", "b", "c", "d", "e"].map((key, at, all) => `y${key}: &${all[at + 1] ?? "z"} [*${key},*${key},*${key},*${key}]`).join("\n")}`,
      "a: &a [*a]",
    ];
    for (const text of bombs) {
      expect(JSON.stringify(parseActionInput(text)).length).to.be.below(3 * text.length + 50);
    }
  });

  it("accepts NUL, lone surrogates and megabytes", () => {
    for (const text of [
      "\u0000",
      "a: \u0000",
      '{"a": "\uD83D"}',
      "\uDEA8: [1]",
      "x".repeat(2 ** 20),
      "a: 1\n".repeat(200_000),
    ]) {
      checkInput(text);
    }
  });

  it("replaces NUL and lone surrogates in values and keys, escaped ones too", () => {
    for (const text of [
      '{"a\\u0000": ["b\\ud800", {"\\udc00": "\\u0000"}]}',
      'a\u0000: ["b\\uD800", { \uDC00: "\\0" }]',
    ]) {
      expect(parseActionInput(text)).to.deep.equal({ "a\uFFFD": ["b\uFFFD", { "\uFFFD": "\uFFFD" }] });
    }
    expect(parseActionInput("a: \u0000b")).to.deep.equal({ a: "\uFFFDb" });
    expect(parseActionInput("a\u0000 b")).to.deep.equal({ input: "a\uFFFD b" });
    expect(parseActionInput('{"a\\u0000": 1, "a\\ud800": 2}')).to.deep.equal({ "a\uFFFD": 2 });
    expect(JSON.stringify(parseActionInput('{"__proto__": "\\u0000"}'))).to.equal('{"__proto__":"\uFFFD"}');
  });
});
