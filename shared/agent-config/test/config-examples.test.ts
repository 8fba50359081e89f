import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect } from "chai";
import { Type, type TSchema } from "typebox";
import type { ConfigProblem } from "#shared/agent-config/config-problem.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { findChain, knownAlertTypes } from "#shared/agent-config/find-chain.ts";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { LlmProvidersFile } from "#shared/agent-config/schemas/llm-providers-file.ts";
import { TarsyFile } from "#shared/agent-config/schemas/tarsy-file.ts";
import { DEFAULTS, loadText, writeConfigFiles } from "./config-fixture.ts";

const ROOT = join(import.meta.dirname, "../../..");
const DEPLOY = join(ROOT, "deploy/config");
const readExample = (name: string) => readFile(join(DEPLOY, name), "utf8");

/** `.env.example` with every variable uncommented and with a value. */
async function filledEnvironment(): Promise<string> {
  const text = await readExample(".env.example");
  return text.replaceAll(/^#?([A-Z][A-Z_]*=)(.*)$/gmu, (_line, name: string, value: string) =>
    value === "" ? `${name}dummy` : `${name}${value}`,
  );
}

async function copiedExamples(environment: string) {
  const directory = await writeConfigFiles({
    "tarsy.yaml": await readExample("tarsy.yaml.example"),
    "llm-providers.yaml": await readExample("llm-providers.yaml.example"),
    ".env": environment,
  });
  const load = () =>
    loadAgentConfig({ configDir: directory.path, env: readConfigEnvironment(directory.path, {}) });
  return { load, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

/** The files of the example's skills, where a configuration has them. */
async function exampleSkills(): Promise<Record<string, string>> {
  const files = ["writing.md", "rollouts.md", "kubectl/SKILL.md", "release-notes/SKILL.md"];
  const read = files.map(
    async (file) => [`skills/${file}`, await readExample(`skills.example/${file}`)] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

/** The names of all keys below a schema, without the names of entries. */
function keysOf(schema: TSchema): string[] {
  if (Type.IsArray(schema)) return keysOf(schema.items);
  if (Type.IsRecord(schema)) return keysOf(Type.RecordValue(schema));
  if (!Type.IsObject(schema)) return [];
  return Object.entries(schema.properties).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

/** Those of OpenTelemetry, of the system, and of tests of TARSy itself. */
const NOT_IN_EXAMPLE = /^(?:OTEL_\w+|HOSTNAME|TARSY_TIME_SCALE|EXECUTOR_VERIFY_STATE)$/u;

/** The variables that the sources of the services read by name. */
async function variablesOfServices(): Promise<readonly string[]> {
  const files = globSync("{services,shared}/**/*.ts", { cwd: ROOT }).filter(
    (file) => !/\btest\b/u.test(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, file), "utf8")));
  const reads =
    /\b(?:env[A-Z]\w+|databaseUrl|optionalSecret|readAddress|secretVariable)\(\s*env,\s*"([A-Z_]+)"/gu;
  return [...texts.join("\n").matchAll(reads)]
    .map(([, name = ""]) => name)
    .filter((name) => !NOT_IN_EXAMPLE.test(name));
}

/** The keys of the example that are part of the format and not implemented yet. */
const isNotImplemented = ({ message }: ConfigProblem) => message.includes("has no effect yet");

describe("the configuration's examples", () => {
  it("load once the variables are set, without a warning", async () => {
    await using examples = await copiedExamples(await filledEnvironment());
    const config = await examples.load();
    expect(config.warnings).to.deep.equal([]);
    expect(config.counts).to.deep.equal({ agents: 13, chains: 6, mcpServers: 4, llmProviders: 35 });
    for (const alertType of knownAlertTypes(config)) {
      expect(findChain(config, alertType)).not.to.equal(undefined);
      resolveChain(config, alertType);
    }
  });

  it("include those of docs/tools.md, each valid by itself", async () => {
    const page = await readFile(join(ROOT, "docs/tools.md"), "utf8");
    const blocks = [...page.matchAll(/```yaml\n(mcp_servers:[^`]*)```/gu)].map(([, block = ""]) => block);
    expect(blocks).to.have.length(5);
    const set = ["KUBECONFIG", "ORDERS_DB_READER_URL", "DEPLOYMENTS_CLIENT_SECRET"];
    const env = Object.fromEntries(set.map((name) => [name, "dummy"]));
    for (const block of blocks) {
      const { mcpServers, warnings } = await loadText(`${DEFAULTS}${block}`, undefined, env);
      expect(mcpServers.size).to.equal(2);
      expect(warnings.filter((warning) => !isNotImplemented(warning))).to.deep.equal([]);
    }
  });

  it("need one key alone, and otherwise warn of nothing but variables that are not set", async () => {
    await using examples = await copiedExamples("GOOGLE_API_KEY=dummy\n");
    const warnings = (await examples.load()).warnings.filter((warning) => !isNotImplemented(warning));
    expect(warnings.map(({ message }) => / is not set,/u.test(message))).to.deep.equal([true, true, true]);
  });

  it("load with every commented key, each section with one warning that it has no effect", async () => {
    const tarsy = await readExample("tarsy.yaml.example");
    await using directory = await writeConfigFiles({
      "tarsy.yaml": tarsy.replaceAll(/^( *)#(?=(?:- )?[a-z_][\w.-]*:)/gmu, "$1"),
      "llm-providers.yaml": await readExample("llm-providers.yaml.example"),
      ...(await exampleSkills()),
    });
    const env = parseEnv(await filledEnvironment());
    const { warnings } = await loadAgentConfig({ configDir: directory.path, env });
    expect(warnings.every(({ message }) => message.includes("no effect"))).to.equal(true);
    const paths = warnings.map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith("queue."))).to.have.length(7);
    expect(paths.filter((path) => !path.startsWith("queue."))).to.deep.equal([
      "system.retention.event_ttl",
      "system.retention.cleanup_interval",
      "system.allowed_ws_origins",
      "defaults.scoring.mcp_servers",
      "defaults.scoring.max_iterations",
    ]);
  });

  for (const [name, schema] of [
    ["tarsy.yaml.example", TarsyFile],
    ["llm-providers.yaml.example", LlmProvidersFile],
  ] as const) {
    it(`contain every key of the file, and name the schema in the first line: ${name}`, async () => {
      const text = await readExample(name);
      const missing = keysOf(schema).filter((key) => !new RegExp(`^[ #-]*${key}:`, "mu").test(text));
      expect(missing).to.deep.equal([]);
      const file = name.replace(".yaml.example", ".schema.json");
      expect(text.split("\n")[0]).to.equal(`# yaml-language-server: $schema=./${file}`);
    });
  }

  it("name in .env.example every variable of the examples and of the services", async () => {
    const known = Object.keys(parseEnv(await filledEnvironment()));
    const tarsy = await readExample("tarsy.yaml.example");
    const providers = await readExample("llm-providers.yaml.example");
    const inserted = [...tarsy.matchAll(/\{\{\.([A-Z_]+)\}\}/gu), ...providers.matchAll(/_env: ([A-Z_]+)/gu)];
    const named = inserted
      .map(([, name = ""]) => name)
      .filter((name) => name !== "NAME" && name !== "SESSION_ID");
    expect(named).to.include.members(["KUBECONFIG", "GOOGLE_CLOUD_LOCATION"]);
    const ofServices = await variablesOfServices();
    expect(ofServices).to.include.members(["AUTH_MODE", "LOG_FORMAT", "LLM_STALL_TIMEOUT_MS"]);
    expect(known).to.include.members([...named, ...ofServices]);
  });
});
