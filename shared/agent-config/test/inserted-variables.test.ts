import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { effectiveConfig } from "#shared/agent-config/effective-config.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { showConfig } from "#shared/agent-config/show-config.ts";
import { renderTemplate } from "#shared/contracts/text-template.ts";
import { DEFAULTS, loadText } from "./config-fixture.ts";

const ENV = {
  MY_TOKEN: "hush: 'quoted', \"twice\" {{.HOME}}",
  LINES: "first line of hush\n      second line of hush",
  BLOCK: "custom_instructions: structure with hush-structure inside",
  WORD: "a",
  OTHER: "hush-structure",
};

const agentWith = (text: string) => `${DEFAULTS}
agents:
  A:
    ${text}
agent_chains:
  c:
    alert_types: [t]
    description: 'see {{.WORD}}'
    stages: [{name: s, agents: [{name: A}]}]
`;

const instructionsOf = async (text: string) => {
  const config = await loadText(agentWith(text), undefined, ENV);
  const chain = resolveChain(config, "t");
  return { config, chain, text: chain.stages[0]?.agents[0]?.custom_instructions };
};

describe("a variable that the configuration inserts into a text", () => {
  it("stays a name, wherever YAML puts its value", async () => {
    for (const [written, kept] of [
      ["custom_instructions: Use {{.WORD}}, a word", "Use {{.WORD}}, a word"],
      [
        "custom_instructions: |-\n      Use {{.LINES}}\n      and {{.MY_TOKEN}}",
        "Use {{.LINES}}\nand {{.MY_TOKEN}}",
      ],
      ["custom_instructions: >-\n      Use {{.MY_TOKEN}}\n      now", "Use {{.MY_TOKEN}} now"],
      [
        'custom_instructions: "{{"{{"}}.MY_TOKEN}} is no template, {{.WORD}} is"',
        '{{"{{"}}.MY_TOKEN}} is no template, {{.WORD}} is',
      ],
    ] as const) {
      const { chain, text } = await instructionsOf(written);
      expect(text).to.equal(kept);
      expect(JSON.stringify(chain)).to.not.include("hush");
      expect(chain.variables).to.include(/\{\{\.(\w+)\}\}/u.exec(kept)?.[1]);
    }
  });

  it("stays a name where its value is in a file", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "tarsy-secret-"));
    const file = join(directory.path, "token");
    await writeFile(file, "hush\n");
    const text = "custom_instructions: Use {{.FILED}} of {{.FILED_FILE}}";
    const config = await loadText(agentWith(text), undefined, { ...ENV, FILED_FILE: file });
    const chain = resolveChain(config, "t");
    const kept = "Use {{.FILED}} of {{.FILED_FILE}}";
    expect(chain.stages[0]?.agents[0]?.custom_instructions).to.equal(kept);
    expect(JSON.stringify(chain)).to.not.include("hush");
  });

  it("is found by its value where it inserted keys", async () => {
    const { chain, text } = await instructionsOf("{{.BLOCK}}");
    expect(text).to.equal("structure with {{.OTHER}} inside");
    expect(JSON.stringify(chain)).to.not.include("hush");
  });

  it("leaves a chain without variables as it was", async () => {
    const { chain, text } = await instructionsOf("custom_instructions: plain");
    expect(text).to.equal("plain");
    expect(chain).to.not.have.property("variables");
  });

  it("shows its name in every view", async () => {
    const { config } = await instructionsOf("custom_instructions: 'Use {{.OTHER}}'");
    for (const shown of [JSON.stringify(effectiveConfig(config)), showConfig(config)]) {
      expect(shown).to.include("Use {{.OTHER}}").and.not.include("hush");
    }
  });
});

describe("a view of the configuration", () => {
  it("shows no credential of a URL or an argument", async () => {
    const config = await loadText(`${DEFAULTS}
mcp_servers:
  web:
    transport: {type: http, url: "https://u:hush1@h.example/mcp?api_key=hush2&x=hush3#hush4"}
  local:
    transport:
      type: stdio
      command: mcp
      args: [--token=hush5, API_KEY=hush6, --password, hush7, --port, "8080", -v, image:1]
`);
    for (const shown of [JSON.stringify(effectiveConfig(config)), showConfig(config)]) {
      expect(shown).to.not.include("hush");
      expect(shown).to.include("https://[redacted]@h.example/mcp?[redacted]");
      for (const kept of ["--token=[redacted]", "--port", "8080", "image:1"]) expect(shown).to.include(kept);
    }
  });
});

describe("renderTemplate", () => {
  it("inserts variables and braces, and nothing else", () => {
    const text = 'a {{.X}} {{"{{"}}.X}} {{.Y:1}} {{ .X }}';
    expect(renderTemplate(text, (name) => `<${name}>`)).to.equal("a <X> {{.X}} {{.Y:1}} {{ .X }}");
  });
});
