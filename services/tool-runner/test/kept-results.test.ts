import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { KEPT_RESULT_LIMITS } from "#shared/contracts/result-sizes.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolCallReplyCodec, toolCallRequestCodec } from "#shared/contracts/tool-call.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture, type ClaimedSession } from "../../../test/support/tool-fixture.ts";

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };
const BYTES = 100_000;

describe("the whole text of a large result", () => {
  let fixture: ToolFixture;

  before(async () => {
    fixture = await ToolFixture.start({
      lab: { long: { read_only: true, results: [{ bytes: BYTES }] }, short: { read_only: true } },
    });
    await fixture.runner();
  });
  after(() => fixture[Symbol.asyncDispose]());

  let calls = 0;
  const ask = async (session: ClaimedSession, tool: string) => {
    const position = { iteration: 1, index: calls++, attempt: 1 };
    const call = toolCallRequest(session, `lab.${tool}`, { position, max_result_chars: 5_000 });
    const { answer } = await request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, call, 30_000);
    return { id: call.call_id, content: answer.kind === "result" ? answer.content : answer.kind };
  };
  const kept = async ({ sessionId }: ClaimedSession): Promise<unknown> =>
    fixture.db.query("SELECT call_id, bytes FROM tool_results WHERE session_id = $1", [sessionId]);

  it("is stored with the outcome, and the answer names its id", async () => {
    const session = await fixture.session();
    const { id, content } = await ask(session, "long");
    expect(content.length).to.be.at.most(5_000);
    expect(content).to.contain(`All of it is kept: read on with`).and.to.contain(`id "${id}"`);
    expect(await kept(session)).to.deep.equal([{ call_id: id, bytes: BYTES }]);
    expect(await fixture.row(id)).to.deep.include({ result: content });
    await ask(session, "short");
    expect(await kept(session)).to.have.length(1);
  });

  it("is stored up to the session's limit, and then the answer says that it is not", async () => {
    const session = await fixture.session();
    await fixture.db.query(
      "INSERT INTO tool_results (call_id, session_id, bytes, lines, content) VALUES ($1, $2, $3, 1, '')",
      [randomUUID(), session.sessionId, KEPT_RESULT_LIMITS.session - BYTES],
    );
    const last = await ask(session, "long");
    expect(last.content).to.contain(`id "${last.id}"`);
    const tooMuch = await ask(session, "long");
    expect(tooMuch.content).to.contain("The rest is not kept").and.not.to.contain(tooMuch.id);
    expect(await fixture.row(tooMuch.id)).to.deep.include({ result: tooMuch.content });
    expect(await kept(session)).to.have.length(2);
  });
});
