import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolCallReplyCodec, toolCallRequestCodec } from "#shared/contracts/tool-call.ts";
import { toolListReplyCodec, toolListRequestCodec } from "#shared/contracts/tool-list.ts";
import { hasSecret, SECRET_STATEMENTS } from "../../../test/support/secret-statements.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";

const STATEMENTS = SECRET_STATEMENTS.map(({ text }) => text).join("\n");
const SECRET = JSON.stringify({
  kind: "Secret",
  data: { key: Buffer.from("hunter2-value").toString("base64") },
});
const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };
const LIST = { request: toolListRequestCodec, reply: toolListReplyCodec };

describe("a tool-runner masks", () => {
  const resources = new AsyncDisposableStack();
  let fixture: ToolFixture;
  let session: ClaimedSession;

  before(async () => {
    const tools = {
      print: { results: [{ text: STATEMENTS }] },
      secret: { results: [{ text: SECRET }] },
      environment: { results: [{ text: "HOST=db\nVALUE=hunter2-value\n" }] },
      refuse: { results: [{ error: STATEMENTS }] },
      explode: { results: [{ exception: STATEMENTS }] },
      echo: {},
      own: { results: [{ text: "the runner has the-runners-own-value" }] },
      cut: { results: [{ text: `${"a line of a log\n".repeat(80_000)}password=hunter2-value` }] },
      described: { description: `Log in with password=hunter2-value` },
    };
    fixture = resources.use(await ToolFixture.start({ lab: tools }));
    const env = { SOME_TOKEN: "the-runners-own-value" };
    await Promise.all([fixture.runner(env), fixture.runner(env)]);
    session = await fixture.session();
  });
  after(async () => resources.disposeAsync());

  /** What a call answers and what its row has. */
  const call = async (tool: string, args = "{}", from = session): Promise<string> => {
    const body = toolCallRequest(from, `lab.${tool}`, { arguments: args, max_result_chars: 100_000 });
    const { answer } = await request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, body, 30_000);
    return JSON.stringify([answer, await fixture.row(body.call_id)]);
  };
  const leaked = (text: string) =>
    SECRET_STATEMENTS.filter((secret) => hasSecret(text, secret)).map(({ name }) => name);

  it("results, errors that tools report and throw, and arguments that they repeat", async () => {
    expect(leaked(await call("print"))).to.deep.equal([]);
    expect(leaked(await call("refuse"))).to.deep.equal([]);
    expect(leaked(await call("explode"))).to.deep.equal([]);
    for (const { text, name } of SECRET_STATEMENTS) {
      expect(leaked(await call("echo", JSON.stringify({ text }))), name).to.deep.equal([]);
    }
  });

  it("a value that it masked before, in any runner, with the same digits; another session's has others", async () => {
    const digits = (text: string) => /\[MASKED_SECRET_DATA:(\w{6})\]/u.exec(text)?.[1];
    const before = digits(await call("secret"));
    // Both runners answer, in whatever order.
    for (let round = 0; round < 6; round += 1) {
      const text = await call("environment");
      expect(text).to.include("HOST=db").and.not.to.include("hunter2");
      expect(digits(text)).to.equal(before);
    }
    const other = await fixture.session();
    expect(digits(await call("secret", "{}", other))).not.to.equal(before);
  });

  it("its own secrets", async () => {
    expect(await call("own"))
      .to.include("[MASKED_CREDENTIAL")
      .and.not.to.include("own-value");
  });

  it("before it cuts", async () => {
    expect(await call("cut"))
      .to.include("[Cut: this result has")
      .and.not.to.include("hunter2");
  });

  it("descriptions", async () => {
    const { sessionId: session_id, executionId: execution_id } = session;
    const body = { session_id, execution_id, server_ids: ["lab"] };
    const { tools } = await request(fixture.bus, SUBJECTS.toolsList, LIST, body, 30_000);
    const description = tools.find(({ name }) => name === "lab.described")?.description;
    expect(description).to.equal("Log in with password=[MASKED_PASSWORD]");
  });
});
