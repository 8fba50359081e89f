import { expect } from "chai";
import { until } from "../../../../test/support/until.ts";
import { McpServers } from "../mcp-servers.ts";
import { startHttpServer } from "./http-server.ts";
import { findServer, httpAt, settingsOf } from "./server-fixture.ts";

describe("a server over HTTP that never answers with its list", () => {
  it("is waited for no longer than a second, and the reason is one for people", async () => {
    await using server = await startHttpServer("legacy", { "tools/list": () => undefined });
    const settings = [settingsOf(httpAt(server.url), { callTimeoutMs: 2_000 })];
    await using servers = new McpServers({ settings, env: {} });
    const known = async () => (await servers.list(["lab"])).get("lab");
    const failed = { kind: "failed", code: "timeout" };
    const late = { kind: "failed", code: "not_listed_yet", message: "no list of tools within 1 s" };
    expect(await known()).to.deep.equal(late);
    await until("the request has ended", async () => {
      const found = await known();
      return found?.kind === "failed" && found.message === "no list of tools within 2 s";
    });
    expect(await known()).to.include(failed);
  });

  it("keeps the runner from being ready until it has answered or failed", async () => {
    const answers: (() => void)[] = [];
    await using server = await startHttpServer("legacy", {
      "tools/list": (_request, response, id) =>
        answers.push(() => server.respond(response, id, { tools: [] })),
    });
    await using servers = new McpServers({ settings: [settingsOf(httpAt(server.url))], env: {} });
    servers.warm();
    const problem = await servers.checkListed().catch(String);
    expect(problem).to.contain("the tools of lab are not listed yet");
    const answer = await until("the list is asked for", () => answers[0]);
    answer();
    await until("the list is there", () => findServer(servers).listing.last);
    await servers.checkListed();
  });
});
