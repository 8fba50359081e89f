import { expect } from "chai";
import type { PromptMessage } from "../prompts/prompt-input.ts";
import { buildChatMessages } from "../prompts/build-chat-messages.ts";
import { buildNativeMessages, buildReactMessages } from "../prompts/build-investigation-messages.ts";
import { buildSynthesisMessages, buildSingleCallMessages } from "../prompts/build-single-call-messages.ts";
import { forcedConclusionPrompt } from "../prompts/iteration-prompts.ts";
import { CHAT, INPUT, PARALLEL, PREVIOUS } from "./prompt-fixtures.ts";

const CASE = ["## Alert Details", "### Alert Metadata", "### Alert Data", "## Runbook Content"];

function contents(messages: readonly PromptMessage[]): { system: string; user: string } {
  expect(messages.map(({ role }) => role)).to.deep.equal(["system", "user"]);
  return { system: messages[0]?.content ?? "", user: messages[1]?.content ?? "" };
}

/** The level-two and level-three headings in order, without those inside frames. */
function headings(text: string): string[] {
  const own = text.replaceAll(
    /<!-- (.+?)[_ ]START 0f1e2d3c4b5a -->[^]*?<!-- \1[_ ]END 0f1e2d3c4b5a -->/g,
    "",
  );
  return [...own.matchAll(/^#{2,3} .*$/gm)].map(([heading]) => heading);
}

describe("buildReactMessages", () => {
  it("orders the system message: general, server and agent instructions, format, focus", () => {
    const { system } = contents(buildReactMessages(INPUT));
    expect(headings(system)).to.deep.equal([
      "## General SRE Agent Instructions",
      "## metrics Instructions",
      "## kubernetes-server Instructions",
      "## Agent-Specific Instructions",
      "## Response Format",
      "### The cycle",
      "### Rules",
      "### Parameters",
      "### Example",
    ]);
    expect(system).to.match(/\n\nFocus on .*human operator.*$/);
  });

  it("puts the tools before the investigation, two empty lines apart, and ends without a newline", () => {
    const { user } = contents(buildReactMessages(INPUT));
    expect(headings(user)).to.deep.equal([...CASE, "## Previous Stage Data", "## Context", "## Your Task"]);
    expect(user.indexOf("Available tools:")).to.be.lessThan(user.indexOf("## Alert Details"));
    expect(user).to.include("<!-- TOOLS_END 0f1e2d3c4b5a -->\n\n\n## Alert Details");
    expect(user).to.not.match(/\n$/);
  });

  it("has no tools block without tools", () => {
    const { user } = contents(buildReactMessages({ ...INPUT, tools: [] }));
    expect(user).to.match(/^## Alert Details/);
  });
});

describe("buildNativeMessages", () => {
  it("describes neither a format nor the bound tools", () => {
    const { system, user } = contents(buildNativeMessages(INPUT));
    const react = contents(buildReactMessages({ ...INPUT, tools: [] }));
    expect(headings(system)).to.deep.equal(headings(react.system).slice(0, 4));
    expect(user).to.equal(react.user);
  });
});

describe("buildSynthesisMessages", () => {
  const { system, user } = contents(
    buildSynthesisMessages({ ...INPUT, previous: PREVIOUS, parallel: PARALLEL }),
  );

  it("has the general and the agent's instructions but none of servers", () => {
    expect(headings(system)).to.deep.equal([
      "## General SRE Analysis Instructions",
      "## Agent-Specific Instructions",
    ]);
  });

  it("omits the alert type and puts the results of the parallel agents and the time last", () => {
    const { user: first } = contents(buildSynthesisMessages({ ...INPUT, parallel: PARALLEL }));
    const parallel = "### Parallel Investigation: investigation";
    expect(headings(first)).to.deep.equal([
      "## Alert Details",
      "### Alert Data",
      "## Runbook Content",
      "## Previous Stage Data",
      parallel,
      "## Context",
    ]);
    expect(headings(user).slice(-4)).to.deep.equal([
      "### Stage: triage",
      "### Stage: data-collection",
      parallel,
      "## Context",
    ]);
  });
});

describe("buildSingleCallMessages", () => {
  it("names the agent, and mentions earlier stages only if there were any", () => {
    const { system, user } = contents(buildSingleCallMessages(INPUT));
    expect(system).to.match(/^You are KubernetesAgent/);
    expect(headings(system)).to.deep.equal(["## Agent-Specific Instructions"]);
    expect(headings(user)).to.deep.equal([...CASE, "## Context", "## Your Task"]);
    const later = contents(buildSingleCallMessages({ ...INPUT, previous: PREVIOUS }));
    expect(headings(later.user)[0]).to.equal("## Previous Stage Data");
  });
});

describe("buildChatMessages", () => {
  it("puts investigation, history, time and question in this order and ends with a newline", () => {
    const { system, user } = contents(buildChatMessages(CHAT));
    const parts = [
      "Available tools:",
      "📋 INVESTIGATION HISTORY",
      "💬 CHAT HISTORY (2 previous exchanges)",
      "## Context",
      "🎯 CURRENT TASK",
    ];
    const positions = parts.map((part) => user.indexOf(part));
    expect(positions).to.not.include(-1);
    expect(positions).to.deep.equal(positions.toSorted((a, b) => a - b));
    expect(user).to.match(/[^\n]\n$/);
    expect(headings(system).slice(4, 6)).to.deep.equal(["## Response Guidelines", "## Response Format"]);
  });
});

describe("the runbook", () => {
  function runbookOf(runbookUrl: string | null, default_runbook: string): string {
    const chain = { ...INPUT.chain, default_runbook };
    const { user } = contents(
      buildNativeMessages({ ...INPUT, chain, alert: { ...INPUT.alert, runbookUrl } }),
    );
    return user.slice(user.indexOf("## Runbook Content"), user.indexOf("## Previous Stage Data"));
  }

  it("is the alert's text, else the chain's, else stated as missing", () => {
    expect(runbookOf("Do this.", "Do that.")).to.include("Do this.").and.not.include("Do that.");
    expect(runbookOf(null, "Do that.")).to.include("Do that.");
    expect(runbookOf("  \n", "Do that.")).to.include("Do that.");
    expect(runbookOf(null, "")).to.include("There is no runbook");
  });

  it("is linked, not quoted, if it is a URL", () => {
    const block = runbookOf("https://runbooks.example.com/a.md", "Do that.");
    expect(block).to.include("\nhttps://runbooks.example.com/a.md\n").and.not.include("Do that.");
    expect(runbookOf("See https://runbooks.example.com/a.md", "")).to.include(
      "<!-- RUNBOOK START 0f1e2d3c4b5a -->\nSee ",
    );
  });
});

describe("forcedConclusionPrompt", () => {
  it("asks only a ReAct agent for ReAct headers", () => {
    expect(forcedConclusionPrompt({ iteration_strategy: "react" }, 5))
      .to.include("limit of 5 iterations")
      .and.include("Final Answer:");
    expect(forcedConclusionPrompt({ iteration_strategy: "native-thinking" }, 5)).to.not.include(
      "Final Answer:",
    );
  });
});
