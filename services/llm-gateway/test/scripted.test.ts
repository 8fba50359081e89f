import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { status } from "@grpc/grpc-js";
import { expect } from "chai";
import { repetitions } from "../../../test/support/nightly.ts";
import { until } from "../../../test/support/until.ts";
import { message, openGateway, scriptedRequest } from "./open-gateway.ts";

/** A gateway with its own configuration directory, which contains these scripts. */
async function openScripts(scripts: Record<string, string>) {
  await using stack = new AsyncDisposableStack();
  const configDir = await mkdtemp(join(tmpdir(), "tarsy-scripts-"));
  stack.defer(() => rm(configDir, { recursive: true }));
  for (const [name, text] of Object.entries(scripts)) await writeFile(join(configDir, name), text);
  const gateway = stack.use(await openGateway({ configDir }));
  const all = stack.move();
  return { ...gateway, configDir, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

describe("scripted provider", () => {
  it("plays every kind of step in order", async () => {
    await using gateway = await openScripts({
      "all.yaml": `
calls:
  - steps:
      - thinking: Let me see.
      - delay: 1ms
      - { text: "a🔥bc", chunk_size: 2, chunk_delay: 1ms }
      - tool_call: { name: kubernetes.get_pods, arguments: { namespace: shop } }
      - code_execution: { code: print(1), result: "1" }
      - grounding: { web_search_queries: [oom], grounding_chunks: [{ uri: "https://example.org" }] }
      - provider_state: opaque
      - usage: { input_tokens: 1, output_tokens: 2, thinking_tokens: 3 }
`,
    });
    const { chunks } = await gateway.ask(scriptedRequest("all.yaml", { executionId: "e1" }));
    const contents = chunks.map(({ content }) => content);
    expect(contents.map((content) => content?.$case)).to.deep.equal([
      "thinking",
      "text",
      "text",
      "toolCall",
      "codeExecution",
      "grounding",
      "providerState",
      "usage",
      undefined,
    ]);
    expect(contents.slice(1, 3).map((content) => content?.value)).to.deep.equal([
      { content: "a🔥" },
      { content: "bc" },
    ]);
    expect(contents[3]?.value).to.deep.include({
      name: "kubernetes.get_pods",
      arguments: '{"namespace":"shop"}',
    });
    expect(contents[4]?.value).to.deep.equal({ code: "print(1)", result: "1" });
    expect(contents[6]?.value).to.deep.equal({ data: Buffer.from("opaque") });
    expect(contents[7]?.value).to.deep.include({
      inputTokens: 1,
      outputTokens: 2,
      thinkingTokens: 3,
      totalTokens: 6,
    });
    expect(chunks.map(({ isFinal }) => isFinal)).to.deep.equal([
      ...Array.from({ length: 8 }, () => false),
      true,
    ]);
  });

  it("derives the call's number from the conversation and takes the first entry that matches", async () => {
    await using gateway = await openScripts({
      "calls.yaml": `
calls:
  - { when: { call: 1, contains: disk }, steps: [{ text: disk first }] }
  - { when: { call: 1 }, steps: [{ text: first }] }
  - { when: { call: 2, last_contains: "42" }, steps: [{ text: saw the result }] }
  - { when: { provider_state: opaque }, steps: [{ text: saw the state }] }
  - { when: { tools: true }, steps: [{ text: has tools }] }
  - { steps: [{ text: fallback }] }
`,
    });
    const ask = async (...messages: ReturnType<typeof message>[]) =>
      (await gateway.ask(scriptedRequest("calls.yaml", { messages }))).text;
    const user = message("user", "look");
    expect(await ask(user)).to.equal("first");
    expect(await ask(message("system", "disk full"), user)).to.equal("disk first");
    expect(await ask(user, message("assistant", "x"), message("tool", "answer 42"))).to.equal(
      "saw the result",
    );
    expect(
      await ask(user, message("assistant", "x", { providerState: Buffer.from("opaque") }), user),
    ).to.equal("saw the state");
    expect(await ask(user, message("assistant", "x"), user)).to.equal("fallback");
    const tools = [{ name: "a.b", description: "", parametersSchema: "" }];
    const messages = [user, message("assistant", "x"), user];
    expect((await gateway.ask(scriptedRequest("calls.yaml", { messages, tools }))).text).to.equal(
      "has tools",
    );
  });

  it("chooses by the agent, by words of the alert alone, and by several texts", async () => {
    await using gateway = await openScripts({
      "who.yaml": `
calls:
  - { when: { contains: [disk, never said] }, steps: [{ text: wrong }] }
  - { when: { contains: [brief, quota] }, steps: [{ text: both }] }
  - { when: { agent: Reader, alert_matches: "DISK|volume" }, steps: [{ text: reader of a disk }] }
  - { when: { alert_matches: disk }, steps: [{ text: disk }] }
  - { when: { agent: Reader }, steps: [{ text: reader }] }
  - { steps: [{ text: other }] }
`,
    });
    const alert = (text: string) =>
      message("user", `volume\n<!-- ALERT_DATA_START 12 -->\n${text}\n<!-- ALERT_DATA_END 12 -->\nvolume`);
    const ask = async (agentName: string, ...messages: ReturnType<typeof message>[]) =>
      (await gateway.ask(scriptedRequest("who.yaml", { agentName, messages }))).text;
    expect(await ask("Reader", alert("the disk is full"))).to.equal("reader of a disk");
    expect(await ask("Writer", alert("the Disk is full"))).to.equal("disk");
    expect(await ask("Reader", alert("too hot"))).to.equal("reader");
    expect(await ask("", alert("too hot"), message("assistant", "disk"))).to.equal("other");
    expect(await ask("Writer", message("system", "be brief"), message("user", "quota"))).to.equal("both");
  });

  it("gives a tool call the same id again, and another one to another execution or call", async () => {
    await using gateway = await openScripts({
      "tool.yaml": "calls: [{ steps: [{ tool_call: { id: pods, name: k.pods } , repeat: 2 }] }]",
    });
    const ids = async (executionId: string, ...messages: ReturnType<typeof message>[]) => {
      const { chunks } = await gateway.ask(scriptedRequest("tool.yaml", { executionId, messages }));
      return chunks.flatMap(({ content }) => (content?.$case === "toolCall" ? [content.value.callId] : []));
    };
    const first = await ids("e1");
    expect(await ids("e1")).to.deep.equal(first);
    const all = [...first, ...(await ids("e2")), ...(await ids("e1", message("assistant", "x")))];
    expect(new Set(all).size).to.equal(6);
    for (const id of all) expect(id).to.match(/^pods-[0-9a-f]{16}$/u);
  });

  it("counts tokens from the lengths where the script says nothing", async () => {
    await using gateway = await openScripts({
      "u.yaml": "calls: [{ steps: [{ thinking: '12345' }, { text: '1234' }] }]",
    });
    const { chunks } = await gateway.ask(
      scriptedRequest("u.yaml", { messages: [message("user", "12345678")] }),
    );
    expect(chunks.find(({ content }) => content?.$case === "usage")?.content?.value).to.deep.include({
      inputTokens: 2,
      outputTokens: 1,
      thinkingTokens: 2,
      totalTokens: 5,
    });
  });

  it("ends with the scripted error after what came before it", async () => {
    await using gateway = await openScripts({
      "e.yaml": `
calls:
  - { when: { call: 1 }, steps: [{ text: half }, { error: { code: overloaded, message: busy, retryable: true } }] }
  - { steps: [{ error: { code: content_blocked } }] }
`,
    });
    const { text, error, chunks } = await gateway.ask(scriptedRequest("e.yaml"));
    expect(text).to.equal("half");
    expect(error).to.deep.include({ code: "overloaded", message: "busy", retryable: true });
    expect(chunks.at(-1)?.isFinal).to.equal(true);
    const second = await gateway.ask(scriptedRequest("e.yaml", { messages: [message("assistant", "x")] }));
    expect(second.error).to.deep.include({ code: "content_blocked", retryable: false });
  });

  it("hangs until it is cancelled", async () => {
    await using gateway = await openScripts({
      "h.yaml": "calls: [{ steps: [{ text: a }, { hang: true }] }]",
    });
    const call = gateway.client.generate(scriptedRequest("h.yaml"));
    const { promise, resolve } = Promise.withResolvers<unknown>();
    call.on("error", (error) => resolve("code" in error ? error.code : error));
    call.once("data", () => call.cancel());
    expect(await promise).to.equal(status.CANCELLED);
    await until("no call is running", async () =>
      (await gateway.metrics.metrics()).includes("tarsy_llm_calls_running 0"),
    );
  });

  it("streams a long answer in small deltas unharmed", async () => {
    const deltas = repetitions({ daily: 4_096, nightly: 65_536 });
    await using gateway = await openScripts({
      "big.yaml": `calls: [{ steps: [{ text: "${"0123456789ab🔥".repeat(4)}", chunk_size: 13, repeat: ${deltas / 4} }] }]`,
    });
    const { text, chunks } = await gateway.ask(scriptedRequest("big.yaml"));
    expect(text).to.equal("0123456789ab🔥".repeat(deltas));
    // Those that come together are joined.
    expect(chunks.length).to.be.below(deltas / 100);
  });

  it("sends deltas that come one after the other as they come", async () => {
    await using gateway = await openScripts({
      "slow.yaml": `calls: [{ steps: [{ thinking: ab, chunk_size: 1, chunk_delay: 1ms }, { text: cdefgh, chunk_size: 1, chunk_delay: 1ms }] }]`,
    });
    const { chunks } = await gateway.ask(scriptedRequest("slow.yaml"));
    const deltas = chunks.flatMap(({ content }) =>
      content?.$case === "text" || content?.$case === "thinking" ? [content.value.content] : [],
    );
    expect(deltas).to.deep.equal("abcdefgh".split(""));
  });

  it("reads a script again when it has changed", async () => {
    await using gateway = await openScripts({ "s.yaml": "calls: [{ steps: [{ text: old }] }]" });
    expect((await gateway.ask(scriptedRequest("s.yaml"))).text).to.equal("old");
    await writeFile(join(gateway.configDir, "s.yaml"), "calls: [{ steps: [{ text: brand-new }] }]");
    expect((await gateway.ask(scriptedRequest("s.yaml"))).text).to.equal("brand-new");
  });

  it("refuses a script outside the configuration directory, also through a link", async () => {
    await using gateway = await openScripts({});
    await symlink("/etc/hostname", join(gateway.configDir, "link.yaml"));
    for (const path of ["../secret.yaml", "/etc/hostname", "a/../../b.yaml", "link.yaml"]) {
      const { error } = await gateway.ask(scriptedRequest(path));
      expect(error).to.deep.include({ code: "invalid_request", retryable: false });
      expect(error?.message).to.contain(path).and.to.contain("configuration directory");
    }
    expect((await gateway.ask(scriptedRequest("none.yaml"))).error?.message).to.contain("none.yaml");
    expect((await gateway.ask(scriptedRequest(""))).error?.message).to.contain("has no script");
  });

  it("names the script when no entry matches", async () => {
    await using gateway = await openScripts({ "n.yaml": "calls: [{ when: { call: 7 }, steps: [] }]" });
    expect((await gateway.ask(scriptedRequest("n.yaml"))).error?.message)
      .to.contain("n.yaml")
      .and.to.contain("call 1");
  });
});
