import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect } from "chai";
import { programsEnvironment } from "../../launcher/supervisor/plan-services.ts";
import { BackingServers } from "../support/backing-servers.ts";
import { NIGHTLY } from "../support/nightly.ts";
import { CHECKOUT } from "../support/spawn-service.ts";
import { TarsyClient } from "../support/tarsy-client.ts";
import { TarsySystem } from "../support/tarsy-system.ts";
import { until } from "../support/until.ts";

const DEMO = join(CHECKOUT, "deploy/config/demo");
const PATH = process.env["PATH"]?.split(delimiter).filter((folder) => !folder.includes("node_modules"));

/** The stories: an alert that has it, words of its summary, and how many calls fail because a file is missing. */
const ALL_STORIES = [
  { alert: "pod-out-of-memory.txt", summary: "go back to revision 41", evidence: 6, failed: 0 },
  { alert: "kubernetes-event.yaml", summary: "drop slot ledger_export", evidence: 5, failed: 0 },
  { alert: "alertmanager-webhook.json", summary: "drop slot ledger_export", evidence: 5, failed: 0 },
  { alert: "plain-text-emoji.txt", summary: "drop slot ledger_export", evidence: 5, failed: 0 },
  { alert: "certificate-expired.json", summary: "rotated on 11 February", evidence: 4, failed: 0 },
  { alert: "pagerduty-event.json", summary: "migration 0042", evidence: 5, failed: 1 },
] as const;
const STORIES = NIGHTLY ? ALL_STORIES : ALL_STORIES.slice(-2);
const UNKNOWN = "the coffee machine is cold";

describe("the demo configuration", () => {
  const resources = new AsyncDisposableStack();
  let client: TarsyClient;
  /** The sessions by their alerts; they run at the same time. */
  const ids = new Map<string, string>();

  before(async () => {
    const servers = resources.use(await BackingServers.choose({}));
    const env = programsEnvironment("tool-runner", {
      root: CHECKOUT,
      env: { PATH: PATH?.join(delimiter) },
    });
    const system = resources.use(await TarsySystem.start({ servers, configDir: DEMO, env }));
    client = new TarsyClient(system);
    for (const { alert } of STORIES) {
      ids.set(alert, await client.submit(await readFile(join(CHECKOUT, "examples/alerts", alert), "utf8")));
    }
    ids.set(UNKNOWN, await client.submit(UNKNOWN));
  });
  after(() => resources.disposeAsync());

  for (const { alert, summary, evidence, failed } of STORIES) {
    it(`investigates ${alert} with three agents at a time, reads real files, and concludes what they say`, async () => {
      const session = await client.waitFor(ids.get(alert) ?? "", ["completed", "failed"]);
      expect(session.status).to.equal("completed");
      expect(session.final_analysis?.slice(0, 400))
        .to.include("scripted demo model")
        .and.include("GOOGLE_API_KEY");
      expect(
        session.stages.map(({ stage_name, executions }) => [stage_name, executions.length]),
      ).to.deep.equal([
        ["evidence", 3],
        ["evidence - Synthesis", 1],
        ["remedy", 1],
        ["Executive Summary", 1],
      ]);
      const textsOf = (type: string) =>
        session.timeline.flatMap(({ event_type, content }) => (event_type === type ? [content] : []));
      expect(textsOf("executive_summary").join()).to.include(summary);
      const results = textsOf("tool_result");
      const missing = results.filter((text) => text.includes("ENOENT"));
      expect(missing).to.have.length(failed);
      const rows = [...(session.final_analysis ?? "").matchAll(/^\| (?<rest>.*) \| `(?<file>\S+)` \|$/gmu)];
      expect(rows).to.have.length(evidence);
      for (const { groups = {} } of rows) {
        const text = await readFile(join(DEMO, "files", groups["file"] ?? ""), "utf8");
        const end = text.trimEnd().split("\n").at(-1) ?? "";
        expect(
          results.some((result) => result.includes(end)),
          groups["file"],
        ).to.equal(true);
      }
    });
  }

  it("states each story as a conclusion whose quotes are all found, and none for an alert without a story", async () => {
    for (const [alert, id] of ids) {
      await client.waitFor(id, ["completed", "failed"]);
      const { status, body } = await client.request("GET", `/api/v1/sessions/${id}/conclusion`);
      expect(status, alert).to.equal(200);
      const isUnknown = alert === UNKNOWN;
      expect(body, alert).to.deep.include({
        attempt: 1,
        agent_name: "Remedy",
        status: isUnknown ? "inconclusive" : "confirmed",
        claims_verified: isUnknown ? 0 : 4,
        claims_total: isUnknown ? 0 : 4,
      });
      const ruledOut = JSON.stringify(body["ruled_out"]);
      expect(ruledOut, alert).to.not.match(/"outcome":"(?!verified)/u);
    }
  });

  it("answers questions about each story, and calls a tool before", async () => {
    for (const alert of ids.keys()) {
      const id = ids.get(alert) ?? "";
      await client.waitFor(id, ["completed", "failed"]);
      const path = `/api/v1/sessions/${id}/chat/messages`;
      expect((await client.request("POST", path, { content: "What now?" })).status).to.equal(202);
      const answer = await until(`the answer about ${alert}`, async () => {
        const { timeline } = await client.session(id);
        const asked = timeline.findIndex(({ event_type }) => event_type === "user_question");
        const entries = asked === -1 ? [] : timeline.slice(asked);
        const isOver = entries.some(({ event_type }) => event_type === "final_analysis");
        return isOver && entries;
      });
      const texts = JSON.stringify(answer);
      expect(texts, alert).to.include("Scripted demo model").and.include("runbooks");
      expect(texts.includes("no story"), alert).to.equal(alert === UNKNOWN);
    }
  });

  it("says that it has no story for an alert, and names alerts that have one", async () => {
    const session = await client.waitFor(ids.get(UNKNOWN) ?? "", ["completed", "failed"]);
    const summary = session.timeline.find(({ event_type }) => event_type === "executive_summary");
    expect(summary?.content).to.include("no story of the demo fits this alert");
    const named = [...(session.final_analysis ?? "").matchAll(/examples\/alerts\/[\w.-]+/gu)].map(
      ([path]) => path,
    );
    expect(named).to.have.length(4);
    for (const path of named) await readFile(join(CHECKOUT, path));
  });
});
