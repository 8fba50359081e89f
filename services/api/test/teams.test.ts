import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../../test/support/until.ts";
import { WebhookServer } from "../../../test/support/webhook-server.ts";
import { Outbound } from "../notifications/http/outbound.ts";
import { openDestinations } from "../notifications/notify.ts";
import { sendNotifications } from "../notifications/send-notifications.ts";
import { ADMIN_ACCESS, ApiFixture } from "./api-fixture.ts";

const parseMessage = compileParser(
  "message for Teams",
  Type.Object({
    type: Type.Literal("message"),
    attachments: Type.Tuple([
      Type.Object({
        contentType: Type.Literal("application/vnd.microsoft.card.adaptive"),
        content: Type.Object({
          type: Type.Literal("AdaptiveCard"),
          version: Type.Literal("1.5"),
          body: Type.Array(
            Type.Object({
              type: Type.Literal("RichTextBlock"),
              inlines: Type.Array(Type.Object({ type: Type.Literal("TextRun"), text: Type.String() })),
            }),
          ),
          actions: Type.Array(Type.Object({ type: Type.Literal("Action.OpenUrl"), url: Type.String() })),
        }),
      }),
    ]),
  }),
);

describe("messages in Teams", () => {
  let resources: AsyncDisposableStack;
  let hook: WebhookServer;
  let api: ApiFixture;

  beforeEach(async () => {
    resources = new AsyncDisposableStack();
    hook = resources.use(await WebhookServer.open());
    api = resources.use(
      await ApiFixture.start({
        config: { tarsy: { system: { notifications: { teams: [{ name: "ops", url_env: "TEAMS_URL" }] } } } },
        env: { ...ADMIN_ACCESS, TEAMS_URL: `${hook.url}?sig=secret` },
      }),
    );
  });
  afterEach(() => resources.disposeAsync());

  const send = () => {
    const { db, log, metrics, config, masker } = api.deps;
    const stopping = new AbortController();
    const outbound = new Outbound();
    const { pageUrl } = config.notifications;
    const destinations = openDestinations(config.notifications, { db, outbound });
    const deps = { db, log, metrics, destinations, masker, pageUrl };
    const sending = sendNotifications(deps, stopping.signal, { everyMs: 20 });
    resources.defer(async () => {
      stopping.abort(new Error("the test stops it"));
      await sending;
      await outbound[Symbol.asyncDispose]();
    });
  };
  const end = async (analysis: string) => {
    const id = await api.accepted('{"data":"disk full"}');
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now(), final_analysis = $2 WHERE session_id = $1",
      [id, analysis],
    );
    return id;
  };
  const sent = async (count: number) => {
    await until("it is sent", () => hook.received.length >= count);
    const last = hook.received.at(-1)?.body ?? "";
    const decoded: unknown = JSON.parse(last);
    const { content } = parseMessage(decoded).attachments[0];
    return {
      bytes: Buffer.byteLength(last),
      content,
      texts: content.body.flatMap(({ inlines }) => inlines.map(({ text }) => text)),
    };
  };

  it("are cards with the end and a link, in which what agents wrote is text and no Markdown", async () => {
    const id = await end("see [this](http://x) **now** <at>all</at>");
    send();
    const { content, texts } = await sent(1);
    expect(texts).to.deep.equal(["Analysis complete (test)", "see [this](http://x) **now** <at>all</at>"]);
    expect(content.actions.map(({ url }) => url)).to.deep.equal([`http://localhost:8080/sessions/${id}`]);
  });

  for (const [what, text] of [
    ["letters", "x"],
    ["bytes", "界"],
    ["escapes", "\u0001"],
  ] as const) {
    it(`stay below 28 KiB with a long text of ${what}`, async () => {
      await end(text.repeat(20_000));
      send();
      const { bytes, texts } = await sent(1);
      expect(bytes).to.be.at.most(28 * 1_024);
      expect(texts.at(-1)).to.match(/…$/u);
    });
  }

  it("are sent to an address that no answer and no list shows", async () => {
    await end("x");
    hook.answer({ status: 400, body: `the flow ${hook.url}?sig=secret is off` });
    send();
    await until("it is refused", async () => {
      const { body } = await api.client.request("GET", "/api/v1/notifications");
      return JSON.stringify(body).includes("status 400");
    });
    const { body } = await api.client.request("GET", "/api/v1/notifications");
    expect(JSON.stringify(body)).to.contain("teams:ops").and.not.contain("sig=secret");
  });
});
