import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { DEFAULTS, SCRIPTED, configDirectory, failureOf, loadText } from "./config-directory.ts";

const MEBIBYTE = 1024 * 1024;

/** What the load of such a `tarsy.yaml` says; there must be exactly one error. */
async function onlyError(tarsy: string | Uint8Array, env = {}): Promise<string> {
  await using directory = await configDirectory({ "tarsy.yaml": tarsy, "llm-providers.yaml": SCRIPTED });
  const error = await failureOf(loadAgentConfig({ configDir: directory.path, env }));
  expect(error.problems, error.message.slice(0, 2000)).to.have.length(1);
  return error.problems[0]?.message ?? "";
}

/** The same for a `tarsy.yaml` that something else is put in the place of. */
async function onlyErrorOf(replace: (path: string) => Promise<unknown>): Promise<string> {
  await using directory = await configDirectory({ "llm-providers.yaml": SCRIPTED });
  await replace(join(directory.path, "tarsy.yaml"));
  const error = await failureOf(loadAgentConfig({ configDir: directory.path, env: {} }));
  expect(error.problems).to.have.length(1);
  return error.problems[0]?.message ?? "";
}

const laughs = (key: string) =>
  ["a: &a [x,x,x,x,x,x,x,x,x]"]
    .concat(
      ["b", "c", "d", "e", "f", "g", "h", "i"].map(
        (name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[index]}`).join(",")}]`,
      ),
    )
    .concat(`${key}: *i`)
    .join("\n");

describe("loadAgentConfig of a hostile file", () => {
  const texts: readonly [name: string, text: string, says: string][] = [
    ["an alias bomb", laughs("bomb"), "aliases expand to more than"],
    ["an alias bomb in a known section", laughs("agents"), "aliases expand to more than"],
    ["lists nested 100,000 deep", `a: ${"[".repeat(100_000)}`, "YAML tokens"],
    ["lists nested 20,000 deep", `a: ${"[".repeat(20_000)}${"]".repeat(20_000)}`, "nested"],
    [
      "mappings nested 150 deep",
      Array.from({ length: 150 }, (_, at) => `${" ".repeat(at)}a:`).join("\n"),
      "nested deeper",
    ],
    ["a million commas", `a: [${",".repeat(1_000_000)}]`, "YAML tokens"],
    ["a mebibyte of keys", "a: 1\n".repeat(200_000), "YAML tokens"],
    ["more than a mebibyte", `# ${"x".repeat(MEBIBYTE)}`, "at most 1048576"],
    ["more templates than it can need", "# {{.A}}\n".repeat(2000), "more than 1000 templates"],
    ["a template that never ends", `{{\n${DEFAULTS}`, "not understood"],
    ["nothing but open templates", "{{".repeat(400_000), "not understood"],
    ["a NUL", "queue: {}\0", "not UTF-8 text"],
  ];
  for (const [name, text, says] of texts) {
    it(`gives one clear error for ${name}`, async () => {
      expect(await onlyError(text)).to.include(says);
    });
  }

  it("gives one clear error for bytes that are no text", async () => {
    expect(await onlyError(new Uint8Array([0xff, 0xfe, 0xfd, 0x80]))).to.include("not UTF-8 text");
  });

  it("gives one clear error for variables that make the file huge", async () => {
    const text = "# {{.BIG}}\n".repeat(900);
    expect(await onlyError(text, { BIG: "x".repeat(100_000) })).to.include("exceeds 2097152 characters");
  });

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
      // Root reads everything, so for root it is a file that even root cannot open.
      if (process.getuid?.() !== 0) return;
      await rm(path);
      await symlink("/proc/self/mem", path);
    });
    expect(says).to.match(/cannot be read|not UTF-8 text/u);
  });

  it("does not wait for a named pipe", async () => {
    const says = await onlyErrorOf(async (path) => {
      await Promise.resolve(execFileSync("mkfifo", [path]));
    });
    expect(says).to.include("no regular file");
  });

  it("takes names that mean something to JavaScript as names", async () => {
    const config = await loadText(
      `${DEFAULTS}agents:\n  __proto__: {max_iterations: 3}\n  constructor: {}\n`,
    );
    expect(config.agents.get("__proto__")).to.deep.include({ max_iterations: 3 });
    expect(config.agents.get("constructor")).to.deep.equal({ __proto__: null });
  });
});
