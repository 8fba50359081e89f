import { expect } from "chai";
import { LoopDetector, type Loop } from "../grpc/detect-loop.ts";
import { prose } from "./wire.ts";
import { expectLinear } from "../../../test/support/expect-linear.ts";

/** The first loop in a text that grows in pieces of this size, and how much of the text had come. */
function search(text: string, size: number): { readonly loop: Loop; readonly after: number } | undefined {
  const detector = new LoopDetector();
  for (let at = 0; at < text.length; at += size) {
    const loop = detector.add(text.slice(at, at + size));
    if (loop !== undefined) return { loop, after: at + size };
  }
  return undefined;
}

describe("LoopDetector", () => {
  for (const size of [1, 7, 333, 20_000]) {
    it(`finds a short unit that repeats without end, in pieces of ${size}`, () => {
      const found = search("abc".repeat(5_000), size);
      expect(found?.after).to.be.at.most(Math.max(2_500, size));
      expect(found?.loop.keep).to.equal(3);
      expect(found?.loop.unit).to.equal("abc");
    });

    it(`keeps what comes before the first repetition, in pieces of ${size}`, () => {
      const before = prose(4_321);
      for (const unit of [
        "Let me check the pods again.\n",
        `${prose(480)} and so on.\n`,
        "ну и ",
        "👍🏽 ok ",
      ]) {
        const found = search(before + unit.repeat(Math.ceil(9_000 / unit.length)), size);
        expect(found?.loop.keep).to.be.within(before.length, before.length + unit.length);
        expect(found?.loop.unit.length).to.equal(unit.length);
        expect(found?.loop.times).to.be.at.least(5);
      }
    });
  }

  it("finds endless filler later than endless words", () => {
    for (const unit of ["0", "-", "\n", "00 ", "|---", ". ", "ff "]) {
      expect(search(unit.repeat(3_000 / unit.length), 10)).to.equal(undefined);
      expect(search(unit.repeat(12_000 / unit.length), 10)).not.to.equal(undefined);
    }
  });

  const row = (n: number) => `| pod-${n} | Running | 0 | ${n * 7}m |`;
  const table = Array.from({ length: 300 }, (_, n) => row(n)).join("\n");
  const dump = Array.from(
    { length: 200 },
    (_, n) => `${(n * 16).toString(16).padStart(8, "0")}  ${"00 ".repeat(16)}|${".".repeat(16)}|`,
  );
  const json = Array.from({ length: 200 }, (_, n) => ({ name: `pod-${n}`, status: "Running", restarts: 0 }));
  for (const [what, text] of Object.entries({
    "a table": table,
    "a table with wide rules": `${"-".repeat(300)}\n${table}\n${"=".repeat(300)}\n`,
    "the separator of a very wide table": `|${" ------------------ |".repeat(60)}\n${table}`,
    "a dump of zeros": dump.join("\n"),
    "a page of zeros": `${"0".repeat(3_000)}\n${table}`,
    "JSON with similar rows": JSON.stringify(json, null, 2),
    "identical log lines": `${"connection to db-1 refused, retrying\n".repeat(25)}${table}`,
    "a repetition that ended": `${"again and ".repeat(120)}${table}`,
    "numbered lines": Array.from({ length: 500 }, (_, n) => `${n}. Check the pod and its logs.`).join("\n"),
    prose: prose(30_000),
  })) {
    it(`finds none in ${what}`, () => {
      for (const size of [3, 50, 1_999, 20_000]) expect(search(text, size)).to.equal(undefined);
    });
  }

  it("takes time linear in the worst text", () => {
    const almost = `${"a".repeat(499)}b`.repeat(2) + `${"a".repeat(499)}c`;
    const textOf = (size: number) => almost.repeat(size / almost.length);
    expectLinear("nearly a loop", {
      size: 15_000,
      textOf,
      work: (text) => expect(new LoopDetector().add(text)).to.equal(undefined),
    });
  });
});
