import { expect } from "chai";
import { parseReact } from "../react-parser/parse-react.ts";
import { answers, parsedCall, callsUnknown, declareCases, isMalformed } from "./react-case.ts";

describe("parseReact", () => {
  describe("decides", () => {
    declareCases([
      [
        "takes the last of two pairs",
        'Action: k.a\nAction Input: {"n":1}\nAction: k.b\nAction Input: {"n":2}',
        parsedCall("k.b", '{"n":2}'),
      ],
      [
        "does not use the first action's input for the second",
        'Action: k.a\nAction Input: {"n":1}\nAction: k.b\nAction Input:',
        parsedCall("k.b", ""),
      ],
      [
        "does not call a second action without input",
        'Action: k.a\nAction Input: {"n":1}\nAction: k.b',
        isMalformed(),
      ],
      [
        "keeps the call if a second action has no name",
        "Action: k.a\nAction Input: {}\nAction:",
        parsedCall("k.a", "{}"),
      ],
      ["requires the input on a separate line", "Action: k.a Action Input: {}", isMalformed()],
      ["reads a name on the next line", "Action:\nk.a\nAction Input: {}", parsedCall("k.a", "{}")],
      ["recovers an Action without colon", "Action\nk.a\nAction Input:", parsedCall("k.a", "")],
      [
        "recovers upper case after a thought",
        "Thought: t\nACTION: k.a\nAction Input: {}",
        parsedCall("k.a", "{}", "t\nACTION: k.a"),
      ],
      ["recovers upper case without a thought", "ACTION: k.a\nAction Input: {}", parsedCall("k.a", "{}")],
      ["does not read lower-case markers", "thought: t\naction: k.a\naction input: {}", isMalformed()],
      [
        "recovers a tool named in prose",
        "Thought: I will take action k.a\nAction Input: {}",
        parsedCall("k.a", "{}", "I will take action k.a"),
      ],
      [
        "reads a bold action after a sentence",
        "Go. **Action:** k.a\nAction Input: {}",
        parsedCall("k.a", "{}"),
      ],
      [
        "keeps further text of a name",
        "Action: k.a\nto see more\nAction Input: {}",
        parsedCall("k.a\nto see more", "{}"),
      ],
      ["is malformed with an empty final answer", "Final Answer:", isMalformed()],
      [
        "makes a second final answer text of the first",
        "Final Answer: A\nFinal Answer: B",
        answers("A\nFinal Answer: B"),
      ],
      [
        "does not let a later thought replace a final answer",
        "Final Answer: A\nThought: more\nok. Final Answer: B",
        answers("A\nThought: more\nok. Final Answer: B"),
      ],
      ["is malformed if empty", "", isMalformed()],
      ["is malformed if only whitespace", " \n\t\n ", isMalformed()],
      ["is malformed if only prose", "The pods look healthy to me.", isMalformed()],
      ["needs an action for an input", 'Action Input: {"a":1}', isMalformed()],
      ["needs an input for an action", "Thought: t\nAction: k.a", isMalformed("t")],
      ["calls with an empty input", "Action: k.a\nAction Input:", parsedCall("k.a", "")],
      ["asks for a server's name", "Action: get_pods\nAction Input: {}", callsUnknown("get_pods", "{}")],
      ["leaves loose names to its caller", "Action: a.b.c\nAction Input: {}", parsedCall("a.b.c", "{}")],
      [
        "leaves a nameless server to its caller",
        "Action: .tool\nAction Input: {}",
        parsedCall(".tool", "{}"),
      ],
    ]);
  });

  it("says which sections it found", () => {
    const found = (text: string) =>
      Object.entries(parseReact(text).found)
        .filter(([, isFound]) => isFound)
        .map(([name]) => name);
    expect(found("prose")).to.deep.equal([]);
    expect(found("Thought: t")).to.deep.equal(["thought"]);
    expect(found("Thought: t\nAction: k.a")).to.deep.equal(["thought", "action"]);
    expect(found("Action Input: {}")).to.deep.equal(["actionInput"]);
    expect(found("ACTION: k.a\nAction Input: {}")).to.deep.equal(["action", "actionInput"]);
    expect(found("Thought: t\nFinal Answer:")).to.deep.equal(["thought", "finalAnswer"]);
    expect(found("Observation: o\nThought: t")).to.deep.equal([]);
    expect(found("Action: k.a\nAction Input: 1\nAction: k.b")).to.deep.equal(["action"]);
  });

  it("says what keeps a text from being complete", () => {
    const message = (text: string) => parseReact(text).errorMessage;
    expect(message("Action: k.a")).to.contain("without an 'Action Input:'");
    expect(message("Action Input: {}")).to.contain("without an 'Action:'");
    expect(message("Thought: t")).to.contain("only a 'Thought:'");
    expect(message("prose")).to.contain("none of the expected sections");
    expect(message("Thought: t\nFinal Answer:")).to.contain(
      "found Thought, Final Answer; missing Action, Action Input",
    );
    expect(message("Action: pods\nAction Input: {}")).to.contain("'pods'").and.to.contain("'server.tool'");
  });

  it("quotes no more than the start of an endless name", () => {
    expect(parseReact(`Action: ${"x".repeat(100_000)}\nAction Input: {}`).errorMessage.length).to.be.below(
      400,
    );
  });
});
