import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { loadEmbedding } from "#shared/agent-config/load-llm-providers.ts";
import { resolveMemory } from "#shared/agent-config/resolve-chain.ts";
import { SCRIPTED, loadText } from "./config-fixture.ts";

const tarsy = (embedding: string, enabled = "true") =>
  `defaults:\n  llm_provider: test\n  memory:\n    enabled: ${enabled}\n${embedding}`;
const GOOGLE = { provider: "google", model: "gemini-embedding-2-preview", dimensions: 768 } as const;

describe("defaults.memory.embedding", () => {
  const load = async (text: string, env: Record<string, string> = {}) => loadText(text, SCRIPTED, env);

  it("names the vectors of a session, and is off where it is not written", async () => {
    const env = { GOOGLE_API_KEY: "x", OPENAI_API_KEY: "x" };
    expect(resolveMemory(await load(tarsy("")))).to.not.have.property("embedding");
    const google = await load(tarsy("    embedding: {}\n"), env);
    expect(resolveMemory(google).embedding).to.deep.equal(GOOGLE);
    expect(google.warnings).to.deep.equal([]);
    const openai = await load(tarsy("    embedding: {provider: openai, dimensions: 256}\n"), env);
    expect(openai.warnings).to.deep.equal([]);
    expect(resolveMemory(openai).embedding).to.deep.equal({
      provider: "openai",
      model: "text-embedding-3-small",
      dimensions: 256,
    });
  });

  it("warns of a key that is missing, and of a section without effect", async () => {
    const warned = async (embedding: string, enabled?: string) =>
      (await load(tarsy(embedding, enabled))).warnings.map(
        ({ line, path, message }) => `${line} ${path}: ${message}`,
      );
    expect((await warned("    embedding: {provider: google}\n")).join()).to.match(
      /^5 defaults\.memory\.embedding: needs GOOGLE_API_KEY to be set.*found by their words/u,
    );
    expect((await warned("    embedding:\n      api_key_env: MY_KEY\n")).join()).to.match(
      /^6 defaults\.memory\.embedding\.api_key_env: needs MY_KEY/u,
    );
    expect(
      await warned("    embedding: {provider: openai, base_url: 'http://localhost:1/v1'}\n"),
    ).to.deep.equal([]);
    expect((await warned("    embedding: {}\n", "false")).join()).to.include("without enabled: true");
  });

  describe("as the LLM gateway reads it", () => {
    let configDir: string;
    before(async () => {
      configDir = await mkdtemp(join(tmpdir(), "tarsy-embedding-"));
    });
    after(() => rm(configDir, { recursive: true }));
    const read = async (text: string, env: Record<string, string> = {}) => {
      await writeFile(join(configDir, "tarsy.yaml"), text);
      return loadEmbedding({ configDir, env });
    };

    it("has address and key, whatever else is in the file", async () => {
      const text = tarsy("    embedding: {base_url: '{{.URL}}', api_key_env: MY_KEY}\n");
      const found = await read(
        `${text}agents: {x: {unknown: 1, custom_instructions: '{{.NOT_SET}} {{bad}}'}}\n`,
        {
          URL: "http://localhost:1",
        },
      );
      expect(found).to.deep.equal({ ...GOOGLE, api_key_env: "MY_KEY", base_url: "http://localhost:1" });
    });

    it("is none where memory is off or the file cannot be read", async () => {
      expect(await read(tarsy("    embedding: {}\n", "false"))).to.equal(undefined);
      expect(await read(tarsy(""))).to.equal(undefined);
      expect(await read("defaults: [\n")).to.equal(undefined);
      expect(await loadEmbedding({ configDir: join(configDir, "none"), env: {} })).to.equal(undefined);
    });
  });
});
