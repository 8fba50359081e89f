import { join } from "node:path";
import { expect } from "chai";
import { runLore } from "../import/runlore.ts";
import { benchmarkClone, importHere } from "./benchmark-clone.ts";

const CASE = `name: x
prompt: Pods do not start
tools:
  pod_status: 'at 2026-01-01T10:00:00Z'
  query_logs: ''
expected: { must_contain: [image], root_cause_entities: [image, tag], distractors: [config] }
ground_truth: { root_cause: the tag is wrong }
`;

describe("importing RunLore", () => {
  it("makes a tool of each text, which answers any call", async () => {
    await using clone = await benchmarkClone({
      "examples/eval/node-eviction-a.yaml": CASE,
      "examples/eval/fixtures/other.yaml": "no case",
    });
    const imported = await importHere(runLore, clone.path, join(clone.path, "out"));
    expect(Object.keys(imported.report.imported)).to.deep.equal(["node-eviction-a"]);
    const world = await imported.world("node-eviction-a");
    expect(world.answers).to.deep.equal([
      { tool: "cluster.pod_status", args: {}, match: "any", text: "at 2026-01-01T10:00:00Z" },
      { tool: "cluster.query_logs", args: {}, match: "any", text: "" },
    ]);
    expect(world).to.deep.include({
      alert: { type: "alert", data: "Pods do not start" },
      clock: { now: "2026-01-01T10:00:00+00:00", from: "newest" },
      group: "runlore/node-eviction",
    });
    expect(await imported.truth("node-eviction-a")).to.deep.include({
      must_name: ["image", "tag"],
      must_not: ["config"],
      reference: "the tag is wrong",
    });
  });
});
