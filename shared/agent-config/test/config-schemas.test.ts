import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { expect } from "chai";
import { parse } from "yaml";
import { writeConfigFiles } from "./config-fixture.ts";

const ROOT = join(import.meta.dirname, "../../..");
const DEPLOY = join(ROOT, "deploy/config");

async function compileSchema(name: string): Promise<ValidateFunction> {
  const schema: unknown = JSON.parse(await readFile(join(DEPLOY, name), "utf8"));
  if (typeof schema !== "object" || schema === null) throw new Error(`${name} is no schema`);
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  ajv.addKeyword("patternErrorMessage");
  return ajv.compile(schema);
}

/** Whether the schema accepts a file of this text, as in an editor: with its templates not expanded. */
async function accepts(name: string, yaml: string): Promise<boolean> {
  const validate = await compileSchema(name);
  return validate(parse(yaml, { logLevel: "error" }));
}

const acceptsTarsy = (yaml: string) => accepts("tarsy.schema.json", yaml);
const acceptsProviders = (yaml: string) => accepts("llm-providers.schema.json", yaml);

describe("the configuration's JSON Schemas", () => {
  it("are generated from the loader's schemas", async () => {
    await using directory = await writeConfigFiles({});
    execFileSync(process.execPath, ["scripts/write-config-schemas.ts", directory.path], { cwd: ROOT });
    for (const name of ["tarsy.schema.json", "llm-providers.schema.json"]) {
      const committed = await readFile(join(DEPLOY, name), "utf8");
      const generated = await readFile(join(directory.path, name), "utf8");
      expect(committed === generated, `${name} is stale: run npm run schemas and commit the result`).to.equal(
        true,
      );
    }
  });

  it("accept every file of deploy/config", async () => {
    for (const folder of ["tarsy.yaml.example", "tarsy.yaml", "demo/tarsy.yaml"]) {
      const providers = folder.replace("tarsy", "llm-providers");
      expect(await acceptsTarsy(await readFile(join(DEPLOY, folder), "utf8")), folder).to.equal(true);
      expect(await acceptsProviders(await readFile(join(DEPLOY, providers), "utf8")), providers).to.equal(
        true,
      );
    }
  });

  it("accept everything else that the loader accepts: templates, keys without a value, unknown keys, other notations", async () => {
    for (const yaml of [
      "queue: {worker_count: {{.X}}}",
      'queue: {worker_count: "{{.X}}", session_timeout: {{.X}}, poll_interval_jitter: 0}',
      "queue:\ndefaults:\n  runbook:\n",
      "defaults: {max_iterations: 1_000, alert_type: 404, backend: native}\nsistem: {a: 1}",
      "agent_chains: {c: {alert_types: [a], stages: [{name: s, agents: [{name: A}]}], sub_agents: [A, {name: B}]}}",
      "mcp_servers: {s: {transport: {type: stdio, args: [--port, 80], verify_ssl: yes}}}",
      "mcp_servers: {s: {transport: {type: {{.X}}, verify_ssl: {{ .X }}}}}",
    ]) {
      expect(await acceptsTarsy(yaml), yaml).to.equal(true);
    }
    expect(
      await acceptsProviders("llm_providers: {p: {type: google, native_tools: {google_search: off}}}"),
    ).to.equal(true);
  });

  it("reject wrong values", async () => {
    for (const yaml of [
      "queue: {worker_count: 51}",
      "queue: {session_timeout: soon}",
      "queue: {session_timeout: 0}",
      "queue: []",
      "defaults: {success_policy: most}",
      "defaults: {max_iterations: many}",
      "mcp_servers: {s: {}}",
      "mcp_servers: {s: {transport: {type: tcp}}}",
      "mcp_servers: {s: {transport: {type: http, verify_ssl: perhaps}}}",
      "agents: {A: {mcp_servers: kubernetes-server}}",
      "agent_chains: {c: {alert_types: [], stages: [{name: s, agents: [{name: A}]}]}}",
      "agent_chains: {c: {alert_types: [a], stages: [{agents: [{name: A}]}]}}",
      "agent_chains: {c: {alert_types: [a], stages: [{name: s, agents: [A]}]}}",
    ]) {
      expect(await acceptsTarsy(yaml), yaml).to.equal(false);
    }
    for (const yaml of [
      "llm_providers: {p: {type: gemini}}",
      "llm_providers: {p: {model: m}}",
      "llm_providers: {p: {type: google, max_tool_result_tokens: 999}}",
      "llm_providers: {p: {type: google, api_key_env: sk-12-34}}",
    ]) {
      expect(await acceptsProviders(yaml), yaml).to.equal(false);
    }
  });
});
