import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { checkDirectory } from "#shared/agent-config/check-directory.ts";
import { formatProblem } from "#shared/agent-config/config-problem.ts";
import { readConfigEnvironment } from "#shared/agent-config/config-environment.ts";
import { tableRows } from "../../../test/support/table-rows.ts";
import { writeConfigFiles } from "./config-fixture.ts";

const TARSY = `defaults: { llm_provider: script, alert_type: disk }
agents:
  Disk:
    mcp_servers: [disks]
    iteration_strategy: native-thinking
    custom_instructions: Look at the disk.
agent_chains:
  disks:
    alert_types: [disk]
    stages:
      - { name: look, agents: [{ name: Disk }] }
mcp_servers:
  disks: { transport: { type: stdio, command: disks } }
  shelves: { transport: { type: stdio, command: shelves } }
`;
const PROVIDERS = `llm_providers:
  script: { type: scripted, script: s.yaml }
  other: { type: scripted, script: scripts/other.yaml }
  real: { type: openai, model: m, base_url: "http://127.0.0.1:1/v1" }
`;
const SCRIPT = "calls:\n  - steps:\n      - text: nothing\n";
const STUBS = "servers:\n  disks:\n    look: { read_only: true }\n";

const RIGHT = {
  "tarsy.yaml": TARSY,
  "llm-providers.yaml": PROVIDERS,
  "s.yaml": SCRIPT,
  "stub-tools.yaml": STUBS,
};

const FILES: ReadonlyMap<string, string> = new Map(Object.entries(RIGHT));

/** The problems of a directory, one per line and without its path; `change` gets the path before it is checked. */
async function problemsOf(
  files: Partial<Record<keyof typeof RIGHT, string>>,
  change?: (path: string) => Promise<void>,
): Promise<readonly string[]> {
  await using directory = await writeConfigFiles({ ...RIGHT, ...files });
  const { path } = directory;
  await mkdir(join(path, "scripts"));
  await writeFile(join(path, "scripts/other.yaml"), SCRIPT);
  await change?.(path);
  const { errors, warnings } = await checkDirectory(path, readConfigEnvironment(path, {}));
  return [...errors, ...warnings].map((problem) => formatProblem(problem).replaceAll(`${path}/`, ""));
}

/** A mistake | the file | what is replaced in it, or nothing for all of it | by what, with \n for the end of a line | the problem. */
const MISTAKES = String.raw`
a misspelt action of a script        | s.yaml             |                      | calls:\n  - steps:\n      - tool_cal: { name: disks.look }\n | s.yaml:3:9: calls[0].steps[0].tool_cal: is not a known key; did you mean tool_call?
a misspelt condition of a script     | s.yaml             |                      | calls:\n  - when: { contain: disk }\n    steps: [{ text: a }]\n | s.yaml:2:13: calls[0].when.contain: is not a known key; did you mean contains?
an empty script                      | s.yaml             |                      |  | s.yaml:1:1: must be object
a script that is no file             | llm-providers.yaml | s.yaml               | t.yaml | llm-providers.yaml:2:37: llm_providers.script.script: must be a file below the configuration directory, found t.yaml; there is no t.yaml
a script outside                     | llm-providers.yaml | s.yaml               | ../ | llm-providers.yaml:2:37: llm_providers.script.script: must be a file below the configuration directory, found ../; that path leads out of it
broken YAML of the stub tools        | stub-tools.yaml    |                      | servers:\n  disks: [\n | stub-tools.yaml:3:1: invalid YAML syntax: Flow sequence in block collection must be sufficiently indented and end with a ]
a stub of the wrong shape            | stub-tools.yaml    |                      | servers: { disks: { look: { read_only: perhaps } } } | stub-tools.yaml:1:40: servers.disks.look.read_only: must be true or false, found perhaps
stubs of a server that no agent uses | stub-tools.yaml    | true }               | true }\n  diks:\n    look: {} | stub-tools.yaml:5:5: warning: servers.diks: is not a server of mcp_servers, so no agent can call its tools, found a mapping; did you mean disks?
stubs of a server that no agent has  | stub-tools.yaml    | true }               | true }\n  shelves:\n    look: {} | stub-tools.yaml:5:5: warning: servers.shelves: is a server that no agent has, so only alerts that select it call its tools
stubs that answer a real model       | tarsy.yaml         | llm_provider: script | llm_provider: real | stub-tools.yaml:3:5: warning: servers.disks: answers a real model (provider real of agent Disk) with invented results, found a mapping; remove it for real investigations
a misspelt key of an agent           | tarsy.yaml         | custom_instructions  | custom_instruction | tarsy.yaml:6:5: warning: agents.Disk.custom_instruction: is not a known key and has no effect; did you mean custom_instructions?
a key in the file                    | llm-providers.yaml | model: m             | model: m, api_key: sk-12345 | llm-providers.yaml:4:35: warning: llm_providers.real.api_key: is not a known key and has no effect; did you mean api_key_env? It takes the name of an environment variable, not its value
an unknown agent                     | tarsy.yaml         | name: Disk           | name: Dsik | tarsy.yaml:11:40: agent_chains.disks.stages[0].agents[0].name: must be a known agent, found Dsik; did you mean Disk? allowed: ChatAgent, CodeExecutor, Disk, GeneralWorker, KubernetesAgent, ScoringAgent, SynthesisAgent, WebResearcher
an unknown provider                  | tarsy.yaml         | llm_provider: script | llm_provider: scrip | tarsy.yaml:1:27: defaults.llm_provider: must be a known LLM provider, found scrip; did you mean script?
an unknown default alert type        | tarsy.yaml         | alert_type: disk     | alert_type: disc | tarsy.yaml:1:47: defaults.alert_type: must be an alert type some chain handles, found disc; did you mean disk?
an unknown provider type             | llm-providers.yaml | type: openai         | type: open-ai | llm-providers.yaml:4:17: llm_providers.real.type: must be one of the allowed values, found open-ai; did you mean openai?
an unknown strategy                  | tarsy.yaml         | native-thinking      | native_thinking | tarsy.yaml:5:25: agents.Disk.iteration_strategy: must be one of the allowed values, found native_thinking; did you mean native-thinking?
no command                           | tarsy.yaml         | , command: shelves   |  | tarsy.yaml:14:14: mcp_servers.shelves.transport.command: is required for transport type stdio
a duplicate key                      | tarsy.yaml         | mcp_servers: [disks] | mcp_servers: [disks]\n    mcp_servers: [] | tarsy.yaml:5:5: agents.Disk.mcp_servers: the key is given twice; remove one
a tab | tarsy.yaml | [disk]\n    stages | [disk]\n\tstages | tarsy.yaml:10:1: invalid YAML syntax: Tabs are not allowed as indentation
a number out of range                | tarsy.yaml         | defaults:            | queue: { worker_count: 99 }\ndefaults: | tarsy.yaml:1:24: queue.worker_count: must be a whole number from 1 to 50, found 99
no time                              | tarsy.yaml         | defaults:            | queue: { session_timeout: 5 }\ndefaults: | tarsy.yaml:1:27: queue.session_timeout: must be a duration, found 5; write it like 500ms, 90s or 1h30m
`;

