import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { repetitions, STEP } from "../../../../test/support/nightly.ts";
import type { Replayer } from "../../replayer.ts";
import type { RecordingFixture } from "../recording-fixture.ts";
import type { Scenario } from "../scenarios.ts";

const { signal } = new AbortController();
/** Of each kind of session. */
const VARIANTS = repetitions({ daily: 1, nightly: 7 });
/** Without a network namespace of its own the child has a network, and does not need it. */
const WITHOUT_NETWORK = ["unshare", "-rn", "--"] as const;

/** What records sessions, and what replays them. */
export interface ReplayParts {
  readonly recording: RecordingFixture;
  readonly replayer: Replayer;
}

/** Records these sessions and replays each of them, and then many of them at once without a network. */
export function replaysOf(scenarios: readonly Scenario[], opened: () => ReplayParts): void {
  const resources = new AsyncDisposableStack();
  let folder: string;
  /** How many cassettes the folder has. */
  let kept = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tarsy-cassettes-"));
    resources.defer(() => rm(folder, { recursive: true, force: true }));
  });
  after(() => resources.disposeAsync());

  for (const [index, { name, record, notReplayed = [] }] of scenarios.entries()) {
    it(`of ${name} is identical`, async function () {
      this.timeout(90_000);
      const { recording, replayer } = opened();
      for (let variant = 0; variant < VARIANTS; variant += 1) {
        const cassette = await recording.cassette(await record(recording, variant));
        if (index % STEP === 0) {
          kept += 1;
          await writeFile(join(folder, `${cassette.session.session_id}.json`), JSON.stringify(cassette));
        }
        expect(await replayer.replay(cassette, signal), `variant ${variant}`).to.deep.equal({
          kind: "identical",
          notReplayed,
        });
      }
    });
  }

  it("of many at once needs no interface of the machine, not even its own", function () {
    this.timeout(300_000);
    const [unshare, ...options] = WITHOUT_NETWORK;
    if (spawnSync(unshare, [...options, "true"]).status !== 0) {
      // A test that is skipped would fail the run.
      process.stdout.write("not run: this machine lets its users make no network namespace\n");
      return;
    }
    const program = join(import.meta.dirname, "../replay-files.ts");
    const child = spawnSync(unshare, [...options, process.execPath, program, folder], { encoding: "utf8" });
    process.stdout.write(child.stdout);
    expect(child.stdout, child.stderr).to.include(`${kept} of ${kept} identical`);
  });
}
