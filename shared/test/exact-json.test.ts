import { expect } from "chai";
import { parseExactJson, withPlainNumbers } from "#shared/exact-json.ts";

describe("JSON with all digits", () => {
  it("is written as it was read", () => {
    const text =
      '{"ns":1764163864123456789,"big":12345678901234567890123,"huge":1e400,"tiny":-1e-400,"part":0.1000000000000000055,' +
      '"list":[9007199254740993,-9007199254740993,{"__proto__":-1.7976931348623157e+309}],"text":"1764163864123456789"}';
    expect(JSON.stringify(parseExactJson(text))).to.equal(text);
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