describe("checkDirectory", () => {
  it("finds nothing wrong with a directory in order", async () => {
    expect(await problemsOf({})).to.deep.equal([]);
  });

  for (const [mistake = "", file = "", from = "", to = "", says = ""] of tableRows(MISTAKES)) {
    it(`says where and what ${mistake} is`, async () => {
      const [old, text] = [from, to].map((cell) =>
        cell.replaceAll(String.raw`\n`, "\n").replaceAll(String.raw`\t`, "\t"),
      );
      const whole = FILES.get(file) ?? "";
      const found = await problemsOf({ [file]: from === "" ? text : whole.replace(old ?? "", text ?? "") });
      expect(
        found.some((line) => line.startsWith(says)),
        found.join("\n"),
      ).to.equal(true);
      expect(found.join("\n")).not.to.contain("sk-12345");
    });
  }

  it("reads the scripts of providers that no chain uses", async () => {
    const broken = async (path: string) => writeFile(join(path, "scripts/other.yaml"), "calls: []\n");
    expect(await problemsOf({}, broken)).to.deep.equal([
      "scripts/other.yaml:1:8: calls: must NOT have fewer than 1 items",
    ]);
  });

  it("reports scripts and stub tools along with a tarsy.yaml that cannot be used", async () => {
    const found = await problemsOf({
      "tarsy.yaml": "queue: 1\n",
      "s.yaml": "calls: []\n",
      "stub-tools.yaml": "servers: 1\n",
    });
    expect(found.map((line) => line.split(":", 1)[0])).to.include.members([
      "tarsy.yaml",
      "s.yaml",
      "stub-tools.yaml",
    ]);
  });

  for (const [wrong, right] of [
    ["tarsy.yml", "tarsy.yaml"],
    ["llm-provider.yaml", "llm-providers.yaml"],
    ["llm-providers.yml", "llm-providers.yaml"],
  ] as const) {
    it(`finds ${wrong} in place of ${right}`, async () => {
      const found = await problemsOf({}, async (path) => rename(join(path, right), join(path, wrong)));
      expect(found).to.include(
        `${right}:1:1: configuration file not found; did you mean ${wrong}? rename it`,
      );
    });
  }

  it("finds a stub-tools.yml, without which there would be no stubs", async () => {
    const found = await problemsOf({}, async (path) =>
      rename(join(path, "stub-tools.yaml"), join(path, "stub-tools.yml")),
    );
    expect(found).to.deep.equal([
      "stub-tools.yml:1:1: warning: is not read; did you mean stub-tools.yaml? rename it",
    ]);
  });

  it("suggests no file that is another one", async () => {
    const found = await problemsOf({}, async (path) => rm(join(path, "tarsy.yaml")));
    expect(found).to.include("tarsy.yaml:1:1: configuration file not found");
  });
});
