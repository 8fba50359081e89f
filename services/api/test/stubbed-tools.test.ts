import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

const TRANSPORT = { transport: { type: "http", url: "http://mcp.example/mcp" } };
const chain = (alertType: string, agent: object) => ({
  alert_types: [alertType],
  stages: [{ name: "analysis", agents: [{ name: "TestAgent", ...agent }] }],
});
const REAL = { llm_provider: "real", iteration_strategy: "native-thinking" };
const NOTICE = "an LLM reads invented results: stub-tools.yaml answers instead of MCP server disks";

describe("stub tools that answer a real model", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({
      config: {
        tarsy: {
          mcp_servers: { disks: TRANSPORT, pods: TRANSPORT },
          agent_chains: {
            "test-chain": chain("test", { mcp_servers: ["disks"], iteration_strategy: "native-thinking" }),
            stubbed: chain("stubbed", { ...REAL, mcp_servers: ["pods", "disks"] }),
            true: chain("true", { ...REAL, mcp_servers: ["pods"] }),
          },
        },
        providers: {
          llm_providers: {
            scripted: { type: "scripted", script: "script.yaml" },
            real: { type: "openai", model: "m", base_url: "http://127.0.0.1:1/v1" },
          },
        },
        stubTools: { servers: { disks: { look: { read_only: true } } } },
      },
    });
  });
  after(() => api[Symbol.asyncDispose]());

  const noticeOf = async (alert: object): Promise<unknown> => {
    const id = await api.accepted(JSON.stringify({ data: "x", ...alert }));
    const notice: unknown = await api.sessionRow("session_metadata ->> 'notice' AS notice", id);
    return typeof notice === "object" && notice !== null && "notice" in notice ? notice.notice : undefined;
  };

  it("are named in the session's notice, also where the alert selects them", async () => {
    expect(await noticeOf({ alert_type: "stubbed" })).to.equal(NOTICE);
    expect(await noticeOf({ alert_type: "true" })).to.equal(null);
    const selected = await noticeOf({ alert_type: "true", mcp: { servers: [{ name: "disks" }] } });
    expect(selected).to.equal(NOTICE);
    const unselected = await noticeOf({ alert_type: "stubbed", mcp: { servers: [{ name: "pods" }] } });
    expect(unselected).to.equal(null);
  });

  it("are no matter where a script answers", async () => {
    expect(await noticeOf({ alert_type: "test" }))
      .to.include("answered by a scripted demo model")
      .and.not.include("invented results");
  });

  it("are a warning of the system", async () => {
    const { body } = await api.client.request("GET", "/api/v1/system/warnings");
    const warnings: unknown[] = Array.isArray(body["warnings"]) ? body["warnings"] : [];
    const found = warnings.filter((warning) => JSON.stringify(warning).includes(":stubs"));
    expect(found).to.have.length(1);
    expect(found[0]).to.include({ id: "mcp_configuration:disks:stubs", server_id: "disks" });
    expect(found[0]).to.have.property("details").that.includes("Agents: TestAgent.");
  });
});
