import { expect } from "chai";
import { MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import { collectResult } from "../collect-result.ts";

const NOT_TEXT = "\n[Not all of this result is text: what could not be shown is replaced by \uFFFD.]";

describe("collectResult", () => {
  it("returns what fits unchanged, in whatever pieces it arrives", async () => {
    const text = "Grüße 😀\r\n\uFEFF";
    const bytes = Buffer.from(text);
    expect(await collectResult([text], 1_000)).to.equal(text);
    const split = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(await collectResult(split, 1_000)).to.equal(text);
    expect(await collectResult([], 1_000)).to.equal("");
  });

  it("does not truncate a text of exactly the limit", async () => {
    const text = "x".repeat(1_000);
    expect(await collectResult([text], 1_000)).to.equal(text);
    const longest = "x".repeat(MAX_RESULT_BYTES);
    expect(await collectResult([longest], MAX_RESULT_BYTES)).to.equal(longest);
  });

  it("truncates a longer text within the limit, with a remark on its size", async () => {
    const text = await collectResult(["x".repeat(1_001)], 1_000);
    expect(text).to.equal(
      `${"x".repeat(750)}\n[Cut: this result has 1001 bytes, only the first 750 are shown.]`,
    );
  });

  it("truncates by bytes too, and between characters", async () => {
    for (const character of ["x", "ü", "€", "😀"]) {
      const text = await collectResult([`.${character.repeat(MAX_RESULT_BYTES)}`], 10_000_000);
      expect(Buffer.byteLength(text)).to.be.within(MAX_RESULT_BYTES - 600, MAX_RESULT_BYTES);
      expect(text.isWellFormed()).to.equal(true);
      expect(text).to.not.contain("\uFFFD");
      expect(text).to.contain(
        `[Cut: this result has ${Buffer.byteLength(character) * MAX_RESULT_BYTES + 1} bytes`,
      );
    }
  });

  it("splits no surrogate pair", async () => {
    for (const lead of ["", "."]) {
      const text = await collectResult([lead + "😀".repeat(1_000)], 1_000);
      expect(text.isWellFormed()).to.equal(true);
      expect(text.length).to.be.at.most(1_000);
    }
  });

  it("returns Postgres-safe text for any bytes, with a remark", async () => {
    const bytes = Buffer.from([0x61, 0x00, 0xc3, 0x28, 0xff]);
    expect(await collectResult([bytes], 1_000)).to.equal(`a\uFFFD\uFFFD(\uFFFD${NOT_TEXT}`);
    expect(await collectResult(["\0"], 1_000)).to.equal(`\uFFFD${NOT_TEXT}`);
  });

  it("stays within the limits when every byte becomes three", async () => {
    const text = await collectResult([Buffer.alloc(3_000_000, 0xff)], 10_000_000);
    expect(Buffer.byteLength(text)).to.be.at.most(MAX_RESULT_BYTES);
    expect(text).to.contain("[Cut: this result has 3000000 bytes").and.to.contain(NOT_TEXT);
  });
});
