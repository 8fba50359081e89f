import { expect } from "chai";
import { summaryText } from "../summarize-session.ts";

const lines = (count: number, end = "\n") =>
  Array.from({ length: count }, (_, n) => `line ${n + 1}`).join(end);

describe("summaryText", () => {
  it("changes only the whitespace around a short summary", () => {
    expect(summaryText("In short.")).to.equal("In short.");
    expect(summaryText(`\n ${lines(4)} \n\n`)).to.equal(lines(4));
    expect(summaryText(lines(8))).to.equal(lines(8));
    expect(summaryText("x".repeat(2_000))).to.equal("x".repeat(2_000));
    expect(summaryText(" \n\t\r\n ")).to.equal("");
  });

  it("truncates after the eighth line, with any line break", () => {
    for (const end of ["\n", "\r\n", "\r", "\u2028", "\u2029"]) {
      expect(summaryText(lines(200, end))).to.equal(`${lines(8)}…`);
      expect(summaryText(lines(4, end))).to.equal(lines(4));
    }
  });

  it("truncates a megabyte to two thousand code units without splitting a character", () => {
    expect(summaryText("x".repeat(1024 * 1024))).to.equal(`${"x".repeat(2_000)}…`);
    expect(summaryText(`x${"💾".repeat(5_000)}`)).to.equal(`x${"💾".repeat(999)}…`);
  });

  it("is Postgres-safe", () => {
    expect(summaryText("a\0b\uD800c")).to.equal("a\uFFFDb\uFFFDc");
  });
});
