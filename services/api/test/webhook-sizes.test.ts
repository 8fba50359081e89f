import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { WebhookResponse } from "../webhooks/contract.ts";
import { ApiFixture } from "./api-fixture.ts";
import { TARSY, alert, env, group } from "./webhook-bodies.ts";

const parseAnswer = compileParser("webhook response", WebhookResponse);

describe("the webhook of Alertmanager", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start({ config: { tarsy: TARSY }, env }));
  });
  after(() => resources.disposeAsync());

  const send = async (body: string) =>
    api.raw("POST", "/api/v1/webhooks/alertmanager", {
      body: Buffer.from(body),
      headers: { "content-type": "application/json" },
    });

  it("refuses a body that its indentation would blow up", async () => {
    const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const body = (value: string) => `${JSON.stringify(group([alert("x")])).slice(0, -1)},"x":${value}}`;
    for (const [value, status, message] of [
      [deep(101), 400, "nested too deeply"],
      [`[${Array.from({ length: 1_000 }, () => deep(1_000)).join()}]`, 400, "nested too deeply"],
      [`[${Array.from({ length: 20_000 }, () => deep(90)).join()}]`, 413, "exceeds maximum size"],
      [deep(90), 202, "queued"],
    ] as const) {
      const answer = await send(body(value));
      expect([answer.status, answer.text.includes(message)], answer.text).to.deep.equal([status, true]);
    }
  });

  it("shows as many of 20,000 alerts as there is room for", async () => {
    const many = group(Array.from({ length: 20_000 }, (_, n) => alert(`n${n}`)));
    const { status, text: answer } = await send(JSON.stringify(many));
    expect(status, answer).to.equal(202);
    const [row] = await api.servers.query("SELECT alert_data FROM alert_sessions WHERE session_id = $1", [
      parseAnswer(JSON.parse(answer)).session_id,
    ]);
    const text = String(Reflect.get(Object(row), "alert_data"));
    expect(Buffer.byteLength(text)).to.be.within(1_040_000, 1_048_576);
    const shown = text.match(/"fingerprint"/gu)?.length ?? 0;
    expect(text).to.include(`"alertsLeftOut": ${20_000 - shown}`);
  });
});
