import { expect } from "chai";
import { MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import { showResult } from "#shared/tool-results/show-result.ts";

const NOT_TEXT = "\n[Not all of this result is text: what could not be shown is replaced by \uFFFD.]";
const HANDLE = "1b671a64-40d5-491e-99b0-da01ff1f3341";

const show = (text: string, maxChars: number, more: object = {}) =>
  showResult(
    { text, totalBytes: Buffer.byteLength(text), isWhole: true, isText: true, ...more },
    maxChars,
    HANDLE,
  );

describe("showResult", () => {
  it("shows a text of exactly the limit whole, and keeps nothing", () => {
    const text = "x".repeat(1_000);
    expect(show(text, 1_000)).to.deep.equal({ content: text, kept: null });
    const longest = "x".repeat(MAX_RESULT_BYTES);
    expect(show(longest, MAX_RESULT_BYTES)).to.deep.equal({ content: longest, kept: null });
    expect(show("a\uFFFD", 1_000, { isText: false })).to.deep.equal({
      content: `a\uFFFD${NOT_TEXT}`,
      kept: null,
    });
  });

  it("shows start and end of a longer text, cut at lines, with its size, its lines and how to read on", () => {
    const lines = Array.from({ length: 1_000 }, (_, n) => `line ${n + 1} of the log`);
    const text = `${lines.join("\n")}\n`;
    const { content, kept } = show(text, 2_000);
    expect(content.length).to.be.within(1_500, 2_000);
    const [cut, handle, first, ...rest] = content.trimEnd().split("\n");
    expect(cut).to.equal(`[Cut: this result has ${text.length} bytes in 1000 lines; only a part is shown.`);
    expect(handle).to.equal(
      `All of it is kept: read on with tarsy.result_read, tarsy.result_search, id "${HANDLE}".]`,
    );
    expect(first).to.equal("line 1 of the log");
    expect(rest.at(-1)).to.equal("line 1000 of the log");
    const gap = rest.findIndex((line) => line.startsWith("[… not shown"));
    expect(rest[gap]).to.match(new RegExp(String.raw`about lines ${gap + 2} to \d+ …\]$`, "u"));
    const shown = [first, ...rest.slice(0, gap), ...rest.slice(gap + 1)];
    expect(shown.every((line) => line !== undefined && lines.includes(line))).to.equal(true);
    expect(kept).to.include({ text, bytes: text.length, lines: 1_000 });
    expect(kept?.windowAlone).to.contain("The rest is not kept").and.not.to.contain(HANDLE);
    expect(kept?.windowAlone.length).to.be.at.most(2_000);
  });

  it("tells the shape of JSON", () => {
    const items = Array.from({ length: 300 }, (_, n) => ({ name: `pod-${n}`, spec: { node: n } }));
    const { content } = show(JSON.stringify({ kind: "List", items }), 2_000);
    expect(content).to.contain(
      "\nJSON: {kind: string, items: [300 × {name, spec}]}\nAll of it is kept: read on with tarsy.result_read, tarsy.result_search, tarsy.result_json, id",
    );
  });

  it("keeps the start of an output that was not collected whole, and shows no end", () => {
    const { content, kept } = show("y\n".repeat(500_000), 2_000, { isWhole: false, totalBytes: 50_000_000 });
    expect(content).to.match(
      /^\[Cut: this result has 50000000 bytes; only a part is shown\.\nIts first 1000000 bytes \(500000 lines\) are kept: /u,
    );
    expect(content).to.match(/ …\]$/u);
    expect(kept?.bytes).to.equal(1_000_000);
  });

  for (const character of ["x", "ü", "€", "😀"]) {
    it(`stays within both limits and splits no character of lines of ${character}`, () => {
      for (const lead of ["", "."]) {
        const text = lead + character.repeat(MAX_RESULT_BYTES);
        const { content } = show(text, 10_000_000);
        expect(Buffer.byteLength(content)).to.be.within(MAX_RESULT_BYTES * 0.9, MAX_RESULT_BYTES);
        expect(content.isWellFormed()).to.equal(true);
        const small = show(text, 1_000).content;
        expect(small.length).to.be.at.most(1_000);
        expect(small.isWellFormed()).to.equal(true);
      }
    });
  }
});
