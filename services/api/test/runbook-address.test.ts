import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

describe("the runbook of a submitted alert", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    const system = { runbooks: { allowed_domains: ["GitHub.com", "git.example.com"] } };
    api = resources.use(await ApiFixture.start({ config: { tarsy: { system } } }));
  });
  after(() => resources.disposeAsync());

  it("is refused with the rule if it is an address that may not be fetched", async () => {
    for (const [runbook, rule] of [
      ["http://github.com/a.md", "must use https"],
      [
        "https://169.254.169.254/latest",
        "its host 169.254.169.254 is not allowed; allowed: github.com, git.example.com",
      ],
      ["https://2852039166/latest", "its host 169.254.169.254 is not allowed"],
      ["https://[::1]/", "its host [::1] is not allowed"],
      ["https://ann:pw@github.com/a.md", "must not have a user name or a password"],
    ] as const) {
      const { status, body } = await api.client.request("POST", "/api/v1/alerts", { data: "x", runbook });
      expect(status, runbook).to.equal(400);
      expect(body["message"], runbook).to.include(`invalid runbook URL: ${rule}`);
    }
  });

  it("is stored if it may, or if it is a text, and the session's configuration says that it is fetched", async () => {
    for (const runbook of [
      "https://www.github.com/o/r/blob/main/a.md",
      "https://git.example.com/a",
      "# Look twice",
    ]) {
      const id = await api.client.submit("x", { runbook });
      const [row] = await api.servers.query(
        "SELECT runbook_url, (config ->> 'fetches_runbook')::boolean AS is_fetched FROM alert_sessions JOIN resolved_configs USING (config_hash) WHERE session_id = $1",
        [id],
      );
      expect(row).to.deep.equal({ runbook_url: runbook, is_fetched: true });
    }
  });
});
