import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { stringify } from "yaml";
import { BackingServers } from "../../test/support/backing-servers.ts";
import { testConfigDirectory } from "../../test/support/config-directory.ts";
import { describeNightly } from "../../test/support/nightly.ts";
import { ApiClient } from "#shared/client/api-client.ts";
import { TarsySystem } from "../../test/support/tarsy-system.ts";
import { until } from "../../test/support/until.ts";
import { tarsyHere } from "./tarsy-here.ts";

const SERVER = join(import.meta.dirname, "../../test/support/mcp-servers/listing-server.ts");

describeNightly("a server with a pack, beside the services", function () {
  this.timeout(120_000);

  it("is warned about while its tools are held back or it fails, and doctor says since when", async () => {
    await using resources = new AsyncDisposableStack();
    const agents = { TestAgent: { mcp_servers: ["odd", "away"] } };
    const tarsy = { agents, mcp_servers: { odd: { pack: "odd" }, away: { pack: "away" } } };
    const { path: configDir } = resources.use(await testConfigDirectory({ tarsy }));
    const tools = join(configDir, "tools.json");
    await writeFile(tools, JSON.stringify([{ name: "look", inputSchema: { type: "object" } }]));
    await mkdir(join(configDir, "packs"));
    const packs = { odd: [process.execPath, SERVER, tools], away: ["/bin/false"] };
    for (const [pack, [command, ...args]] of Object.entries(packs)) {
      const known = { tools: { read: ["look"] }, definitions: { look: "0".repeat(64) } };
      const file = { pack, transport: { type: "stdio", command, args }, ...known };
      await writeFile(join(configDir, "packs", `${pack}.yaml`), stringify(file));
    }
    const servers = resources.use(await BackingServers.choose({}));
    const system = resources.use(await TarsySystem.prepare({ servers, configDir }));
    await Promise.all([system.startService("api"), system.startService("tool-runner")]);
    const client = new ApiClient({ url: system.api });
    const warnings = await until("both are warned about", async () => {
      const { warnings: all } = await client.call("GET /api/v1/system/warnings", {});
      const ids = new Set(all.map(({ id }) => id));
      return ids.has("mcp_configuration:odd:tools") && ids.has("mcp_health:away") && all;
    });
    const { details } = warnings.find(({ id }) => id === "mcp_configuration:odd:tools") ?? {};
    expect(details).to.equal(
      "held back until `tarsy add --accept odd` has shown and accepted them: look (changed)",
    );
    const since = warnings.find(({ id }) => id === "mcp_health:away")?.created_at;
    const env = { PATH: process.env["PATH"], TARSY_API_URL: system.api };
    const { code, out } = await tarsyHere(["doctor", "--config-dir", configDir], env);
    expect(code).to.equal(1);
    expect(out).to.include(`  failing    since ${since}\n`).and.include("changed look");
  });
});
