import { join } from "node:path";
import { expect } from "chai";
import { SUMMARY_CALL } from "../../../test/support/scripts.ts";
import { writeCase } from "../../worlds/import/import-worlds.ts";
import { mergedWorld, sessionWorld } from "../../worlds/import/session-world.ts";
import { EvalFixture } from "./eval-fixture.ts";
import { makeCassette } from "./make-cassette.ts";

const ALERT = "the disk of db-7 is full";
const log = (content: string) => ({ path: "/var/log", content });

describe("a world of a recorded session", function worlds() {
  this.timeout(10 * 60_000);

  it("answers the recorded calls, and its truth grades them", async () => {
    const cassette = makeCassette({
      alert: ALERT,
      runbook: "look at the logs",
      reads: [
        log("rotated: never"),
        log("rotated: never"),
        log("rotated: today"),
        { path: "/etc", content: "x" },
      ],
    });
    const world = sessionWorld(cassette);
    expect(world.answers.map(({ args, nth = 1, text }) => [args["path"], nth, text])).to.deep.equal([
      ["/var/log", 1, "rotated: never"],
      ["/var/log", 2, "rotated: today"],
      ["/etc", 1, "x"],
    ]);
    expect(world).to.deep.include({
      alert: { type: "test", data: ALERT },
      runbook: "look at the logs",
      licence: null,
    });

    const read = (call: number, path: string) => ({
      when: { contains: ALERT, call },
      steps: [{ tool_call: { name: "files.read", arguments: { path } } }],
    });
    const cause = { entity: "app/db-7", kind: "configuration", code: "", statement: "never rotated" };
    const claim = {
      id: "c1",
      cause: 1,
      text: "It is said.",
      source: "r1",
      lines: "",
      quote: "rotated: never",
    };
    const conclusion = {
      status: "confirmed",
      summary: "The log fills the disk.",
      confidence: 90,
      causes: [cause],
      claims: [claim],
      ruled_out: [],
      gaps: [],
      next_checks: [],
    };
    await using fixture = await EvalFixture.create({
      good: [
        SUMMARY_CALL,
        read(1, "/var/log"),
        read(2, "/var/log"),
        read(3, "/etc"),
        {
          when: { contains: ALERT, call: 4 },
          steps: [{ tool_call: { name: "tarsy.conclude", arguments: conclusion } }],
        },
        { steps: [{ text: "The log fills the disk." }] },
      ],
    });
    const causes = [{ object: "db-7", cause: "no_rotation", category: "configuration", added_by: "ann" }];
    const path = join(fixture.path, cassette.session.session_id);
    await writeCase({ world, truth: { causes, thin: true }, counts: {} }, path, true);
    await fixture.writeSuite({
      cassettes: undefined,
      worlds: [`${path}.world.json`],
      variants: { good: { llm_provider: "good" } },
    });
    const { code, errors } = await fixture.run();
    expect(code, errors).to.equal(0);
    const [result] = await fixture.results();
    expect(result?.facts.world).to.deep.include({ calls: 3, misses: {}, claims: 1, verified_claims: 1 });
    expect(
      result?.facts.tool_calls.filter(({ server }) => server === "files").map(({ error }) => error),
    ).to.deep.equal([null, null, null]);
  });

  it("joins investigations of one alert: differing answers become a sequence", () => {
    const first = sessionWorld(
      makeCassette({ alert: ALERT, reads: [log("a"), { path: "/etc", content: "x" }] }),
    );
    const second = sessionWorld(
      makeCassette({ alert: ALERT, reads: [log("b"), { path: "/etc", content: "x" }] }),
    );
    const merged = mergedWorld(second, first);
    expect(merged.answers.map(({ args, nth = 1, text }) => [args["path"], nth, text])).to.deep.equal([
      ["/var/log", 1, "a"],
      ["/etc", 1, "x"],
      ["/var/log", 2, "b"],
    ]);
    expect(merged.source.changes).to.deep.equal([`merged with ${first.id}`]);
    expect(merged.id).to.equal(second.id);
    const other = sessionWorld(makeCassette({ alert: "another", reads: [log("a")] }));
    expect(() => mergedWorld(second, other)).to.throw("is a world of another alert");
  });

  it("takes the whole of a result of which agents saw a window, and refuses a cassette that lacks it", () => {
    const cassette = makeCassette({ alert: ALERT, reads: [log("a")] });
    const [execution] = cassette.executions;
    const [call] = execution?.tool_calls ?? [];
    if (execution === undefined || call === undefined) throw new Error("the cassette has no call");
    const with_ = (changed: object) => ({
      ...cassette,
      executions: [{ ...execution, tool_calls: [{ ...call, ...changed }] }],
    });
    const windowed = with_({ result: { content: `a … [kept as ${call.call_id}]`, is_error: false } });
    const kept_results = [{ call_id: call.call_id, bytes: 3, lines: 1, content: "all" }];
    expect(sessionWorld({ ...windowed, kept_results }).answers[0]?.text).to.equal("all");
    expect(() => sessionWorld(windowed)).to.throw(
      "incomplete: it does not have the whole result of a call of files.read",
    );
    expect(() => sessionWorld(with_({ result: null }))).to.throw(
      "does not have the result of a call of files.read",
    );
    expect(sessionWorld(with_({ result: null, error_message: "timed out" })).answers[0]).to.deep.include({
      text: "timed out",
      is_error: true,
    });
    expect(() => sessionWorld(with_({ tool: "write" }))).to.throw("does not have the listing of files.write");
    expect(() => sessionWorld(makeCassette({ alert: ALERT }))).to.throw("has called no tool");
  });
});
