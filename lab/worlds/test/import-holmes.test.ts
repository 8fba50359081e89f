import { join } from "node:path";
import { expect } from "chai";
import { matchCall } from "#shared/worlds/match-call.ts";
import type { World } from "#shared/worlds/world-format.ts";
import { holmes } from "../import/holmes/holmes.ts";
import { COMMIT_DATE, benchmarkClone, importHere } from "./benchmark-clone.ts";

const ROOT = "tests/llm/fixtures";
const ASK = `${ROOT}/test_ask_holmes`;

/** A recording as the suite writes it. */
function recording(of: {
  readonly tool?: string;
  readonly params: object | null;
  readonly text: string;
  readonly status?: string;
  readonly error?: string;
}): string {
  const { tool = "kubectl_describe", params, text, status = "success", error = null } = of;
  const head = { toolset_name: "kubernetes/core", tool_name: tool, match_params: params };
  return `${JSON.stringify(head)}\n${JSON.stringify({ schema_version: "x", status, error, params })}\n${text}`;
}

const POD = { kind: "pod", name: "a" };
const LONG = `${"x".repeat(1023)}\n`.repeat(1100);
const FILES = {
  [`${ASK}/01_one/test_case.yaml`]:
    "user_prompt: [Why?, How?]\nexpected_output: says why\ninclude_files: [book.md]\n",
  [`${ASK}/01_one/book.md`]: "# Look at logs\n",
  [`${ASK}/01_one/a.txt`]: recording({ params: POD, text: "at 2026-01-01T10:00:00.5+02:00" }),
  [`${ASK}/01_one/b.txt`]: recording({
    params: POD,
    text: "at 2025-12-31T00:00:00Z, expires 2036-01-01T00:00:00Z",
  }),
  [`${ASK}/01_one/c.txt`]: recording({ params: { ...POD, namespace: "x", limit: null }, text: "narrow" }),
  [`${ASK}/01_one/d.txt`]: recording({ params: { ...POD, namespace: "x", start: "*" }, text: "narrow" }),
  [`${ASK}/01_one/e.txt`]: recording({ tool: "list", params: null, text: "", status: "no_data" }),
  [`${ASK}/01_one/f.txt`]: recording({
    params: { kind: "job", name: "b" },
    text: "not found\n",
    status: "error",
    error: "failed:\nnot found",
  }),
  [`${ASK}/01_one/g.txt`]: recording({
    tool: "fetch_webpage",
    params: { url: "u" },
    text: "at 2026-01-01T23:00:00Z",
  }),
  [`${ASK}/01_one/app/requirements.txt`]: "flask\n",
  [`${ASK}/01_one/requirements.txt`]: "flask\n",
  [`${ASK}/42_dns_a/test_case.yaml`]: "user_prompt: Why?\nexpected_output: [a, b]\n",
  [`${ASK}/42_dns_a/a.txt`]: recording({ params: { kind: "pod", name: "c", limit: 5 }, text: LONG }),
  [`${ASK}/42_dns_b/test_case.yaml`]:
    "user_prompt: Why?\nexpected_output: [c]\nmocked_date: 2025-05-05T00:00:00Z\n",
  [`${ASK}/42_dns_b/a.txt`]: recording({ tool: "once", params: { limit: "5" }, text: "no time" }),
  [`${ASK}/50_live/test_case.yaml`]: "user_prompt: Why?\n",
  [`${ROOT}/test_investigate/02_alert/test_case.yaml`]: "expected_output: [x]\n",
  [`${ROOT}/test_investigate/02_alert/investigate_request.json`]: { title: "Down" },
  [`${ROOT}/test_investigate/02_alert/a.txt`]: recording({
    params: { kind: "pod", name: "d", limit: "5" },
    text: "2022-01-01 00:00:00\nStart Time: Sun, 02 Jan 2022 01:30:00 +0200",
  }),
};

