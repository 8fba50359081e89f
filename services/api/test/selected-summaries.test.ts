import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

describe("an alert that selects MCP servers", () => {
  let api: ApiFixture;

  before(async () => {
    const transport = { type: "stdio", command: "a-server" };
    const summarization = { size_threshold_tokens: 300, llm_provider: "scripted" };
    const mcp_servers = { short: { transport }, long: { transport, summarization } };
    api = await ApiFixture.start({ config: { tarsy: { mcp_servers } } });
  });
  after(() => api[Symbol.asyncDispose]());

  it("has stored with its session how their results are summarized", async () => {
    const summaries = async (name: string) => {
      const alert = { data: "x", mcp: { servers: [{ name }] } };
      const { status, body } = await api.client.request("POST", "/api/v1/alerts", alert);
      expect(status).to.equal(202);
      const [row] = await api.servers.query(
        "SELECT config #> '{mcp_server_summaries}' AS summaries FROM alert_sessions JOIN resolved_configs USING (config_hash) WHERE session_id = $1",
        [body["session_id"]],
      );
      return row;
    };
    const stored = await summaries("long");
    expect(stored).to.have.nested.property("summaries.long.llm_provider.name", "scripted");
    expect(stored).to.have.nested.include({
      "summaries.long.threshold_tokens": 300,
      "summaries.long.max_tokens": 1_000,
    });
    expect(await summaries("short")).to.deep.equal({ summaries: null });
  });

  it("makes an agent without servers and strategy call tools; any other alert has it answer once", async () => {
    const strategy = async (mcp?: object) => {
      const { body } = await api.client.request("POST", "/api/v1/alerts", { data: "x", mcp });
      const [row] = await api.servers.query(
        "SELECT jsonb_path_query_array(config, 'strict $.**.iteration_strategy') AS strategy FROM alert_sessions JOIN resolved_configs USING (config_hash) WHERE session_id = $1",
        [body["session_id"]],
      );
      return row;
    };
    expect(await strategy({ servers: [{ name: "short" }] })).to.deep.equal({ strategy: ["native-thinking"] });
    expect(await strategy()).to.deep.equal({ strategy: ["single-call"] });
    expect(await strategy({ servers: [] })).to.deep.equal({ strategy: ["single-call"] });
  });
});
