import { expect } from "chai";
import { postgresSafeJson } from "#shared/postgres-safe-json.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";

describe("postgresSafeValue", () => {
  it("returns a value without refused text itself", () => {
    for (const value of [null, undefined, 1, "💾", [], new Date(0), { a: ["b", { c: null }] }]) {
      expect(postgresSafeValue(value)).to.equal(value);
    }
  });

  it("replaces refused text in values and keys at any depth, and changes nothing in place", () => {
    const value = { ok: [1, "x"], "k\0": { deep: ["\ud800", { "\udc00": "a\0" }] } };
    const safe = postgresSafeValue(value);
    expect(safe).to.deep.equal({ ok: [1, "x"], "k\uFFFD": { deep: ["\uFFFD", { "\uFFFD": "a\uFFFD" }] } });
    expect(value).to.have.property("k\0");
  });

  it("takes the last of keys that become equal, and keeps __proto__ as an ordinary key", () => {
    expect(postgresSafeValue({ "k\0": 1, "k\ud800": 2 })).to.deep.equal({ "k\uFFFD": 2 });
    const parsed: unknown = JSON.parse('{"__proto__": {"a": "\\u0000"}}');
    expect(JSON.stringify(postgresSafeValue(parsed))).to.equal('{"__proto__":{"a":"\uFFFD"}}');
  });

  it("makes JSON text without the escape sequences that jsonb refuses", () => {
    expect(postgresSafeJson({ "\0": "\ud800", at: new Date(0) })).to.equal(
      '{"\uFFFD":"\uFFFD","at":"1970-01-01T00:00:00.000Z"}',
    );
  });
});