describe("importing HolmesGPT", () => {
  let clone: Awaited<ReturnType<typeof benchmarkClone>>;
  let imported: Awaited<ReturnType<typeof importHere>>;
  let world: World;

  before(async () => {
    clone = await benchmarkClone(FILES);
    imported = await importHere(holmes, clone.path, join(clone.path, "out"));
    world = await imported.world("test_ask_holmes/01_one");
  });
  after(async () => clone.remove());

  function says(args: Record<string, unknown>, nth = 1): string {
    const tool = world.servers[0]?.tools.find(({ name }) => name === "kubectl_describe");
    if (tool === undefined) return "no such tool";
    const answers = world.answers.filter((answer) => answer.tool === "kubernetes-core.kubectl_describe");
    const match = matchCall(tool, answers, args, nth);
    return match.kind === "miss" ? "miss" : match.text;
  }

  it("imports the cases with recordings, and names the others", () => {
    const { report } = imported;
    expect(report.cases).to.equal(4);
    expect(report.left).to.deep.equal({
      "test_ask_holmes/50_live": "it has no recordings: it needs a cluster",
    });
    expect(report.counts).to.deep.equal({
      recordings: 9,
      dropped_pages: 1,
      repeated_recordings: 1,
      errors: 1,
      changed_texts: 1,
    });
  });

  it("ignores arguments that were not recorded, and takes the recording with the most", () => {
    expect(says({ ...POD, limit: 100 })).to.include("10:00:00.5");
    expect(says({ ...POD, namespace: "x", limit: 100 })).to.equal("narrow");
    expect(says({ kind: "pod" })).to.equal("miss");
  });

  it("makes a sequence of different recordings of one call, and keeps equal ones once", () => {
    expect(says(POD, 2)).to.include("2025-12-31");
    expect(says({ ...POD, namespace: "x" }, 2)).to.equal("narrow");
    expect(world.answers.filter(({ nth }) => nth !== undefined)).to.have.length(1);
  });

  it("takes null parameters for any call, and an empty result for no data", () => {
    expect(world.answers.find(({ tool }) => tool.endsWith(".list"))).to.deep.equal({
      tool: "kubernetes-core.list",
      args: {},
      match: "any",
      text: "(no data)",
    });
  });

  it("gives the text of errors once", () => {
    expect(says({ kind: "job", name: "b" })).to.equal("failed:\nnot found");
    expect(world.answers.filter(({ is_error: isError }) => isError === true)).to.have.length(1);
  });

  it("leaves out pages of other owners, and says so", () => {
    expect(JSON.stringify(world)).not.to.include("url");
    expect(world.source.changes.join()).to.include("answers of fetch_webpage removed");
  });

  it("takes for now the given time, the newest in a text that is not later than the commit, or the commit's", async () => {
    expect(world.clock).to.deep.equal({ now: "2026-01-01T08:00:00.500000+00:00", from: "newest" });
    expect((await imported.world("test_ask_holmes/42_dns_b")).clock).to.deep.equal({
      now: "2025-05-05T00:00:00Z",
      from: "given",
    });
    // As kubectl describe has it.
    expect((await imported.world("test_investigate/02_alert")).clock).to.deep.equal({
      now: "2022-01-01T23:30:00+00:00",
      from: "newest",
    });
    expect((await imported.world("test_ask_holmes/42_dns_a")).clock).to.deep.equal({
      now: COMMIT_DATE,
      from: "source",
    });
  });

  it("tells questions from alerts, with the first of several prompts, and has the runbook", async () => {
    expect(world.alert).to.deep.equal({ type: "question", data: "Why?" });
    expect(world.runbook).to.equal("# Look at logs\n");
    const alert = await imported.world("test_investigate/02_alert");
    expect(alert.alert).to.deep.equal({ type: "alert", data: '{\n "title": "Down"\n}' });
  });

  it("groups the cases of one incident", async () => {
    const groups = await Promise.all(
      ["42_dns_a", "42_dns_b", "01_one"].map(
        async (name) => (await imported.world(`test_ask_holmes/${name}`)).group,
      ),
    );
    expect(groups).to.deep.equal(["holmesgpt/42_dns", "holmesgpt/42_dns", undefined]);
  });

  it("infers schemas over the whole suite, without enums, and requires nothing of a tool recorded once", async () => {
    const [describeTool] = world.servers[0]?.tools ?? [];
    expect(describeTool).to.deep.include({ recordings: 6, schema_from: "inferred" });
    expect(describeTool?.schema).to.deep.equal({
      type: "object",
      properties: {
        kind: { type: "string" },
        limit: { type: ["integer", "string"] },
        name: { type: "string" },
        namespace: { type: "string" },
      },
      required: ["kind", "name"],
    });
    const other = await imported.world("test_ask_holmes/42_dns_b");
    expect(other.servers[0]?.tools[0]?.schema["required"]).to.deep.equal([]);
  });

  it("marks cases with at most three answers, and has the statements", async () => {
    const truth = await imported.truth("test_ask_holmes/42_dns_a");
    expect(truth).to.deep.include({ must: ["a", "b"], thin: true, causes: [] });
    expect((await imported.truth("test_ask_holmes/01_one")).thin).to.equal(undefined);
  });

  it("cuts a text that is longer than a world may have", async () => {
    const [answer] = (await imported.world("test_ask_holmes/42_dns_a")).answers;
    expect(answer?.text).to.match(/x\n\[\d+ more bytes are not in this snapshot\]\n$/u);
  });
});
