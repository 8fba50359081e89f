import { expect } from "chai";
import { malformedFeedback, unknownToolFeedback } from "../prompts/react-feedback.ts";
import { parseReact } from "../react-parser/parse-react.ts";
import { NONCE } from "./prompt-fixtures.ts";

const TOOLS = [
  { name: "k8s.get_pods", description: "Lists pods" },
  { name: "k8s.get_logs", description: "Reads logs" },
];

describe("malformedFeedback", () => {
  it("names what is missing and repeats the format", () => {
    const feedback = malformedFeedback(parseReact("Thought: t\nAction: k.a"));
    expect(feedback).to.match(/^Your reply has an 'Action:' without an 'Action Input:'/u);
    for (const line of [
      "Action: server.tool",
      "Action Input: parameter: value",
      "Final Answer: your complete",
    ]) {
      expect(feedback).to.contain(`\n${line}`);
    }
    expect(feedback).to.not.match(/^Observation:/u);
  });
});

describe("unknownToolFeedback", () => {
  it("lists the tools after the parser's error", () => {
    expect(
      unknownToolFeedback(parseReact("Action: get_pods\nAction Input: {}"), { tools: TOOLS }, NONCE),
    ).to.equal(
      "Observation: Error - Unknown tool 'get_pods': tools are named 'server.tool', such as 'kubernetes.get_pods'.\n\n" +
        "Available tools:\n\n<!-- TOOLS_START 0f1e2d3c4b5a -->\n- k8s.get_pods: Lists pods\n- k8s.get_logs: Reads logs\n<!-- TOOLS_END 0f1e2d3c4b5a -->",
    );
  });

  it("states the name of an unlisted tool", () => {
    expect(
      unknownToolFeedback(parseReact("Action: k8s.nope\nAction Input: {}"), { tools: TOOLS }, NONCE),
    ).to.match(
      /^Observation: Error - Unknown tool 'k8s\.nope': there is no tool of this name\.\n\nAvailable tools:/u,
    );
  });

  it("states that no tools are available", () => {
    expect(unknownToolFeedback({ action: "k.a", errorMessage: "" }, { tools: [] }, NONCE)).to.contain(
      "No tools are available",
    );
  });

  it("truncates a very long name", () => {
    expect(
      unknownToolFeedback({ action: "k.a".repeat(10_000), errorMessage: "" }, { tools: [] }, NONCE).length,
    ).to.be.below(500);
  });
});
