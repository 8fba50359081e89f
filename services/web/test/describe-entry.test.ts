import { expect } from "chai";
import { argumentsLine, plainError, shortArguments, shownEntries } from "../session/describe-entry.ts";
import { exampleEntry } from "./example-entry.ts";

describe("the words about an entry", () => {
  it("are a call's arguments on one line", () => {
    expect(argumentsLine('{"namespace":"shop","wide":true,"q":"a b","of":{"x":1}}')).to.equal(
      'namespace=shop wide=true q="a b" of={"x":1}',
    );
    expect(
      argumentsLine(String.raw`{"query":"up{app=\"a\"}","other":"it's \"b\"","lines":"a\n\"b\""}`),
    ).to.equal(String.raw`query='up{app="a"}' other="it's \"b\"" lines="a\n\"b\""`);
    expect(argumentsLine("namespace: shop\nname: a")).to.equal("namespace: shop name: a");
    expect(argumentsLine("{not json")).to.equal("{not json");
    expect(argumentsLine(`{"a":"${"x".repeat(500)}"}`)).to.have.length.below(200);
  });

  it("tell short arguments from those that need room", () => {
    expect(shortArguments('{"pod":"a","n":3}')).to.equal("pod=a n=3");
    expect(shortArguments('{"labels":["a"]}')).to.equal(undefined);
    expect(shortArguments(`{"a":"${"x".repeat(500)}"}`)).to.equal(undefined);
    expect(shortArguments("plain")).to.equal(undefined);
  });

  it("leave out of an error what only programs read", () => {
    expect(plainError("LLM error: too busy (code: overloaded, retryable: true)")).to.equal(
      "LLM error: too busy",
    );
    expect(plainError("no tool (of two)")).to.equal("no tool (of two)");
  });

  it("fold equal errors one after another into the last one", () => {
    const error = (id: string, content: string) => exampleEntry({ id, type: "error", content });
    const entries = [error("1", "500"), error("2", "500"), error("3", "refused"), error("4", "500")];
    expect(shownEntries({ entries }).map(({ id, repeats }) => [id, repeats])).to.deep.equal([
      ["2", 2],
      ["3", undefined],
      ["4", undefined],
    ]);
  });

  it("leave out an answer that is the final analysis", () => {
    const answer = exampleEntry({ id: "1", type: "llm_response", content: "memory" });
    const analysis = exampleEntry({ id: "2", type: "final_analysis", content: "memory" });
    const other = exampleEntry({ id: "3", type: "llm_response", content: "else" });
    expect(shownEntries({ entries: [other, answer, analysis] })).to.deep.equal([other, analysis]);
  });
});
