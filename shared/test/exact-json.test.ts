import { mock } from "node:test";
import { expect } from "chai";
import { parseExactJson, withPlainNumbers } from "#shared/exact-json.ts";

describe("JSON with all digits", () => {
  it("is written as it was read", () => {
    const text =
      '{"ns":1764163864123456789,"big":12345678901234567890123,"huge":1e400,"tiny":-1e-400,"part":0.1000000000000000055,' +
      '"list":[9007199254740993,-9007199254740993,{"__proto__":-1.7976931348623157e+309}],"text":"1764163864123456789"}';
    expect(JSON.stringify(parseExactJson(text))).to.equal(text);
  });

  for (const number of ["1764163864123456789", "-0.1000000000000000055", "1e400", "-12.5E-400"]) {
    it(`keeps ${number} wherever JSON may have a number`, () => {
      for (const text of [number, `[${number}]`, `[1,${number}]`, `{"a":${number}}`]) {
        for (const spaced of [
          text,
          text.replace(number, ` ${number}`),
          text.replace(number, `\r\n${number}\t`),
        ]) {
          expect(JSON.stringify(parseExactJson(spaced))).to.equal(text);
        }
      }
    });
  }

  it("is read without a look at each value if only strings have many digits", () => {
    const value = {
      id: "3e45f0a1-1e2f-4e1f-8e10-2e01f7e3e4e5",
      hash: "12345678901234567890",
      at: ["7E9"],
      n: -1.5,
    };
    const parse = mock.method(JSON, "parse");
    expect(parseExactJson(JSON.stringify(value))).to.deep.equal(value);
    parse.mock.restore();
    expect(parse.mock.calls.map(({ arguments: given }) => given.length)).to.deep.equal([1]);
  });

  it("has plain numbers wherever a double holds them, in whatever form they are written", () => {
    const text =
      "[1764163864123456800, 1.50, 100e-2, 1E3, 0.1, 0, 1.0000000000000000000, 9007199254740992, 5e-324]";
    expect(parseExactJson(text)).to.deep.equal(JSON.parse(text));
  });

  it("is judged by the nearest doubles", () => {
    const value = { kept: [1, "x", null], ids: [9007199254740992], huge: -1e300 };
    const exact = parseExactJson('{"kept":[1,"x",null],"ids":[9007199254740993],"huge":-1e400}');
    expect(withPlainNumbers(exact)).to.deep.equal({
      ...value,
      ids: [9007199254740992],
      huge: -Number.MAX_VALUE,
    });
    expect(withPlainNumbers(value)).to.equal(value);
  });

  it("may be nested as deep as other JSON", () => {
    const text = `${"[".repeat(50_000)}9007199254740993${"]".repeat(50_000)}`;
    expect(Array.isArray(parseExactJson(text))).to.equal(true);
    expect(() => parseExactJson('{"a":9007199254740993')).to.throw(SyntaxError);
  });
});
