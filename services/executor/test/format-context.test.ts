import { expect } from "chai";
import { TIMELINE_EVENT_TYPES, TIMELINE_STATUSES } from "#shared/contracts/statuses.ts";
import { formatConclusions, formatParallelResults, type ContextEvent } from "../prompts/format-context.ts";
import { event, FAILED_AGENT, NONCE, PARALLEL } from "./prompt-fixtures.ts";

function transcriptOf(...events: ContextEvent[]): string {
  const agent = { ...FAILED_AGENT, status: "completed", errorMessage: null, events } as const;
  return formatParallelResults({ stageName: "s", agents: [agent] }, NONCE);
}

function labels(text: string): string[] {
  const transcript = text.slice(text.indexOf("<!-- STAGE_CONTEXT_START 0f1e2d3c4b5a -->"));
  return [...transcript.matchAll(/^### (.*)$/gm)].map(([, label]) => label ?? "");
}

describe("formatParallelResults", () => {
  it("names stage, success count, and each agent with provider, strategy, status and error", () => {
    const text = formatParallelResults(PARALLEL, NONCE);
    expect(text).to.match(/^### Parallel Investigation: investigation\n\n1\/2 agents completed\./);
    expect(text).to.include("#### Agent 1: KubernetesAgent (google-default, react)\n\n**Status:** completed");
    expect(text).to.include(
      "#### Agent 2: MetricsAgent (openai-default, native-thinking)\n\n**Status:** failed",
    );
    expect(text).to.include("max iterations (3) reached");
  });

  it("contains the completed events in order", () => {
    expect(labels(formatParallelResults(PARALLEL, NONCE))).to.deep.equal([
      "LLM Thinking",
      "LLM Response",
      "Tool Call",
      "Tool Result",
      "Tool Call",
      "Tool Result",
      "Error",
      "Code Execution",
      "Analysis",
    ]);
    const all = TIMELINE_STATUSES.map((status) => event("llm_response", `It is ${status}.`, { status }));
    expect(transcriptOf(...all).match(/It is \w+/g)).to.deep.equal(["It is completed"]);
  });

  it("has a label for every type of event", () => {
    for (const type of TIMELINE_EVENT_TYPES) {
      const [label] = labels(transcriptOf(event(type, "x")));
      expect(label, type).to.match(/^[A-Z][A-Za-z ]+$/);
    }
  });

  it("names the tool of a call and says when a tool reported an error", () => {
    const called = transcriptOf(event("llm_tool_call", "a: 1", { metadata: { tool_name: "s.t" } }));
    expect(called).to.include(
      "### Tool Call\n\n<!-- TOOL_CALL_START 0f1e2d3c4b5a -->\ns.t\na: 1\n<!-- TOOL_CALL_END 0f1e2d3c4b5a -->",
    );
    const unnamed = transcriptOf(event("llm_tool_call", "a: 1", { metadata: { tool_name: 5 } }));
    expect(unnamed).to.include("<!-- TOOL_CALL_START 0f1e2d3c4b5a -->\na: 1\n");
    const failed = transcriptOf(event("tool_result", "no", { metadata: { is_error: true } }));
    expect(failed).to.include("### Tool Result\n\nThe tool reported an error.\n");
  });

  it("truncates nothing", () => {
    const long = "x".repeat(1_048_576);
    expect(transcriptOf(event("tool_result", long))).to.include(long);
  });

  it("states that an agent has no completed events", () => {
    expect(transcriptOf()).to.include("left nothing behind").and.not.include("STAGE_CONTEXT");
  });
});

describe("formatConclusions", () => {
  it("is empty without earlier stages, else each stage's answer under its name", () => {
    expect(formatConclusions([], NONCE)).to.equal("");
    const text = formatConclusions(
      [
        { stageName: "a", answer: "A" },
        { stageName: "b", answer: "B" },
      ],
      NONCE,
    );
    expect(text).to.equal(
      "### Stage: a\n\n<!-- STAGE_CONTEXT_START 0f1e2d3c4b5a -->\nA\n<!-- STAGE_CONTEXT_END 0f1e2d3c4b5a -->\n\n" +
        "### Stage: b\n\n<!-- STAGE_CONTEXT_START 0f1e2d3c4b5a -->\nB\n<!-- STAGE_CONTEXT_END 0f1e2d3c4b5a -->",
    );
  });
});
