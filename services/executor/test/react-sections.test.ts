import { expect } from "chai";
import { parseReact } from "../react-parser/parse-react.ts";
import { ReactSections } from "../react-parser/react-sections.ts";
import { liveSections } from "./react-fuzz.ts";

/** The sections released of an incomplete text. */
function releasedSections(text: string): string {
  const deltas = new ReactSections().push(text);
  return deltas.map(({ section, delta }) => `${section}=${delta}`).join("|");
}

describe("ReactSections", () => {
  it("releases a thought incrementally", () => {
    const sections = new ReactSections();
    expect(sections.push("Thou")).to.deep.equal([]);
    expect(sections.push("ght: I look")).to.deep.equal([{ section: "thought", delta: "I look" }]);
    expect(sections.push(" at pods")).to.deep.equal([{ section: "thought", delta: " at pods" }]);
    expect(sections.push("\nFinal Answer: a")).to.deep.equal([{ section: "final_answer", delta: "a" }]);
    expect(sections.push(" leak\n")).to.deep.equal([{ section: "final_answer", delta: " leak" }]);
    expect(sections.end()).to.deep.equal([]);
  });

  it("releases both sections of one delta", () => {
    expect(releasedSections("Thought: a\nFinal Answer: b")).to.equal("thought=a|final_answer=b");
  });

  it("buffers text that may become a marker", () => {
    const beginnings = [
      ["\nAction", "\nAction Inpu", "\n**Fin", "\n### ", "\n2. Act", "\nObserva", "\n[Base", "\n   Thought"],
      [". ", ". **", ".  ` Acti", "! Final Answer", "?Action**"].map((tail) => tail.slice(1)),
    ].flat();
    for (const beginning of beginnings.slice(0, 8)) {
      expect(releasedSections(`Thought: a${beginning}`), beginning).to.equal("thought=a");
    }
    for (const beginning of beginnings.slice(8)) {
      expect(releasedSections(`Thought: a.${beginning}`), beginning).to.equal("thought=a.");
    }
  });

  it("releases text that did not become a marker", () => {
    expect(releasedSections("Thought: a\nActions")).to.equal("thought=a\nActions");
    expect(releasedSections("Thought: a.  Acts")).to.equal("thought=a.  Acts");
    expect(liveSections("Thought: a\nAction").thought).to.equal("a\nAction");
    expect(liveSections("Thought: a. Final Answer").thought).to.equal("a. Final Answer");
  });

  it("releases nothing of an action", () => {
    const texts = [
      "Thought: a\nAction: k.a\nAction Input: {}\nObservation: x\nThought: b\nFinal Answer: c",
      "Thought: a\n**Action**: k.a\n```\n{}\n```\n### Action Input\n- x",
      "**Thought:** a\nAction: k.a. Final Answer: c",
      "Thought: a\nAction: k.a\nAction Input: {}\nFinal Answer: c",
    ];
    for (const text of texts) {
      expect(liveSections(text), text).to.deep.equal({ thought: "a", finalAnswer: "" });
    }
  });

  it("ends a thought at a marker after a sentence", () => {
    expect(liveSections("Thought: a. Action: k.a\nAction Input: {}")).to.deep.equal({
      thought: "a.",
      finalAnswer: "",
    });
    expect(liveSections("Thought: a! **Final Answer:** b\nc")).to.deep.equal({
      thought: "a!",
      finalAnswer: "b\nc",
    });
  });

  it("stops at an invented observation or reference", () => {
    for (const stop of ["Observation: x", "**Observation:** x", "[Based on x"]) {
      expect(liveSections(`Thought: a\n${stop}\nFinal Answer: b`), stop).to.deep.equal({
        thought: "a",
        finalAnswer: "",
      });
    }
  });

  it("releases quoted feedback once its line is complete", () => {
    expect(releasedSections("Thought: a\nObservation: Error in reason")).to.equal("thought=a");
    expect(releasedSections("Thought: a\nObservation: Error in reasoning\n")).to.equal(
      "thought=a\nObservation: Error in reasoning",
    );
  });

  it("releases everything in a final answer except a complete action", () => {
    const report =
      "do\n\n1. x\n   - y\nAction: restart\nit\nObservation: none\nAction:\nAction Input: z\nThought: b";
    expect(liveSections(`Final Answer: ${report}`).finalAnswer).to.equal(report);
    expect(liveSections(`Final Answer: ${report}\nAction: k.a\nAction Input: {}`).finalAnswer).to.equal(
      report,
    );
    expect(liveSections(`Final Answer: x\nAction:\nk.a\n\nAction Input: {}`).finalAnswer).to.equal("x");
    expect(liveSections(`Final Answer: x\nAction: k.a`).finalAnswer).to.equal("x\nAction: k.a");
  });

  it("releases only the first thought", () => {
    expect(liveSections("Thought: a\nThought: b").thought).to.equal("a");
    expect(liveSections("Thought:\nThought: b").thought).to.equal("b");
  });

  it("never splits a surrogate pair", () => {
    const sections = new ReactSections();
    expect(sections.push("Thought: a\uD83D")).to.deep.equal([{ section: "thought", delta: "a" }]);
    expect(sections.push("\uDEA8")).to.deep.equal([{ section: "thought", delta: "🚨" }]);
  });

  it("agrees with the complete parse of a long reply", () => {
    const text = `**Thought:** I saw it.\nAll of it.  \n\n  Even that.\n\n## Final Answer\n\n# Cause\n\n- disk\n  - full\n\n\`\`\`sh\n  df\n\`\`\`\nend\n`;
    const { thought, finalAnswer } = parseReact(text);
    expect(liveSections(text)).to.deep.equal({ thought, finalAnswer });
  });
});
