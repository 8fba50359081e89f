import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { env as ownEnvironment } from "node:process";
import { expect } from "chai";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { serverDirectory } from "../../../../test/support/server-directory.ts";
import { loadToolRunnerConfig } from "../../config.ts";
import { listOfferedTools } from "../../list-offered-tools.ts";
import { loadServers } from "../load-servers.ts";
import { McpServers } from "../mcp-servers.ts";
import { hostile } from "./server-fixture.ts";

const TARSY = `
defaults: {llm_provider: test}
mcp_servers:
  remote:
    transport:
      type: http
      url: "{{.URL}}/mcp"
      custom_headers: {X-Key: "{{.KEY}}", X-Session: "{{.SESSION_ID}}"}
    call_timeout: 90s
    tools: {deny: ["secret_*"]}
  incomplete:
    transport: {type: http, url: "http://127.0.0.1:2", ca_file: no-such-file.pem}
  lab:
    transport: {type: stdio, command: COMMAND, args: ARGS}
`;

describe("loadServers", () => {
  it("inserts values of the tool-runner's own file, and lists what the servers offer", async () => {
    const directory = await serverDirectory();
    const lab = hostile();
    if (lab.type !== "stdio") throw new Error("no command");
    const tarsy = TARSY.replace("COMMAND", lab.command).replace("ARGS", JSON.stringify(lab.args));
    const providers = "llm_providers: {test: {type: scripted, script: llm-providers.yaml, model: m}}\n";
    await writeFile(join(directory, "tarsy.yaml"), tarsy);
    await writeFile(join(directory, "llm-providers.yaml"), providers);
    await writeFile(join(directory, ".env"), "URL=http://127.0.0.1:2\nKEY=of all\n");
    await writeFile(join(directory, "tool-runner.env"), "KEY=own\n");
    const env = readConfigEnvironment(directory, ownEnvironment, ["tool-runner.env", ".env"]);
    const { servers, unavailable, warnings } = await loadServers(directory, env);

    expect(servers.map(({ id }) => id)).to.deep.equal(["remote", "lab"]);
    expect(servers[0]).to.deep.include({ callTimeoutMs: 90_000, maxConcurrent: 8 });
    expect(servers[0]?.transport).to.deep.include({
      headers: { "X-Key": "own", "X-Session": "{{.SESSION_ID}}" },
    });
    expect(unavailable.get("incomplete")).to.contain("no-such-file.pem");
    expect(warnings).to.have.length(1);

    await using running = new McpServers({ settings: servers, env });
    const ids = ["remote", "incomplete", "lab"];
    const reply = await listOfferedTools(
      { tools: new Map(), servers: running, unavailable },
      {
        server_ids: ids,
        execution_id: randomUUID(),
        session_id: randomUUID(),
      },
    );
    expect(reply.tools.map(({ name }) => name)).to.deep.equal([
      "lab.admin.tools.list",
      "lab.echo",
      "lab.look",
    ]);
    expect(reply.failed?.map(({ server, code }) => `${server} ${code}`)).to.deep.equal([
      "remote unreachable",
      "incomplete misconfigured",
    ]);
  });

  it("knows the secrets of servers, wherever they come from, and shows none of them in a refusal", async () => {
    const directory = await serverDirectory();
    const file = join(directory, "token");
    await writeFile(file, "token-of-a-file\n");
    const transport = (token: string) => `{type: http, url: "http://127.0.0.1:2", bearer_token: "${token}"}`;
    const tarsy = `
defaults: {llm_provider: test}
mcp_servers:
  own: {transport: ${transport("{{.OWN}}")}}
  file: {transport: ${transport("{{.OF_FILE}}")}}
  broken: {transport: ${transport("{{.BROKEN}}")}}
  lab: {transport: {type: stdio, command: lab, env: {SEED: "canary-0f1e2d3c4b"}}}
`;
    const providers = "llm_providers: {test: {type: scripted, script: llm-providers.yaml, model: m}}\n";
    await writeFile(join(directory, "tarsy.yaml"), tarsy);
    await writeFile(join(directory, "llm-providers.yaml"), providers);
    await writeFile(join(directory, "tool-runner.env"), `OWN=own-words-only\nOF_FILE_FILE=${file}\n`);
    const { knownSecrets, warnings } = await loadToolRunnerConfig({
      CONFIG_DIR: directory,
      DATABASE_URL: "postgres://127.0.0.1/none",
      NATS_URL: "nats://127.0.0.1:2",
      BROKEN: "line one\u0000 of a broken token",
    });
    expect(knownSecrets).to.include.members(["own-words-only", "token-of-a-file", "canary-0f1e2d3c4b"]);
    expect(warnings.join()).to.contain("header Authorization");
    expect(warnings.join()).not.to.contain("broken token");
  });

  it("has no servers without a tarsy.yaml", async () => {
    const { servers } = await loadServers(await serverDirectory(), {});
    expect(servers).to.deep.equal([]);
  });
});
