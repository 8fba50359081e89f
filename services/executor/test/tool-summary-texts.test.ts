import { expect } from "chai";
import { conversationText } from "../features/tool-summaries/summary-input.ts";
import { cutSummary } from "../features/tool-summaries/record-summary.ts";
import { summaryRequest } from "../features/tool-summaries/feature.ts";
import { variableCode } from "#shared/contracts/prompt-marks.ts";
import type { StoredMessage } from "../state/agent-memory.ts";
import { NONCE } from "./prompt-fixtures.ts";
import { resolvedAgent, scriptedProvider } from "./resolved-chain.ts";

const message = (sequence_number: number, rest: Partial<StoredMessage>): StoredMessage => ({
  message_id: String(sequence_number),
  sequence_number,
  role: "user",
  content: "",
  tool_calls: null,
  tool_call_id: null,
  tool_name: null,
  provider_state: null,
  ...rest,
});

const CONVERSATION = [
  message(1, { role: "system", content: "secret instructions" }),
  message(2, { content: "the alert" }),
  message(3, {
    role: "assistant",
    content: "I look",
    tool_calls: [{ id: "1", name: "k8s.pods", arguments: '{"namespace":"shop"}' }],
  }),
  message(4, { role: "tool", tool_name: "k8s.pods", content: "one pod" }),
];
const CALL = 'Investigator:\nI look\nCalls k8s.pods with {"namespace":"shop"}';
const RESULT = "Result of k8s.pods:\none pod";

describe("the conversation beside a result to summarize", () => {
  it("has all messages but the instructions, with their calls", () => {
    expect(conversationText(CONVERSATION, 10_000)).to.equal(`User:\nthe alert\n\n${CALL}\n\n${RESULT}`);
  });

  it("has the newest messages that fit, and of the one before them the start", () => {
    const room = CALL.length + RESULT.length;
    expect(conversationText(CONVERSATION, room + 8)).to.equal(
      `[Earlier messages are left out.]\n\nUser:\nth…\n\n${CALL}\n\n${RESULT}`,
    );
    expect(conversationText(CONVERSATION, room)).to.equal(
      `[Earlier messages are left out.]\n\n${CALL}\n\n${RESULT}`,
    );
    const long = [message(2, { content: "💾".repeat(10_000) })];
    expect(conversationText(long, 100)).to.have.length.lessThan(140);
    expect(conversationText(long, 99).isWellFormed()).to.equal(true);
  });
});

describe("a summary", () => {
  it("is trimmed, and cut with a remark beyond its limit, within no character", () => {
    expect(cutSummary("  short \n", 50)).to.equal("short");
    expect(cutSummary("x".repeat(200), 50)).to.equal("x".repeat(200));
    const cut = cutSummary(`${"x".repeat(199)}💾💾`, 50);
    expect(cut).to.equal(`${"x".repeat(199)}…\n[The summary is cut here: it is longer than 50 tokens.]`);
  });
});

describe("the request for a summary", () => {
  it("has the values of variables, and neither tools nor those of the provider", () => {
    const provider = { ...scriptedProvider("other", "other.yaml"), native_tools: { google_search: true } };
    const state = {
      agent: resolvedAgent(),
      alert: { data: "", alertType: null, runbookUrl: null, nonce: NONCE },
    };
    const asking = {
      session: { sessionId: "s", llm: { readVariable: (name: string) => `value of ${name}` } },
      execution: { execution_id: "e" },
      state,
    };
    const content = `in {{.CLUSTER:${variableCode(NONCE)}}}, not {{.OTHER}}`;
    const request = summaryRequest(asking, provider, [{ role: "user", content }]);
    expect(request.messages.map((sent) => sent.content)).to.deep.equal([
      "in value of CLUSTER, not {{.OTHER}}",
    ]);
    expect(request.tools).to.deep.equal([]);
    expect(request.llmConfig).to.deep.include({ providerName: "other", nativeTools: {} });
  });
});
