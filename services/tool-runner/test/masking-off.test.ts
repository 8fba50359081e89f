import { expect } from "chai";
import { request } from "#shared/bus/request.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { toolCallReplyCodec, toolCallRequestCodec } from "#shared/contracts/tool-call.ts";
import { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer } from "#shared/masking/masking-rules.ts";
import { toolCallRequest } from "../../../test/support/tool-call-request.ts";
import { ToolFixture } from "../../../test/support/tool-fixture.ts";
import { maskReasons } from "../mask-descriptions.ts";
import type { Tool } from "../tool.ts";
import { serveInProcess } from "./serve-in-process.ts";

const CONTRACT = { request: toolCallRequestCodec, reply: toolCallReplyCodec };
const OWN = "the-runners-own-value";
const rules = new Map([["lab", rulesOfServer({ enabled: false })]]);

const print: Tool = {
  description: {
    server: "lab",
    name: "lab.print",
    description: "",
    parameters_schema: "{}",
    read_only: true,
    effect: "read",
  },
  call: () => Promise.resolve({ isError: false, content: [`password=hunter2-value and ${OWN}`] }),
};

describe("a server with masking switched off", () => {
  const resources = new AsyncDisposableStack();
  const masker = resources.use(new Masker({ known: [OWN] }));
  after(async () => resources.disposeAsync());

  it("has only the runner's own secrets masked in its results", async () => {
    await using fixture = await ToolFixture.start({});
    const session = await fixture.session({ mcp_servers: ["lab"] });
    await using _ = await serveInProcess(fixture, [print], { masker, maskingRules: rules });
    const body = toolCallRequest(session, "lab.print");
    const { answer } = await request(fixture.bus, SUBJECTS.toolsCall, CONTRACT, body, 30_000);
    expect(JSON.stringify(answer))
      .to.include("password=hunter2-value and [MASKED_CREDENTIAL]")
      .and.not.to.include(OWN);
  });

  it("has them masked in the reason why it cannot be used", async () => {
    const masked = await maskReasons(new Map([["lab", `no file /keys/${OWN}`]]), masker, rules);
    expect(masked.get("lab")).to.equal("no file /keys/[MASKED_CREDENTIAL]");
  });
});
