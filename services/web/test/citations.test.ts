import { expect } from "chai";
import { expectLinear } from "../../../test/support/expect-linear.ts";
import { citedSpans } from "../session/cited-spans.ts";
import { findSources } from "../session/citations.ts";
import type { TimelineEntry } from "../session/session-view.ts";
import { exampleEntry } from "./example-entry.ts";

const call = (id: string, tool: string, written: string, content: string): TimelineEntry =>
  exampleEntry({ id, type: "llm_tool_call", content, call: { server: "files", tool, arguments: written } });

const named = (text: string, entries: readonly TimelineEntry[]) =>
  Object.fromEntries([...findSources([text], entries)].map(([term, { id }]) => [term, id]));

const SLOTS = call(
  "slots",
  "read_file",
  '{"path":"payments/metrics/slots.csv"}',
  "time,slots\n10:00,0 slots free",
);
const LOG = call(
  "log",
  "read_file",
  '{"path":"payments/logs/app.log"}',
  "10:01 remaining connection slots are reserved",
);

describe("the sources that a conclusion names", () => {
  it("are the calls of the files, tools and words that it names", () => {
    const list = call("list", "list_directory", '{"path":"payments"}', "metrics/slots.csv\nlogs/app.log");
    expect(
      named(
        'See `payments/metrics/slots.csv` and logs/app.log, "remaining connection slots", and files.list_directory.',
        [SLOTS, LOG, list],
      ),
    ).to.deep.equal({
      "payments/metrics/slots.csv": "slots",
      "logs/app.log": "log",
      "remaining connection slots": "log",
      "files.list_directory": "list",
    });
  });

  it("are lines of code blocks and quotations, and what an ellipsis leaves of a quote", () => {
    expect(
      named("```\n10:00,0 slots free\n```\n> connection slots are reserved\n\n“remaining … are reserved”", [
        SLOTS,
        LOG,
      ]),
    ).to.deep.equal({
      "10:00,0 slots free": "slots",
      "connection slots are reserved": "log",
      "are reserved": "log",
    });
  });

  it("are none where two calls have the term, but one where the same call was made twice", () => {
    const other = call(
      "other",
      "read_file",
      '{"path":"b.txt"}',
      "10:01 remaining connection slots are reserved",
    );
    expect(named('"remaining connection slots"', [LOG, other])).to.deep.equal({});
    expect(named('"remaining connection slots"', [LOG, { ...LOG, id: "again" }])).to.deep.equal({
      "remaining connection slots": "log",
    });
    expect(named("files.read_file", [SLOTS, LOG])).to.deep.equal({});
  });

  it("are the repeated call that succeeded, and of several results the last one", () => {
    const failed = { ...LOG, id: "failed", status: "failed", content: "no such file" } as const;
    expect(named("logs/app.log", [failed, LOG])).to.deep.equal({ "logs/app.log": "log" });
    expect(named("logs/app.log", [LOG, failed])).to.deep.equal({ "logs/app.log": "log" });
    const [first, second] = [
      call("first", "pods", "{}", "api-7d9f Running"),
      call("second", "pods", "{}", "api-7d9f Crashed"),
    ];
    expect(named('"api-7d9f"', [first, second])).to.deep.equal({ "api-7d9f": "second" });
  });

  it("are no file of another directory, and no name that only begins or ends alike", () => {
    const values = call(
      "values",
      "read_file",
      '{"path":"charts/checkout/values.yaml"}',
      "my-app.log.1 10.0.0.12",
    );
    expect(named("charts/payment/values.yaml, app.log, `10.0.0.1`", [values])).to.deep.equal({});
    expect(named("checkout/values.yaml", [values])).to.deep.equal({ "checkout/values.yaml": "values" });
    expect(citedSpans("a 10.0.0.12\nb 10.0.0.1", ["10.0.0.1"])).to.deep.equal([{ from: 12, to: 22 }]);
  });

  it("are no common words and no parts of words", () => {
    const pods = call("pods", "memory", "{}", "memory is full, the deployment restarts, timeslots.csv");
    expect(
      named('The `memory` is "full", "deployment" and `pods`. Memory, slots.csv.', [pods]),
    ).to.deep.equal({});
  });

  it("are tool calls only, with an end", () => {
    const thought = exampleEntry({ content: "I read `a-file.txt`" });
    const open = { ...SLOTS, status: "streaming" } as const;
    expect(named("`a-file.txt`, slots.csv", [thought, open])).to.deep.equal({});
  });

  it("take signs of patterns as letters", () => {
    for (const term of ["a.*(b|c)+[d]", "$&$1\\d{3}", "(?:x+x+)+y!!"]) {
      expect(named(`\`${term}\``, [SLOTS, call("own", "grep", "{}", `line ${term} end`)])).to.deep.equal({
        [term]: "own",
      });
    }
  });

  const equal = Array.from({ length: 200 }, (_, n) => `\`${"a".repeat(180)}${n}\``).join(" ");
  const many = Array.from({ length: 200 }, (_, n) => `dir/file-${n}.txt "quote number ${n}"`).join(" ");
  for (const [name, conclusion, part] of [
    ["equal beginnings", equal, "a"],
    ["quotes that are everywhere", many, "quote number 7 of dir/file-9.txt\n"],
  ] as const) {
    it(`take time in proportion to the results: ${name}`, () => {
      expectLinear(name, {
        size: 4_000,
        textOf: (size) => part.repeat(size),
        work: (text) => findSources([conclusion], [call("a", "t", "{}", text)]),
      });
    });
  }

  for (const [name, part] of [
    ["quotes that do not end", "“«"],
    ["names that do not end", "a."],
    ["directories", "/"],
    ["fences", "```\n"],
  ] as const) {
    it(`take time in proportion to the conclusion: ${name}`, () => {
      expectLinear(name, {
        size: 4_000,
        textOf: (size) => part.repeat(size),
        work: (text) => findSources([text], [SLOTS]),
      });
    });
  }

  it("take time in proportion to the number of calls", () => {
    expectLinear("calls", {
      size: 500,
      textOf: (size) => "x".repeat(size),
      work: ({ length }) =>
        findSources(
          [many],
          Array.from({ length }, (_, n) => call(`${n}`, "read", `{"n":${n}}`, `quote number ${n} `)),
        ),
    });
  });
});

describe("the marked parts of a cited result", () => {
  const parts = (text: string, words: readonly string[]) =>
    citedSpans(text, words).map(({ from, to }) => text.slice(from, to));

  it("are the lines with the words, each once and in order", () => {
    expect(parts("one\ntwo slots\nthree\nfour slots two", ["slots", "two"])).to.deep.equal([
      "two slots",
      "four slots two",
    ]);
    expect(parts("first line\nsecond", ["first"])).to.deep.equal(["first line"]);
    expect(parts("a b\nc d\ne", ["b\nc"])).to.deep.equal(["a b\nc d"]);
    expect(parts("text", ["", "other"])).to.deep.equal([]);
  });

  it("are the words alone in a long line", () => {
    expect(parts(`${"x ".repeat(1_000)}slots${" y".repeat(1_000)}`, ["slots"])).to.deep.equal(["slots"]);
  });
});
