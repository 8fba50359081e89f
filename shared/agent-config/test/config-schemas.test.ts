import { execFileSync } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { expect } from "chai";
import { parse } from "yaml";
import { LlmProvidersFile } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";
import { StubToolsFile } from "#shared/agent-config/stub-tools/stub-tools-file.ts";
import { writeConfigFiles } from "./config-fixture.ts";

const ROOT = join(import.meta.dirname, "../../..");
const DEPLOY = join(ROOT, "deploy/config");
const DOCS = join(ROOT, "docs");

async function compileSchema(name: string): Promise<ValidateFunction> {
  const schema: unknown = JSON.parse(await readFile(join(DEPLOY, name), "utf8"));
  if (typeof schema !== "object" || schema === null) throw new Error(`${name} is no schema`);
  const ajv = new Ajv({ strict: true, allowUnionTypes: true });
  ajv.addKeyword("patternErrorMessage");
  return ajv.compile(schema);
}

/** By the name of their file: to compile one takes longer than to check many files. */
const compiled = new Map<string, Promise<ValidateFunction>>();

/** Whether the schema accepts a file of this text, as in an editor: with its templates not expanded. */
async function accepts(name: string, yaml: string): Promise<boolean> {
  const validate = compiled.get(name) ?? compileSchema(name);
  compiled.set(name, validate);
  return (await validate)(parse(yaml, { logLevel: "error" }));
}

const acceptsTarsy = (yaml: string) => accepts("tarsy.schema.json", yaml);
const acceptsProviders = (yaml: string) => accepts("llm-providers.schema.json", yaml);

/** The rules that the loader checks (`check-shape.ts`); a rule beside them would hold in editors alone. */
const CHECKED = [
  ..."additionalProperties enum items maxItems maximum minItems minimum pattern patternProperties".split(" "),
  ..."properties required type minLength=1 format=instant format=duration-above-zero".split(" "),
  ..."format=duration-or-zero format=unused-duration".split(" "),
];
/** Members of a schema that are no rule of JSON Schema. */
const NO_RULE = "description freeText rule secret secretIfWrong shorthand template zeroUnset".split(" ");

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The keywords of a schema and of the schemas in it, with the values of `minLength` and `format`. */
function* keywordsOf(schema: object): Generator<string> {
  for (const [keyword, value] of Object.entries<unknown>({ ...schema })) {
    yield keyword === "minLength" || keyword === "format" ? `${keyword}=${String(value)}` : keyword;
    if (!isObject(value) || keyword === "enum" || keyword === "required") continue;
    const isMap = keyword === "properties" || keyword === "patternProperties";
    const inner = isMap ? Object.values<unknown>({ ...value }) : [value];
    for (const one of inner.filter(isObject)) yield* keywordsOf(one);
  }
}

describe("the configuration's JSON Schemas", () => {
  it("have no rule that the loader does not check", () => {
    for (const file of [TarsyFile, LlmProvidersFile, StubToolsFile]) {
      expect([...CHECKED, ...NO_RULE]).to.include.members([...keywordsOf(file)]);
    }
  });

  it("and the page with their keys are generated from the loader's schemas", async () => {
    await using directory = await writeConfigFiles({});
    execFileSync(process.execPath, ["scripts/write-config-schemas.ts", directory.path], { cwd: ROOT });
    for (const name of [
      "tarsy.schema.json",
      "llm-providers.schema.json",
      "stub-tools.schema.json",
      "script.schema.json",
      "configuration-keys.md",
    ]) {
      const committed = await readFile(join(name.endsWith(".md") ? DOCS : DEPLOY, name), "utf8");
      const generated = await readFile(join(directory.path, name), "utf8");
      expect(committed === generated, `${name} is stale: run npm run schemas and commit the result`).to.equal(
        true,
      );
    }
  });

  it("accept every file of deploy/config", async () => {
    for (const folder of ["tarsy.yaml.example", "tarsy.yaml", "demo/tarsy.yaml", "local-model/tarsy.yaml"]) {
      const providers = folder.replace("tarsy", "llm-providers");
      expect(await acceptsTarsy(await readFile(join(DEPLOY, folder), "utf8")), folder).to.equal(true);
      expect(await acceptsProviders(await readFile(join(DEPLOY, providers), "utf8")), providers).to.equal(
        true,
      );
    }
  });

  it("are named in the first line of every file of deploy/config, by a path that leads to them", async () => {
    const files: string[] = [];
    for await (const file of glob("**/*.{yaml,yaml.example}", { cwd: DEPLOY })) files.push(file);
    expect(files).to.include("demo/scripts/demo.yaml").and.have.length.greaterThan(8);
    for (const file of files.filter((name) => !name.startsWith("demo/files/"))) {
      const text = await readFile(join(DEPLOY, file), "utf8");
      const [, path] = /^# yaml-language-server: \$schema=(\S+)\n/u.exec(text) ?? [];
      expect(path, file).to.be.a("string");
      const kind = file.includes("scripts/") ? "script" : basename(file).split(".")[0];
      expect(join(DEPLOY, dirname(file), path ?? ""), file).to.equal(join(DEPLOY, `${kind}.schema.json`));
    }
  });

  it("are named by the editor's settings by paths that exist", async () => {
    const settings: unknown = JSON.parse(await readFile(join(ROOT, ".vscode/settings.json"), "utf8"));
    const schemas: unknown =
      typeof settings === "object" && settings !== null && "yaml.schemas" in settings
        ? settings["yaml.schemas"]
        : {};
    const paths = Object.keys(typeof schemas === "object" && schemas !== null ? schemas : {});
    expect(paths).to.have.length(5);
    for (const path of paths) JSON.parse(await readFile(join(ROOT, path), "utf8"));
  });

  it("accept stub tools and scripts in order, and reject what their readers reject", async () => {
    const demo = await readFile(join(DEPLOY, "demo/scripts/demo.yaml"), "utf8");
    expect(await accepts("script.schema.json", demo)).to.equal(true);
    for (const steps of [
      "tool_cal: { name: a }",
      "tool_call: {}",
      "hang: yes",
      "repeat: 0",
      "error: { code: oops }",
      "text: 7",
    ]) {
      expect(await accepts("script.schema.json", `calls: [{ steps: [{ ${steps} }] }]`), steps).to.equal(
        false,
      );
    }
    for (const when of ["contain: x", "call: 0", "contains: []"]) {
      expect(await accepts("script.schema.json", `calls: [{ when: { ${when} }, steps: [] }]`), when).to.equal(
        false,
      );
    }
    const stub = (tool: string) => accepts("stub-tools.schema.json", `servers: { disks: { look: ${tool} } }`);
    expect(
      await stub("{ effect: read, results: [{ delay: 1s, text: a }, { bytes: 7 }, { text: '{{.X}}' }] }"),
    ).to.equal(true);
    for (const tool of [
      "{ effect: reads }",
      "{ read_only: perhaps }",
      "{ results: { text: a } }",
      "{ results: [{ delay: soon }] }",
    ]) {
      expect(await stub(tool), tool).to.equal(false);
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
      "mcp_servers: {s: {transport: {}}}",
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
