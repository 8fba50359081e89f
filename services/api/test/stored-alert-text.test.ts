import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

const MEBIBYTE = 1_048_576;

describe("the texts of POST /api/v1/alerts", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({
      config: {
        tarsy: {
          mcp_servers: { "my-server": { transport: { type: "stdio", command: "my-server" } } },
        },
      },
    });
  });
  after(() => api[Symbol.asyncDispose]());

  const CHANGED = {
    notice:
      "answered by a scripted demo model (provider 'scripted'), not by an LLM: its texts are those of a script",
    alert_data_changed: "characters that cannot be stored were replaced by U+FFFD",
  };

  it("accepts white space as data", async () => {
    const id = await api.client.submit(" \n");
    expect(await api.sessionRow("alert_data", id)).to.deep.equal({ alert_data: " \n" });
  });

  it("limits data in bytes of UTF-8, and never truncates it", async () => {
    const exactly = "é".repeat(MEBIBYTE / 2);
    const id = await api.client.submit(exactly);
    expect(await api.sessionRow("alert_data", id)).to.deep.equal({ alert_data: exactly });
    const more = await api.client.request("POST", "/api/v1/alerts", { data: `${exactly}x` });
    expect(more).to.include({ status: 413 });
  });

  it("replaces NUL and lone surrogates and says so in the session's metadata", async () => {
    const id = await api.accepted(
      String.raw`{"data":"a\u0000b\ud800c\ud83d\ude00","runbook":"http://\u0000"}`,
    );
    expect(await api.sessionRow("alert_data, runbook_url, session_metadata", id)).to.deep.equal({
      alert_data: "a\uFFFDb\uFFFDc😀",
      runbook_url: "http://\uFFFD",
      session_metadata: CHANGED,
    });
  });

  it("replaces what jsonb refuses in the tools an alert selects", async () => {
    const id = await api.accepted(
      String.raw`{"data":"x","mcp":{"servers":[{"name":"my-server","tools":["a\u0000","\ud800"]}]}}`,
    );
    expect(await api.sessionRow("mcp_selection -> 'servers' AS servers", id)).to.deep.equal({
      servers: [{ name: "my-server", tools: ["a\uFFFD", "\uFFFD"] }],
    });
  });

  it("replaces invalid UTF-8 by U+FFFD", async () => {
    const id = await api.accepted(
      Buffer.concat([Buffer.from('{"data":"a'), Buffer.of(0xff), Buffer.from('"}')]),
    );
    expect(await api.sessionRow("alert_data", id)).to.deep.equal({ alert_data: "a\uFFFD" });
  });
});
