import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { DEFAULTS, SCRIPTED, writeConfigFiles, failureOf, loadText } from "./config-fixture.ts";

/** The message of the only error of such a `tarsy.yaml`. */
async function onlyError(tarsy: string | Uint8Array): Promise<string> {
  await using directory = await writeConfigFiles({ "tarsy.yaml": tarsy, "llm-providers.yaml": SCRIPTED });
  const error = await failureOf(loadAgentConfig({ configDir: directory.path, env: {} }));
  expect(error.problems, error.message.slice(0, 2000)).to.have.length(1);
  return error.problems[0]?.message ?? "";
}

/** The same for what `replace` creates at the path of `tarsy.yaml`. */
async function onlyErrorOf(replace: (path: string) => Promise<unknown>): Promise<string> {
  await using directory = await writeConfigFiles({ "llm-providers.yaml": SCRIPTED });
  await replace(join(directory.path, "tarsy.yaml"));
  const error = await failureOf(loadAgentConfig({ configDir: directory.path, env: {} }));
  expect(error.problems).to.have.length(1);
  return error.problems[0]?.message ?? "";
}

describe("loadAgentConfig of an unusable file", () => {
  const texts: readonly [name: string, text: string | Uint8Array, says: string][] = [
    ["a template that never ends", `{{\n${DEFAULTS}`, "not understood"],
    ["nothing but open templates", "{{".repeat(400_000), "not understood"],
    ["a NUL", "queue: {}\0", "invalid YAML syntax"],
    ["bytes that are no text", new Uint8Array([0xff, 0xfe, 0xfd, 0x80]), "not UTF-8 text"],
  ];
  for (const [name, text, says] of texts) {
    it(`gives one clear error for ${name}`, async () => {
      expect(await onlyError(text)).to.include(says);
    });
  }

  it("gives one clear error for a missing file", async () => {
    expect(await onlyErrorOf(() => Promise.resolve())).to.equal("configuration file not found");
  });

  it("gives one clear error for a directory", async () => {
    expect(await onlyErrorOf((path) => mkdir(path))).to.include("is a directory");
  });

  it("gives one clear error for a link to itself", async () => {
    expect(await onlyErrorOf((path) => symlink(path, path))).to.include("cannot be read");
  });

  it("gives one clear error for a file that may not be read", async () => {
    const says = await onlyErrorOf(async (path) => {
      await writeFile(path, DEFAULTS, { mode: 0o000 });
      // Root may read every file; reading this one fails even for root.
      if (process.getuid?.() !== 0) return;
      await rm(path);
      await symlink("/proc/self/mem", path);
    });
    expect(says).to.match(/cannot be read|not UTF-8 text/u);
  });

  it("accepts names with a meaning in JavaScript as names", async () => {
    const config = await loadText(
      `${DEFAULTS}agents:\n  __proto__: {max_iterations: 3}\n  constructor: {}\n`,
    );
    expect(config.agents.get("__proto__")).to.deep.include({ max_iterations: 3 });
    expect(config.agents.get("constructor")).to.deep.equal({ __proto__: null });
  });
});
