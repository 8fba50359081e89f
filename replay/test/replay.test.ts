import { expect } from "chai";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { answerTurn, callTurn } from "../../services/executor/test/scripted-turns.ts";
import { openReplayer, type Replayer } from "../replayer.ts";
import { RecordingFixture } from "./recording-fixture.ts";

const { signal } = new AbortController();

describe("a replay", () => {
  const resources = new AsyncDisposableStack();
  let recording: RecordingFixture;
  let replayer: Replayer;

  before(async function () {
    this.timeout(60_000);
    [recording, replayer] = await Promise.all([RecordingFixture.start(), openReplayer({ signal })]);
    resources.use(recording);
    resources.use(replayer);
  });
  after(() => resources.disposeAsync());

  const expectIdentical = async (cassette: Cassette) => {
    expect(await replayer.replay(cassette, signal)).to.deep.equal({ kind: "identical", notReplayed: [] });
  };

  for (const strategy of ["react", "native-thinking"] as const) {
    it(`of an agent that calls tools is identical: ${strategy}`, async function () {
      this.timeout(60_000);
      await recording.runs.play(
        callTurn(strategy, 1, "k8s.pods", { n: 1 }),
        callTurn(strategy, 2, "k8s.broken", { n: 2 }),
        callTurn(strategy, 3, "k8s.large", { n: 3 }),
        callTurn(strategy, 4, "k8s.unknown", { n: 3 }),
        answerTurn(strategy),
      );
      const id = await recording.session({ strategy, servers: ["k8s"] });
      await expectIdentical(await recording.cassette(id));
    });
  }
});
