import { expect } from "chai";
import { KEPT_RESULT_LIMITS } from "#shared/contracts/result-sizes.ts";
import { MAX_RESULT_BYTES } from "#shared/contracts/tool-call.ts";
import { ByteBudget } from "../byte-budget.ts";
import { collectResult } from "../run-tool.ts";

const whole = (text: string) => ({
  text,
  totalBytes: Buffer.byteLength(text),
  isWhole: true,
  isText: true,
});

describe("collectResult", () => {
  const collect = async (pieces: readonly (string | Uint8Array)[], room = 100_000_000) =>
    collectResult(pieces, new ByteBudget(room).reserve());

  it("returns a text unchanged, in whatever pieces it arrives", async () => {
    const text = "Grüße 😀\r\n\uFEFF";
    const bytes = Buffer.from(text);
    expect(await collect([text])).to.deep.equal(whole(text));
    const split = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    expect(await collect(split)).to.deep.equal(whole(text));
    expect(await collect([])).to.deep.equal(whole(""));
  });

  it("returns the first 16 MiB of a longer output, and splits no character", async () => {
    const character = "€".repeat(1_000_000);
    const result = await collect(Array.from({ length: 7 }, () => character));
    expect(result).to.deep.include({ totalBytes: 21_000_000, isWhole: false, isText: true });
    expect(Buffer.byteLength(result.text)).to.be.within(KEPT_RESULT_LIMITS.call - 2, KEPT_RESULT_LIMITS.call);
    expect(result.text.endsWith("€")).to.equal(true);
  });

  it("returns at least 256 KiB while memory is short, and takes none of it for a small output", async () => {
    const pieces = Array.from({ length: 10 }, () => "x".repeat(100_000));
    const short = await collect(pieces, 0);
    expect(short.isWhole).to.equal(false);
    expect(short.text.length).to.equal(MAX_RESULT_BYTES);
    expect((await collect(pieces.slice(0, 2), 0)).isWhole).to.equal(true);
  });

  it("gives the memory back", async () => {
    const budget = new ByteBudget(1_000_000);
    const pieces = ["x".repeat(900_000)];
    for (let n = 0; n < 3; n += 1) {
      using memory = budget.reserve();
      expect((await collectResult(pieces, memory)).isWhole).to.equal(true);
    }
  });

  it("returns Postgres-safe text for any bytes, and says that it is not all text", async () => {
    const bytes = Buffer.from([0x61, 0x00, 0xc3, 0x28, 0xff]);
    expect(await collect([bytes])).to.include({ text: "a\uFFFD\uFFFD(\uFFFD", isText: false });
    expect(await collect(["\0"])).to.include({ text: "\uFFFD", isText: false });
  });
});
