import { expect } from "chai";
import { TokenKeys } from "../oauth/token-keys.ts";
import { keyOf, keys } from "./test-keys.ts";

describe("TokenKeys", () => {
  it("opens what the same key and context have sealed, and nothing else", () => {
    const sealed = keys(1).seal("secret", "a");
    expect(keys(2, 1).open(sealed, "a")).to.equal("secret");
    expect(() => keys(1).open(sealed, "b")).to.throw("not the one that encrypted this");
    expect(() => keys(1).open(Buffer.concat([sealed.subarray(0, -1), Buffer.of(0)]), "a")).to.throw(
      "not the one",
    );
    expect(() => keys(1).open(Buffer.of(), "a")).to.throw("no key 0");
    expect(keys(1).seal("secret", "a")).not.to.deep.equal(sealed);
  });

  it("says what a value must be, and repeats none", () => {
    expect(TokenKeys.read({})).to.equal(undefined);
    for (const value of [
      "abc",
      "1:abcd",
      keyOf(1).slice(2),
      `${keyOf(1)},${keyOf(1)}`,
      `0${keyOf(1).slice(1)}`,
    ]) {
      expect(() => TokenKeys.read({ MCP_TOKEN_KEYS: value }), value)
        .to.throw("MCP_TOKEN_KEYS must be NUMBER:KEY")
        .with.property("message")
        .that.does.not.include(value);
    }
  });
});
