import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { Masker } from "#shared/masking/masker.ts";
import { hasSecret, SECRET_STATEMENTS } from "../../../test/support/secret-statements.ts";
import { ApiFixture } from "./api-fixture.ts";

const parseAnswer = compileParser(
  "answer",
  Type.Object(
    { session_id: Type.String(), alert_withheld: Type.Optional(Type.Boolean()) },
    { additionalProperties: true },
  ),
);
const TOKEN = SECRET_STATEMENTS.find(({ name }) => name === "a token of GitHub")?.text ?? "";
const ALERT = SECRET_STATEMENTS.map(({ text }) => text).join("\n");

describe("an alert with secrets", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    api = resources.use(await ApiFixture.start());
  });
  after(() => resources.disposeAsync());

  const submit = async (at: ApiFixture, body: object, headers: Record<string, string> = {}) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const response = await at.raw("POST", "/api/v1/alerts", {
      body: bytes,
      headers: { "content-type": "application/json", ...headers },
    });
    expect(response.status, response.text).to.equal(202);
    return parseAnswer(JSON.parse(response.text));
  };
  /** All rows of the session, as text. */
  const stored = async (id: unknown) => {
    const sessions = await api.servers.query("SELECT * FROM alert_sessions WHERE session_id = $1", [id]);
    const values = await api.servers.query("SELECT * FROM masked_values WHERE session_id = $1", [id]);
    return { text: JSON.stringify([sessions, values]), values };
  };

  it("is stored without them, alone and with an idempotency key", async () => {
    for (const headers of [{}, { "idempotency-key": "k1" }]) {
      const { session_id } = await submit(
        api,
        { data: ALERT, runbook: ALERT, slack_message_fingerprint: TOKEN },
        headers,
      );
      const { text, values } = await stored(session_id);
      expect(
        SECRET_STATEMENTS.filter((secret) => hasSecret(text, secret)).map(({ name }) => name),
      ).to.deep.equal([]);
      expect(text).to.include("[MASKED_GITHUB_TOKEN:").and.to.include('"masked":{');
      expect(values.length).to.be.at.least(20);
    }
  });

  it("stays as it is without any", async () => {
    const { session_id } = await submit(api, {
      data: "disk full on node-1, see https://example.com/runbook",
    });
    const { text, values } = await stored(session_id);
    expect(text).to.include("disk full on node-1, see https://example.com/runbook");
    expect(values).to.deep.equal([]);
  });

  it("is accepted with its whole text withheld if masking fails", async () => {
    // A thread that is given no time.
    const masker = resources.use(new Masker({ stallMs: 0, maxInline: 0 }));
    await using failing = await ApiFixture.start({ servers: api.servers, masker });
    const answer = await submit(failing, { data: ALERT, runbook: ALERT, slack_message_fingerprint: TOKEN });
    expect(answer).to.include({ alert_withheld: true });
    const { text } = await stored(answer.session_id);
    expect(text).to.include("The alert's text is withheld").and.to.include("alert_withheld");
    for (const secret of SECRET_STATEMENTS) expect(hasSecret(text, secret), secret.name).to.equal(false);
    expect(text).not.to.include("MASKED_");
  });

  it("is stored as it is where masking of alerts is switched off", async () => {
    const tarsy = {
      defaults: { llm_provider: "scripted", alert_type: "test", alert_masking: { enabled: false } },
    };
    await using open = await ApiFixture.start({ servers: api.servers, config: { tarsy } });
    const { session_id } = await submit(open, { data: "password=hunter2-value" });
    expect((await stored(session_id)).text).to.include("password=hunter2-value");
  });
});
