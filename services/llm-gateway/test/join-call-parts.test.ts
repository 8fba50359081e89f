import { expect } from "chai";
import type { GeminiFunctionCall } from "../providers/google-native/response/gemini-chunk.ts";
import { CallJoiner } from "../providers/google-native/response/join-call-parts.ts";

/** The calls that the parts complete, in order. */
function join(...parts: GeminiFunctionCall[]) {
  const joiner = new CallJoiner();
  const calls = parts.flatMap((part) => joiner.add(part, undefined) ?? []);
  return { calls: calls.map(({ name, args }) => [name, args]), isOpen: joiner.isOpen };
}

const piece = (jsonPath: string, value: object) => ({
  partialArgs: [{ jsonPath, ...value }],
  willContinue: true,
});

describe("CallJoiner", () => {
  it("passes a complete call on immediately", () => {
    expect(join({ name: "a", args: { x: 1 } }, { name: "b" })).to.deep.equal({
      calls: [
        ["a", { x: 1 }],
        ["b", {}],
      ],
      isOpen: false,
    });
  });

  it("joins values of every kind at their paths, text piece by piece", () => {
    const { calls } = join(
      { name: "a", willContinue: true },
      piece("$.text", { stringValue: "one " }),
      piece("$.text", { stringValue: "two" }),
      piece("$.text", { stringValue: "" }),
      piece("$.list[0].name", { stringValue: "x" }),
      piece("$.list[0].price", { numberValue: 0.5 }),
      piece("$.list[1].name", { stringValue: "y" }),
      piece("$['odd key'][\"in.ner\"]", { boolValue: false }),
      piece("$.nothing", { nullValue: "NULL_VALUE" }),
      { willContinue: true },
      {},
    );
    expect(calls).to.deep.equal([
      [
        "a",
        {
          text: "one two",
          list: [{ name: "x", price: 0.5 }, { name: "y" }],
          "odd key": { "in.ner": false },
          nothing: null,
        },
      ],
    ]);
  });

  it("ends a call with the last piece, and stays open without one", () => {
    const begin = { name: "a", willContinue: true };
    expect(join(begin, { partialArgs: [{ jsonPath: "$.x", numberValue: 1 }] })).to.deep.equal({
      calls: [["a", { x: 1 }]],
      isOpen: false,
    });
    expect(join(begin, piece("$.x", { numberValue: 1 }))).to.deep.equal({ calls: [], isOpen: true });
  });

  it("keeps the signature of the part that began the call", () => {
    const joiner = new CallJoiner();
    joiner.add({ name: "a", willContinue: true }, "c2ln");
    expect(joiner.add({}, undefined)?.signature).to.equal("c2ln");
  });

  for (const [what, parts] of [
    ["a part without a name that continues nothing", [{}]],
    ["a call inside another", [{ name: "a", willContinue: true }, { name: "b" }]],
    ["a path that is none", [{ name: "a", willContinue: true }, piece("x", { numberValue: 1 })]],
    ["the path of everything", [{ name: "a", willContinue: true }, piece("$", { numberValue: 1 })]],
    ["a path with a wildcard", [{ name: "a", willContinue: true }, piece("$.x[*]", { numberValue: 1 })]],
    [
      "an index far beyond the list's end",
      [{ name: "a", willContinue: true }, piece("$.x[9]", { numberValue: 1 })],
    ],
    [
      "a path to the prototype",
      [{ name: "a", willContinue: true }, piece("$.__proto__.x", { numberValue: 1 })],
    ],
    [
      "a path of great depth",
      [{ name: "a", willContinue: true }, piece(`$${".x".repeat(101)}`, { numberValue: 1 })],
    ],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => join(...parts))
        .to.throw(/fits no function call/u)
        .with.property("code", "provider_error");
    });
  }
});
