import { expect } from "chai";
import { base64, masked } from "./masking-fixture.ts";

const VALUE = "Hunter2Secret99";
const SECRET = JSON.stringify({ kind: "Secret", data: { foo: base64(VALUE) } }, null, 2);
const middle = SECRET.indexOf(base64(VALUE)) + 6;

/** Masks the parts of one result, which newlines join. */
function maskedParts(parts: readonly string[]): string {
  const seams: number[] = [];
  let at = -1;
  for (const { length } of parts.slice(0, -1)) {
    at += length + 1;
    seams.push(at);
  }
  return masked(parts.join("\n"), { seams }).text;
}

describe("a value split over parts of a result is masked", () => {
  const split: Readonly<Record<string, readonly string[]>> = {
    "in two": ["password: Hunter2", "Secret99"],
    "in three": ["DB_PASSWORD=Hun", "ter2", "Secret99"],
    "with more behind it": ["password: Hunter2", "Secret99 is the password", "all is well"],
    "in its key": ['{"pass', `word": "${VALUE}"}`],
    "in the data of a Secret": [SECRET.slice(0, middle), SECRET.slice(middle)],
    "between the key and the data": [SECRET.slice(0, 20), SECRET.slice(20)],
    "in a token": ["token ghp_abcdefghijklmnopqrstu", "vwxyz0123456789"],
  };
  for (const [name, parts] of Object.entries(split)) {
    it(name, () => {
      const text = maskedParts(parts);
      expect(text).to.include("[MASKED_");
      for (const value of [VALUE, "Secret99", "vwxyz0123456789", base64(VALUE).slice(6)]) {
        expect(text).not.to.include(value);
      }
    });
  }

  it("and other parts stay in lines of their own", () => {
    expect(maskedParts(["hello", "world"])).to.equal("hello\nworld");
    expect(maskedParts(["password: abc", "name: x", '{"status":"ok"}'])).to.match(
      /^password: \[MASKED_PASSWORD:[0-9a-f]{6}\]\nname: x\n\{"status":"ok"\}$/u,
    );
    expect(maskedParts(["password: Hunter2", "Secret99 is it", "all is well"])).to.match(/\nall is well$/u);
  });
});
