import { expect } from "chai";
import { textLines } from "#shared/text-lines.ts";
import { queryText } from "../tools/built-in/query-text.ts";
import { readQuery } from "../tools/built-in/read-query.ts";

const LOG = `${Array.from({ length: 500 }, (_, n) => `line ${n + 1}${n % 100 === 99 ? " error" : ""}`).join("\n")}\n`;
const PODS = JSON.stringify({ items: [{ "a.b": 1, name: "x" }, { name: "y" }], kind: "List" });
const ask = (text: string, query: Parameters<typeof queryText>[1], maxChars = 10_000) =>
  queryText(text, query, maxChars);

describe("questions about a kept text", () => {
  it("count a long line as several and no line behind the last break", () => {
    const linesOf = (text: string) => [...textLines(text)].map(({ start, end }) => text.slice(start, end));
    expect(linesOf("")).to.deep.equal([]);
    expect(linesOf("a\n\nb\n")).to.deep.equal(["a", "", "b"]);
    const long = `${"x".repeat(999)}😀${"y".repeat(1_500)}\nz`;
    expect(linesOf(long).map(({ length }) => length)).to.deep.equal([999, 1_000, 502, 1]);
    expect(linesOf(long).join("")).to.equal(long.replace("\n", ""));
  });

  it("take time in proportion to a text without line breaks", function () {
    this.timeout(20_000);
    let count = 0;
    for (const _line of textLines("x".repeat(16 * 1024 * 1024))) count += 1;
    expect(count).to.equal(16_778);
  });

  it("read lines, and say how to go on", () => {
    const read = (fromLine: number, lines: number, maxChars?: number) =>
      ask(LOG, { kind: "read", fromLine, lines }, maxChars);
    expect(read(2, 2)).to.deep.equal({
      content: "[Lines 2 to 3 of 500; go on with from_line 4]\nline 2\nline 3",
      isError: false,
    });
    expect(read(499, 10).content).to.equal("[Lines 499 to 500 of 500]\nline 499\nline 500 error");
    expect(read(1, 500, 20).content).to.equal(
      "[Lines 1 to 2 of 500; go on with from_line 3]\nline 1\nline 2",
    );
    expect(read(501, 1)).to.deep.equal({
      content: "The result has 500 lines: there is no line 501.",
      isError: true,
    });
  });

  it("find text or a regular expression, with context as grep shows it", () => {
    const search = (pattern: string, isRegex = false, context = 0) =>
      ask(LOG, { kind: "search", pattern, isRegex, context });
    expect(search("0 error").content.split("\n")).to.deep.equal([
      "[5 hits in 500 lines]",
      "100: line 100 error",
      "--",
      "200: line 200 error",
      "--",
      "300: line 300 error",
      "--",
      "400: line 400 error",
      "--",
      "500: line 500 error",
    ]);
    expect(search("^line 1?00 e", true, 1).content).to.equal(
      "[1 hit in 500 lines]\n99- line 99\n100: line 100 error\n101- line 101",
    );
    expect(search("(").content).to.equal("[No hit in 500 lines]");
    expect(search("(", true)).to.have.property("isError", true);
    expect(
      ask("a\n".repeat(5_000), { kind: "search", pattern: "a", isRegex: false, context: 0 }).content,
    ).to.match(
      /^\[1000 hits or more in 5000 lines; shown are those up to line \d+, ask for less to see others\]\n/u,
    );
  });

  it("select values of JSON", () => {
    const json = (path: string, maxChars?: number) => ask(PODS, { kind: "json", path }, maxChars);
    expect(json("items[*].name").content).to.equal('[\n "x",\n "y"\n]');
    expect(json('$.items[0]["a.b"]')).to.deep.equal({ content: "1", isError: false });
    expect(json("").content).to.equal(JSON.stringify(JSON.parse(PODS), null, 1));
    expect(json("items", 10).content).to.match(
      /^\[This value has \d+ characters as JSON; only the first 10/u,
    );
    expect(json("items[2]").content).to.equal(
      'There is no such value: the value up to "items" is a list of 2.',
    );
    expect(json("nothing.here").content).to.equal(
      "There is no such value: the result has the keys items, kind.",
    );
    for (const path of ["items[", "a..b", "a[b]", '["a']) expect(json(path).isError, path).to.equal(true);
    expect(ask("no JSON", { kind: "json", path: "" }).isError).to.equal(true);
    expect(json("constructor").isError).to.equal(true);
  });

  it("are read from arguments in both notations, and refused with the reason", () => {
    expect(readQuery("result_read", { id: "i", from_line: "5" })).to.deep.equal({
      id: "i",
      query: { kind: "read", fromLine: 5, lines: 200 },
    });
    expect(readQuery("result_search", { id: "i", pattern: 7, regex: "true", context: 2 })).to.deep.equal({
      id: "i",
      query: { kind: "search", pattern: "7", isRegex: true, context: 2 },
    });
    expect(readQuery("result_json", { input: "i" }))
      .to.have.property("problem")
      .that.contains('"id" is missing');
    for (const bad of [{ from_line: 0 }, { from_line: 1.5 }, { lines: "many" }, { lines: -1 }]) {
      expect(readQuery("result_read", { id: "i", ...bad })).to.have.property("problem");
    }
  });
});
