import { expect } from "chai";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { STEP } from "../../test/support/nightly.ts";
import { openReplayer, type Replayer } from "../replayer.ts";
import { RecordingFixture } from "./recording-fixture.ts";
import { SCENARIOS } from "./scenarios.ts";

/** Of each kind of session. */
const VARIANTS = STEP === 1 ? 6 : 2;

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

  for (const { name, record } of SCENARIOS) {
    it(`of ${name} is identical`, async function () {
      this.timeout(60_000);
      for (let variant = 0; variant < VARIANTS; variant += 1) {
        await expectIdentical(await recording.cassette(await record(recording, variant)));
      }
    });
  }
});
