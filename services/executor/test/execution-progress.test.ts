import { expect } from "chai";
import { Type } from "typebox";
import { subscribe } from "#shared/bus/subscribe.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { liveProgressCodec, type LiveProgress } from "#shared/contracts/live-progress.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { until } from "../../../test/support/until.ts";
import { RunFixture } from "./run-fixture.ts";

const SCRIPT = [
  { when: { contains: "Bring the results" }, steps: [{ text: "both agree" }] },
  { steps: [{ text: "found it" }] },
];

const parseCreated = compileParser(
  "interaction and its event",
  Type.Object({ interaction_type: Type.String(), same: Type.Boolean() }),
);

describe("what watchers get of a running chain", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
    await fixture.play(...SCRIPT);
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("names what each agent does, after the event with which it began", async () => {
    const id = await fixture.executor.insert({ stages: [["One", "Two"]], maxParallel: 1 });
    const told: Extract<LiveProgress, { type: "execution.progress" }>[] = [];
    const subscription = subscribe(
      fixture.executor.bus,
      SUBJECTS.progress(id),
      liveProgressCodec,
      (message) => {
        if (message.type === "execution.progress") told.push(message);
      },
    );
    await subscription.live();
    expect(await fixture.run(id)).to.equal("completed");
    await until("all phases are sent", () => told.length >= 4);
    subscription.unsubscribe();
    expect(told.map(({ phase }) => phase)).to.deep.equal([
      "investigating",
      "investigating",
      "synthesizing",
      "finalizing",
    ]);
    expect(new Set(told.map(({ execution_id }) => execution_id)).size).to.equal(3);
    for (const { session_id, message } of told) {
      expect(session_id).to.equal(id);
      expect(message).to.not.equal("");
    }
  });

  it("stores an event with every recorded interaction", async () => {
    const id = await fixture.executor.insert({ stages: [["One", "Two"]] });
    await fixture.run(id);
    const rows = await fixture.executor.query(
      `SELECT payload ->> 'interaction_type' AS interaction_type,
              payload ->> 'stage_id' = stage_id::text AND payload ->> 'execution_id' = execution_id::text
                AND events.seq <= llm_interactions.seq AS same
       FROM events JOIN llm_interactions ON interaction_id::text = payload ->> 'interaction_id'
       WHERE events.session_id = $1 AND payload ->> 'type' = 'interaction.created' ORDER BY events.seq`,
      [id],
    );
    expect(rows.map((row) => parseCreated(row))).to.deep.equal(
      Array.from({ length: 4 }, () => ({ interaction_type: "llm", same: true })),
    );
  });
});
