import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { textsOfChain } from "#shared/contracts/resolved-chain.ts";
import { textHash } from "#shared/database/text-hash.ts";
import { programEntry } from "../../../test/support/spawn-service.ts";
import { DEFAULTS, SCRIPTED, failureOf, loadText, skillFile, writeConfigFiles } from "./config-fixture.ts";

const SKILLS = {
  "skills/a.md": skillFile("a"),
  "skills/b/SKILL.md": `\uFEFF---\r\nname: b\r\ndescription: >\r\n  Two\r\n  lines.\r\nlicense: MIT\r\n---\r\n\r\nText of b.\r\n`,
  "skills/c.md": skillFile("c"),
  "skills/notes.txt": "no skill",
  "skills/.hidden.md": "no skill",
};
/** A chain with one agent, whose entries have these keys. */
const tarsy = (agent: string, entry = "") =>
  `${DEFAULTS}agents:\n  A: {custom_instructions: Look., ${agent}}\n` +
  `agent_chains:\n  one:\n    alert_types: [a]\n    stages:\n      - {name: s, agents: [{name: A${entry}}]}\n`;
const load = async (text: string, files: Readonly<Record<string, string>> = SKILLS) =>
  loadText(text, SCRIPTED, {}, files);
const agentOf = async (agent: string, entry = "") =>
  resolveChain(await load(tarsy(agent, entry)), "a").stages[0]?.agents[0];
const namesOf = (list: readonly { readonly name: string }[] | undefined) => list?.map(({ name }) => name);

