import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { uuidFrom } from "#shared/uuid-from.ts";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { frameDigits, variableCode } from "#shared/contracts/prompt-marks.ts";
import { canonicalRequest, hashRequest, type RequestContent } from "../canonical-request.ts";
import { hideFrameCodes, showFrameCodes } from "../frame-codes.ts";
import { BoundTool, ModelSettings } from "../recorded-calls.ts";

const MODEL = {
  provider: "scripted",
  type: "scripted",
  backend: "scripted",
  model: "m",
  max_tool_result_tokens: 1,
  max_output_tokens: 0,
  native_tools: {},
};

/** A request of a run, with ids and codes of its own. */
const requestOf = (sessionId: string, nonce: string, digits: string): RequestContent => ({
  messages: [
    { role: "system", content: `<!-- X_START ${frameDigits(nonce)} --> {{.TOKEN:${variableCode(nonce)}}}` },
    {
      role: "user",
      content: `password [MASKED_PASSWORD:${digits}] of ${sessionId}, again [MASKED_KEY:${digits}]`,
    },
    {
      role: "assistant",
      content: "",
      tool_calls: [
        { id: `call_${digits}`, name: "k8s.pods", arguments: `{"id":"${uuidFrom("a", sessionId)}"}` },
      ],
    },
    {
      role: "tool",
      content: `kept as ${uuidFrom("a", sessionId)}`,
      tool_call_id: `call_${digits}`,
      tool_name: "k8s.pods",
    },
  ],
  tools: [{ name: "k8s.pods", description: "d", parameters_schema: '{"type":"object","b":1}' }],
  model: MODEL,
});
const parseContent = compileParser(
  "request",
  Type.Object({
    messages: Type.Array(
      Type.Object({ role: Type.String(), content: Type.String() }, { additionalProperties: true }),
    ),
    tools: Type.Array(BoundTool),
    model: ModelSettings,
  }),
);
const hashOf = (request: RequestContent, sessionId: string, nonce: string | null) =>
  hashRequest(canonicalRequest(request, { sessionId, nonce }));

describe("canonicalRequest", () => {
  const run = () => ({ id: randomUUID(), nonce: randomUUID() });
  const [one, other] = [run(), run()];
  const first = requestOf(one.id, one.nonce, "0a1b2c");

  it("is the same for two runs of a session", () => {
    const second = requestOf(other.id, other.nonce, "ffffff");
    expect(hashOf(first, one.id, one.nonce)).to.equal(hashOf(second, other.id, other.nonce));
    const { messages } = canonicalRequest(first, { sessionId: one.id, nonce: one.nonce });
    expect(messages.map(({ content }) => content)).to.deep.equal([
      "<!-- X_START @tarsy:frame@ --> {{.TOKEN}}",
      "password [MASKED_PASSWORD:1] of <id-1>, again [MASKED_KEY:1]",
      "",
      "kept as <id-2>",
    ]);
    expect(messages[2]?.tool_calls).to.deep.equal([
      { id: "call-1", name: "k8s.pods", arguments: '{"id":"<id-2>"}' },
    ]);
  });

  it("leaves out what agents read of the present time, in messages of the user only", () => {
    const block = (day: string) =>
      `\n\n## Context\n\nCurrent time: 2026-12-${day}T08:00:00Z (Friday)\nCalendar context (UTC): 2026-12-${day} — Friday — WEEKDAY\nStaffing: normal`;
    const request = (role: string, told: string): RequestContent => ({
      ...first,
      messages: [{ role, content: `Look.${told}\n\nBegin.` }],
    });
    const hash = (role: string, told: string) => hashOf(request(role, told), one.id, one.nonce);
    expect(hash("user", block("25"))).to.equal(hash("user", ""));
    expect(hash("user", block("18"))).to.equal(hash("user", ""));
    expect(hash("user", `${block("18")} and more`)).not.to.equal(hash("user", ""));
    for (const role of ["system", "assistant", "tool"]) {
      expect(hash(role, block("25")), role).not.to.equal(hash(role, ""));
    }
  });

  it("is the same for the texts of a cassette, and for those of its import", () => {
    const text = JSON.stringify(first);
    const hidden = parseContent(JSON.parse(hideFrameCodes(text, one.nonce)));
    expect(hashOf(hidden, one.id, null)).to.equal(hashOf(first, one.id, one.nonce));
    const imported = parseContent(JSON.parse(showFrameCodes(JSON.stringify(hidden), other.nonce)));
    expect(hashOf(imported, one.id, other.nonce)).to.equal(hashOf(first, one.id, one.nonce));
  });

  it("does not depend on the order of members, and on anything else", () => {
    const hash = hashOf(first, one.id, one.nonce);
    const [tool] = first.tools;
    if (tool === undefined) throw new Error("there is no tool");
    const withTool = (parameters_schema: string) =>
      hashOf({ ...first, tools: [{ ...tool, parameters_schema }] }, one.id, one.nonce);
    expect(withTool('{"b":1, "type":"object"}')).to.equal(hash);
    expect(withTool('{"b":2, "type":"object"}')).not.to.equal(hash);
    const others: RequestContent[] = [
      { ...first, model: { ...MODEL, model: "n" } },
      { ...first, tools: [] },
      { ...first, messages: first.messages.slice(1) },
      { ...first, messages: [...first.messages, { role: "user", content: "" }] },
      { ...first, messages: first.messages.map((message) => ({ ...message, role: "user" })) },
    ];
    for (const changed of others) expect(hashOf(changed, one.id, one.nonce)).not.to.equal(hash);
  });

  it("numbers the beginning of a longer conversation as the shorter one", () => {
    const owner = { sessionId: one.id, nonce: one.nonce };
    const whole = canonicalRequest(first, owner).messages;
    const begun = canonicalRequest({ ...first, messages: first.messages.slice(0, 2) }, owner).messages;
    expect(whole.slice(0, 2)).to.deep.equal(begun);
  });
});
