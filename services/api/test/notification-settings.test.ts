import { expect } from "chai";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { loadApiConfig } from "../config.ts";
import { WEBHOOK_SECRET } from "./notifications-fixture.ts";

const SYSTEM = {
  slack: { enabled: true, channel: "C1" },
  notifications: { webhooks: [{ name: "ops", url: "https://ops.example.com/x", secret_env: "OPS_SECRET" }] },
};
const ENV = { SLACK_BOT_TOKEN: "xoxb-1", OPS_SECRET: WEBHOOK_SECRET };

describe("the settings of notifications", () => {
  const load = async (system: object, env: Record<string, string>) => {
    await using directory = await testConfigDirectory({ tarsy: { system } });
    const servers = { DATABASE_URL: "postgres://u:p@127.0.0.1/x", NATS_URL: "nats://127.0.0.1:4222" };
    return (await loadApiConfig({ ...servers, CONFIG_DIR: directory.path, ...env })).notifications;
  };

  it("have the address of the page, Slack's own address and the usual events by default", async () => {
    const { pageUrl, slack, webhooks } = await load(SYSTEM, { ...ENV, API_PORT: "1234" });
    expect(pageUrl).to.equal("http://localhost:1234");
    const apiUrl = "https://slack.com/api";
    expect(slack).to.deep.equal({ token: "xoxb-1", channel: "C1", apiUrl, listening: undefined });
    expect(webhooks[0]?.events).to.deep.equal([
      "session.ended",
      "approval.requested",
      "budget.soft_limit",
      "budget.exceeded",
    ]);
    expect(webhooks[0]?.secret.toString()).to.equal("a secret of 32 bytes for tests!!");
  });

  it("are none where nothing is enabled, whatever the variables are", async () => {
    const found = await load({ slack: { enabled: false, channel: "C1" } }, {});
    expect(found).to.deep.include({ slack: undefined, webhooks: [] });
  });

  for (const [why, env, message] of [
    ["no token", { SLACK_BOT_TOKEN: "" }, /SLACK_BOT_TOKEN is not set: system\.slack in tarsy\.yaml/u],
    [
      "a token that is no header",
      { SLACK_BOT_TOKEN: "a b" },
      /SLACK_BOT_TOKEN must have visible ASCII characters only/u,
    ],
    [
      "another address of Slack",
      { SLACK_API_URL: "slack.com" },
      /SLACK_API_URL must be an address that begins with/u,
    ],
    ["no secret", { OPS_SECRET: "" }, /OPS_SECRET is not set: system\.notifications\.webhooks .* of 'ops'/u],
    [
      "a short secret",
      { OPS_SECRET: "whsec_c2hvcnQ=" },
      /OPS_SECRET must be whsec_ and 24 to 64 bytes in base64/u,
    ],
    ["a secret in another form", { OPS_SECRET: "x".repeat(40) }, /openssl rand -base64 32/u],
  ] as const) {
    it(`keep the api from starting with ${why}, and are not quoted`, async () => {
      const error: unknown = await load(SYSTEM, { ...ENV, ...env }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(String(error)).to.match(message);
      expect(String(error)).not.to.contain("c2hvcnQ").and.not.to.contain("xxxx");
    });
  }
});