describe("skills of a configuration", () => {
  it("are read from both kinds of places, with the hashes of their texts", async () => {
    const { skills } = await load(DEFAULTS);
    expect([...skills.keys()]).to.deep.equal(["a", "b", "c"]);
    const body = "Text of b.";
    expect(skills.get("b")).to.deep.equal({
      name: "b",
      description: "Two lines.",
      body,
      hash: textHash(body),
    });
  });

  it("are also files without a suffix, as the keys of a mounted ConfigMap", async () => {
    await using directory = await writeConfigFiles({
      "tarsy.yaml": DEFAULTS,
      "llm-providers.yaml": SCRIPTED,
      "skills/..2026_11_26_12_00_00.42/kubectl": skillFile("kubectl"),
      "skills/..2026_11_26_12_00_00.42/rollouts-1.30": `\n${skillFile("rollouts")}`,
      "skills/notes.txt": "no skill",
      "skills/values.yaml": "---\na: 1\n",
      "skills/LICENSE": "Apache",
      "skills/empty/notes.txt": "no skill",
    });
    const skills = join(directory.path, "skills");
    await symlink("..2026_11_26_12_00_00.42", join(skills, "..data"));
    for (const key of ["kubectl", "rollouts-1.30"]) await symlink(`..data/${key}`, join(skills, key));
    const config = await loadAgentConfig({ configDir: directory.path, env: {} });
    expect([...config.skills.keys()]).to.deep.equal(["kubectl", "rollouts"]);
    expect(
      config.warnings.map(({ file, message }) => `${relative(skills, file)}: ${message}`),
    ).to.include.members([
      "LICENSE: is not a skill: it has no front matter",
      "empty/SKILL.md: is missing: the directory has no skill",
    ]);
  });

  it("of a file without a suffix are checked like others", async () => {
    const files = { "skills/kubectl": "---\nname: kubectl\n---\n\nText.\n" };
    const { problems } = await failureOf(load(DEFAULTS, files));
    expect(problems.map(({ line, path, message }) => `${line} ${path} ${message}`)).to.deep.equal([
      "1 description is missing: a model decides by it whether to load the skill",
    ]);
  });

  it("may all be loaded by default, none with an empty list, else those that are listed", async () => {
    expect(namesOf((await agentOf("iteration_strategy: react"))?.skills)).to.deep.equal(["a", "b", "c"]);
    expect(await agentOf("skills: []")).not.to.have.any.keys("skills", "required_skills");
    expect(namesOf((await agentOf("skills: [c, a]"))?.skills)).to.deep.equal(["c", "a"]);
  });

  it("are not offered to an agent of native tools unless it names some, because Gemini has no tools beside them", async () => {
    const native = "native_tools: {google_search: true}";
    expect(await agentOf(native)).not.to.have.property("skills");
    expect(namesOf((await agentOf(`${native}, skills: [a]`))?.skills)).to.deep.equal(["a"]);
    expect(namesOf((await agentOf(`${native}, mcp_servers: [kubernetes-server]`))?.skills)).to.have.length(3);
  });

  it("that are required are not offered again, and need no other skill", async () => {
    const agent = await agentOf("skills: [], required_skills: [a]");
    expect(agent).not.to.have.property("skills");
    expect(namesOf(agent?.required_skills)).to.deep.equal(["a"]);
    const both = await agentOf("iteration_strategy: react, required_skills: [a]");
    expect([namesOf(both?.skills), namesOf(both?.required_skills)]).to.deep.equal([["b", "c"], ["a"]]);
  });

  it("of a stage's entry are added to those of the agent", async () => {
    const agent = await agentOf("skills: [a], required_skills: [b]", ", skills: [c], required_skills: [a]");
    expect([namesOf(agent?.skills), namesOf(agent?.required_skills)]).to.deep.equal([["c"], ["b", "a"]]);
    const none = await agentOf("skills: []", ", skills: [c]");
    expect(namesOf(none?.skills)).to.deep.equal(["c"]);
  });

  it("that an agent names make it call tools; a single call has only required ones, a synthesis none", async () => {
    expect(await agentOf("skills: [a]")).to.include({ iteration_strategy: "native-thinking" });
    expect(await agentOf("skills: []")).to.include({ iteration_strategy: "single-call" });
    expect(await agentOf("description: x")).to.include({ iteration_strategy: "single-call" });
    const single = await agentOf("iteration_strategy: single-call, required_skills: [a]");
    expect(single).to.have.property("required_skills");
    expect(single).not.to.have.property("skills");
    expect(await agentOf("iteration_strategy: synthesis, required_skills: [a]")).not.to.have.any.keys(
      "skills",
      "required_skills",
    );
  });

  it("are part of the stored chain by hash, so that a change of one changes it", async () => {
    const chain = resolveChain(await load(tarsy("skills: [a], required_skills: [b]")), "a");
    expect(textsOfChain(chain)).to.deep.equal([textHash("Do as a says."), textHash("Text of b.")].toSorted());
    expect(JSON.stringify(chain)).not.to.include("Text of b.");
  });

  it("that are named but not known, or twice, are errors with a hint", async () => {
    const { problems } = await failureOf(
      load(tarsy("skills: [a, aa, a], required_skills: [x]", ", skills: [B]")),
    );
    expect(problems.map(({ path, message }) => `${path}: ${message}`)).to.deep.equal([
      "agents.A.skills[1]: must be a known skill, found aa; did you mean a? allowed: a, b, c",
      "agents.A.skills[2]: must be listed once, found a",
      "agents.A.required_skills[0]: must be a known skill, found x; did you mean a? allowed: a, b, c",
      "agent_chains.one.stages[0].agents[0].skills[0]: must be a known skill, found B; did you mean b? allowed: a, b, c",
    ]);
  });

  const front = (text: string) => `---\n${text}\n---\nBody.\n`;
  for (const [what, files, problems] of [
    ["no front matter", { "a.md": "# A\n" }, ["a.md:1: needs front matter with name and description"]],
    [
      "front matter without an end",
      { "a.md": "---\nname: a\n" },
      ["a.md:1: has front matter without an end"],
    ],
    ["broken YAML", { "a.md": front("name: a\ndescription: [x") }, ["a.md:3: invalid YAML syntax"]],
    ["a list", { "a.md": front("- name") }, ["a.md:2: must have front matter that is a mapping"]],
    ["no name and no description", { "a.md": front("x: 1") }, ["a.md:1: is missing", "a.md:1: is missing"]],
    [
      "a name with spaces",
      { "a.md": front("description: d\nname: a b") },
      ["a.md:3: must be text of at most 64"],
    ],
    [
      "a long description",
      { "a.md": front(`name: a\ndescription: ${"d".repeat(1_025)}`) },
      ["a.md:3: has 1025"],
    ],
    ["no text", { "a.md": "---\nname: a\ndescription: d\n---\n\n" }, ["a.md:4: has no text"]],
    [
      "a name that another has",
      { "a.md": skillFile("a"), "b.md": skillFile("a") },
      ["b.md:2: must differ from other skills' names, found a"],
    ],
    ["too much text", { "a.md": skillFile("a", "x".repeat(65_536)) }, ["a.md:1: has 65"]],
    [
      "too much text together",
      Object.fromEntries(
        Array.from({ length: 17 }, (_, n) => [`${n + 10}.md`, skillFile(`s${n}`, "x".repeat(65_000))]),
      ),
      ["26.md:1: is too much"],
    ],
    [
      "too many",
      Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`${n + 100}.md`, skillFile(`s${n}`)])),
      ["300.md:1: is one too many"],
    ],
  ] as const) {
    it(`are refused with ${what}, with file and line`, async () => {
      const written = Object.fromEntries(
        Object.entries(files).map(([name, text]) => [`skills/${name}`, text]),
      );
      // An unknown name follows from the broken file, and is not reported.
      const failure = await failureOf(load(tarsy("skills: [nowhere]"), written));
      const found = failure.problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
      expect(found).to.have.length(problems.length);
      for (const [index, problem] of problems.entries()) {
        expect(found[index]).to.include(`/skills/${problem}`);
      }
    });
  }

  it("that are broken keep a service from starting: exit code 78", async () => {
    await using directory = await writeConfigFiles({
      "tarsy.yaml": DEFAULTS,
      "llm-providers.yaml": SCRIPTED,
      "skills/a.md": "---\nname: [\n---\n",
    });
    expect(
      (await failureOf(loadAgentConfig({ configDir: directory.path, env: {} }))).problems,
    ).to.have.length(1);
    const { status, stderr, stdout } = spawnSync(process.execPath, [programEntry("services/api")], {
      cwd: join(import.meta.dirname, "../../.."),
      env: {
        CONFIG_DIR: directory.path,
        DATABASE_URL: "postgres://127.0.0.1:1/x",
        NATS_URL: "nats://127.0.0.1:1",
      },
      encoding: "utf8",
    });
    expect(status, stderr).to.equal(78);
    expect(`${stdout}${stderr}`).to.include("skills/a.md:2");
  });
});
