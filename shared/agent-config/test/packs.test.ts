import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { packNames, readPack, SHIPPED_PACKS } from "#shared/agent-config/read-packs.ts";
import { Reporter } from "#shared/agent-config/reporter.ts";
import { isJsonObject } from "#shared/json-object.ts";
import { DEFAULTS, failureOf, loadText, SCRIPTED } from "./config-fixture.ts";

const HASH = "0".repeat(63);
const load = async (server: string, others: Readonly<Record<string, string>> = {}, env = {}) =>
  loadText(`mcp_servers:\n  one: ${server}\n${DEFAULTS}`, SCRIPTED, env, others);
const problems = async (server: string, others: Readonly<Record<string, string>>) =>
  (await failureOf(load(server, others))).problems.map(({ path, message }) => `${path}: ${message}`);
const own = (lines: string) => `pack: mine\ntransport: { type: stdio, command: mine }\n${lines}`;
const TOOL = `tools: { read: [look] }\ndefinitions: { look: ${HASH}1 }\n`;

describe("a pack that comes with TARSy", () => {
  for (const name of packNames("/nowhere")) {
    it(`${name} is valid, and each package that it installs has a hash`, async () => {
      const reporter = new Reporter({});
      const pack = await readPack(SHIPPED_PACKS, name, reporter, {});
      expect([...reporter.errors(), ...reporter.warnings()]).to.deep.equal([]);
      const { server } = pack ?? {};
      if (server === undefined) return;
      if (server.from === "pypi") {
        const lines = readFileSync(join(SHIPPED_PACKS, `${name}.requirements.txt`), "utf8")
          .trim()
          .split("\n");
        expect(lines.some((line) => line.startsWith(`${server.name}==${server.version} --hash`))).to.equal(
          true,
        );
        for (const line of lines) expect(line).to.match(/^\S+==\S+ (?:; .* )?--hash=sha256:[0-9a-f]{64}/u);
        return;
      }
      const lock: unknown = JSON.parse(readFileSync(join(SHIPPED_PACKS, `${name}.lock.json`), "utf8"));
      const packages = isJsonObject(lock) && isJsonObject(lock["packages"]) ? lock["packages"] : {};
      const { version, integrity } = server;
      expect(packages[`node_modules/${server.name}`]).to.include({ version, integrity });
      for (const [folder, entry] of Object.entries(packages).slice(1)) {
        expect(entry, folder)
          .to.have.property("integrity")
          .that.matches(/^sha512-/u);
      }
    });
  }
});

describe("a server with a pack", () => {
  it("is started as the pack says, with the rules of both", async () => {
    const file =
      "{ pack: alertmanager, tools: { deny: [get_status], approve: [get_*] }, instructions: Ours. }";
    const config = await load(file, {}, { ALERTMANAGER_PASSWORD: "set" });
    const { transport, tools, isolation, instructions } = config.mcpServers.get("one") ?? {};
    expect(transport).to.deep.equal({
      type: "stdio",
      command: "alertmanager-mcp-server",
      args: [],
      // The user name is optional and not set.
      env: { ALERTMANAGER_URL: "{{.ALERTMANAGER_URL}}", ALERTMANAGER_PASSWORD: "{{.ALERTMANAGER_PASSWORD}}" },
    });
    expect(tools?.deny).to.deep.equal(["post_alerts", "get_status"]);
    expect(tools?.approve).to.deep.equal(["delete_silence", "post_silence", "get_*"]);
    expect(tools?.destructive).to.deep.equal(["delete_silence"]);
    expect({ isolation, instructions }).to.deep.equal({ isolation: "shared", instructions: "Ours." });
    expect(config.packDefinitions.get("one")).to.have.property("get_alerts").with.length(1);
  });

  it("gets the values of its settings from other variables, over HTTP as headers", async () => {
    const settings = 'settings: { token: "{{.TEAM_TOKEN}}" }';
    const { mcpServers } = await load(`{ pack: github, ${settings} }`, {}, { TEAM_TOKEN: "abc" });
    expect(mcpServers.get("one")?.transport).to.deep.include({
      type: "http",
      bearer_token: "{{.TEAM_TOKEN}}",
    });
    const datadog = await load(`{ pack: datadog, settings: { url: "https://eu" } }`);
    expect(datadog.mcpServers.get("one")?.transport).to.deep.include({
      url: "https://eu",
      custom_headers: { DD_API_KEY: "{{.DD_API_KEY}}", DD_APPLICATION_KEY: "{{.DD_APPLICATION_KEY}}" },
    });
  });

  it("accepts, beside the pack's definitions, those of accepted-tools.yaml", async () => {
    const accepted = `servers: { one: { look: ${HASH}2, new: ${HASH}3 }, other: { look: ${HASH}4 } }\n`;
    const files = { "packs/mine.yaml": own(TOOL), "accepted-tools.yaml": accepted };
    const { packDefinitions } = await load("{ pack: mine }", files);
    expect(packDefinitions.get("one")).to.deep.equal({ look: [`${HASH}1`, `${HASH}2`], new: [`${HASH}3`] });
    const broken = { ...files, "accepted-tools.yaml": "servers: { one: { look: abc } }\n" };
    expect(await problems("{ pack: mine }", broken)).to.deep.equal([
      "servers.one.look: must be a SHA-256: 64 hexadecimal digits, found abc",
    ]);
  });

  it("may have a pack of the team, which takes no other's place unnoticed", async () => {
    const shadow = own(TOOL).replace("mine", "prometheus");
    const files = { "packs/prometheus.yaml": shadow };
    const [problem] = await problems("{ pack: prometheus }", files);
    expect(problem)
      .to.include("pack: is the name of a pack that comes with TARSy")
      .and.include("replaces_shipped: true");
    const replaced = { "packs/prometheus.yaml": `${shadow}replaces_shipped: true\n` };
    const { mcpServers } = await load("{ pack: prometheus }", replaced);
    expect(mcpServers.get("one")?.transport).to.include({ command: "mine" });
  });

  for (const [lines, says] of [
    ["tools: { read: [look] }\n", "definitions: must have every tool"],
    [
      `tools: { read: [] }\ndefinitions: { look: ${HASH}1 }\n`,
      "definitions.look: must be in a list of `tools`",
    ],
    [TOOL.replace("] }", "], deny: [lok] }"), "tools.deny[0]: must be the name of a tool in `definitions`"],
    [`${TOOL}probe: { tool: lok }\n`, "probe.tool: must be the name of a tool"],
    [`${TOOL}probe: { tool: look, expect: { not_matching: "(" } }\n`, "must be a regular expression of RE2"],
    [
      `${TOOL}server: { name: x, version: 1.0.0, from: pypi, bin: x }\n`,
      "transport.command: is required without",
    ],
    [
      `${TOOL}server: { name: x, version: ^1, from: pypi, bin: x }\n`,
      "server.version: must be an exact version",
    ],
  ] as const) {
    it(`refuses a pack: ${says}`, async () => {
      const found = await problems("{ pack: mine }", { "packs/mine.yaml": own(lines) });
      expect(found.join("\n")).to.include(says);
    });
  }

  it("names the file of a pack that has another name", async () => {
    const found = await problems("{ pack: ours }", { "packs/ours.yaml": own(TOOL) });
    expect(found).to.deep.equal(["pack: must be the name of its file, ours, found mine"]);
    expect(existsSync(join(SHIPPED_PACKS, "mine.yaml"))).to.equal(false);
  });
});
