import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { errorMessage } from "#shared/errors.ts";
import { loadStubTools } from "../stub/load-stub-tools.ts";

describe("loadStubTools", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "tarsy-stub-"));
  });
  afterEach(async () => rm(directory, { recursive: true, force: true }));

  const load = async (text: string) => {
    await writeFile(join(directory, "stub-tools.yaml"), text);
    return loadStubTools(directory, { CLUSTER: "blue" });
  };
  /** The reported problems, one per line, without the directory. */
  const problems = async (text: string): Promise<string[]> =>
    load(text).then(
      () => [],
      (error: unknown) =>
        errorMessage(error)
          .split("\n")
          .slice(1)
          .map((line) => line.trim().replace(`${directory}/`, "")),
    );

  it("returns no tools without the file, or with an empty one", async () => {
    expect((await loadStubTools(directory, {})).tools.size).to.equal(0);
    expect((await load("")).tools.size).to.equal(0);
  });

  it("reads tools by server, with the environment's values inserted", async () => {
    const { tools, warnings } = await load(`
servers:
  kubernetes:
    get_pods:
      description: pods of {{.CLUSTER}}
      read_only: true
      parameters: '{"type":"object","properties":{"namespace":{"type":"string"}}}'
    delete_pod: {}
`);
    expect(warnings).to.deep.equal([]);
    expect([...tools.values()].map(({ description }) => description)).to.deep.equal([
      {
        name: "kubernetes.get_pods",
        server: "kubernetes",
        description: "pods of blue",
        parameters_schema: '{"type":"object","properties":{"namespace":{"type":"string"}}}',
        read_only: true,
        effect: "read",
        effect_known: true,
        gate: "allow",
      },
      {
        name: "kubernetes.delete_pod",
        server: "kubernetes",
        description: "",
        parameters_schema: '{"type":"object"}',
        read_only: false,
        effect: "write",
        effect_known: false,
        gate: "unknown",
      },
    ]);
  });

  it("reports every mistake with its position", async () => {
    expect(
      await problems(`servers:
  kubernetes:
    get_pods: { read_only: maybe }
    "get pods": {}
`),
    ).to.deep.equal([
      "stub-tools.yaml:3:28: servers.kubernetes.get_pods.read_only: must be true or false, found maybe",
    ]);
    expect(
      await problems(`servers:
  kubernetes:
    "get pods": {}
    get_nodes: { parameters: '{"type":"string"}' }
    get_logs: { results: [{ text: a, hang: true }] }
    get_jobs: { parameters: '{"type":"object","properties":[]}' }
  a.b: {}
  tarsy: {}
`),
    ).to.deep.equal([
      'stub-tools.yaml:3:17: servers.kubernetes["get pods"]: must be named with 1 to 64 letters, digits, hyphens and underscores, found a mapping',
      `stub-tools.yaml:4:30: servers.kubernetes.get_nodes.parameters: must be a JSON Schema of draft 7 as JSON text, with type object, found '{"type":"string"}'`,
      "stub-tools.yaml:5:27: servers.kubernetes.get_logs.results[0]: must have at most one of text, error, exception, bytes, base64, hang: it has text and hang",
      `stub-tools.yaml:6:29: servers.kubernetes.get_jobs.parameters: must be a JSON Schema of draft 7 as JSON text, with type object, found '{"type":"object","properties":[]}'`,
      'stub-tools.yaml:7:8: servers["a.b"]: must be named with 1 to 64 letters, digits, hyphens and underscores, found a mapping',
      "stub-tools.yaml:8:10: servers.tarsy: is reserved for the built-in tools, found a mapping",
    ]);
  });

  it("reads what a tool does and whether a person must agree", async () => {
    const { tools } = await load(`
servers:
  lab:
    scale: { effect: write, approve: true }
    wipe: { effect: destructive }
    set: { effect: idempotent }
`);
    const said = [...tools.values()].map(({ description: { effect, gate, read_only, needs_approval } }) =>
      [effect, gate, read_only, needs_approval ?? false].join(" "),
    );
    expect(said).to.deep.equal([
      "write deny false true",
      "destructive deny false false",
      "idempotent allow true false",
    ]);
    expect(await problems("servers: { lab: { a: { read_only: true, effect: write } } }")).to.deep.equal([
      "stub-tools.yaml:1:49: servers.lab.a.effect: must be read for a tool that is read_only, found write",
    ]);
  });

  it("warns about unknown keys", async () => {
    const { warnings } = await load("servers: { lab: { look: { readonly: true } } }");
    expect(warnings.map((line) => line.replace(`${directory}/`, ""))).to.deep.equal([
      "stub-tools.yaml:1:27: warning: servers.lab.look.readonly: is not a known key and has no effect; did you mean read_only?",
    ]);
  });

  it("refuses more tools than one reply can list", async () => {
    const long = "x".repeat(300_000);
    const [problem] = await problems(`servers:
  lab: { a: { description: ${long} }, b: { description: ${long} } }
`);
    expect(problem).to.contain("must describe its tools in at most 524288 bytes of JSON altogether");
  });
});
