import { expect } from "chai";
import { RunFixture } from "./run-fixture.ts";

const LOOP = { code: "output_loop", message: "it repeats itself", retryable: true };

describe("the text of a failed LLM call", () => {
  let fixture: RunFixture;

  before(async () => {
    fixture = await RunFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  it("is kept in its rows, up to what repeats itself", async () => {
    await fixture.play({
      steps: [
        { thinking: "hm, hm, hm, " },
        { text: "It is. It is. It is. " },
        { error: { ...LOOP, keep_text: 7, keep_thinking: 4 } },
      ],
    });
    const id = await fixture.executor.insert();
    expect(await fixture.run(id)).to.equal("failed");
    const note = "[The rest was left out: it repeats itself.]";
    expect((await fixture.timelineRows(id)).slice(0, 2)).to.deep.equal([
      { row: "llm_thinking failed", content: `hm, \n\n${note}` },
      { row: "final_analysis failed", content: `It is. \n\n${note}` },
    ]);
  });

  it("is bounded", async () => {
    const error = { code: "partial_stream_error", message: "broke off", retryable: true };
    await fixture.play({ steps: [{ text: "words ", repeat: 20_000 }, { error }] });
    const id = await fixture.executor.insert();
    expect(await fixture.run(id)).to.equal("failed");
    expect(JSON.stringify((await fixture.timelineRows(id))[0])).to.match(
      /"(?:words ){16666}word\\n\\n\[The rest of this failed answer was left out\.\]"/u,
    );
  });

  it("ends an agent whose answers only repeat themselves", async () => {
    for (const strategy of ["react", "native-thinking"] as const) {
      await fixture.play({ steps: [{ error: LOOP }] });
      const id = await fixture.executor.insert({ strategy, maxIterations: 12 });
      expect(await fixture.run(id)).to.equal("failed");
      expect((await fixture.outcomes(id))[0]).to.deep.equal({
        status: "failed",
        error_code: "output_loop",
        error_message: "aborted after 3 failed calls in a row: it repeats itself",
      });
    }
  });
});
