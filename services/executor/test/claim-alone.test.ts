import { expect } from "chai";
import { chooseSessions } from "../choose-sessions.ts";
import { claimAlone } from "../claim-free-session.ts";
import { claimSession } from "../claim-session.ts";
import { RunFixture } from "./run-fixture.ts";

const END_ALL = `
UPDATE alert_sessions SET status = 'failed', completed_at = now(), review_status = 'needs_review'
WHERE status IN ('pending', 'in_progress', 'cancelling')`;

const RUNTIME = (set: string) => `UPDATE session_runtime SET ${set} WHERE session_id = $1`;
const SESSION = (set: string) => `UPDATE alert_sessions SET ${set} WHERE session_id = $1`;

describe("a claim without a choice", () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  let fixture: RunFixture;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
  });
  after(() => resources.disposeAsync());
  afterEach(async () => {
    await fixture.executor.query(END_ALL, []);
  });

  const change = async (id: string, ...statements: readonly string[]) => {
    for (const sql of statements) await fixture.executor.query(sql, [id]);
  };
  const run = async (id: string, place = id) =>
    claimSession(fixture.executor.db, id, "other-pod", { natsUpMs: Infinity, postgresCounts: false, place });
  const claim = async (id: string) => claimAlone(fixture.executor.db, id, fixture.executor.deps.config.podId);

  /** What another session does, and whether the delivered one is alone beside it. */
  const others: Readonly<
    Record<string, readonly [boolean, (id: string, delivered: string) => Promise<unknown>]>
  > = {
    "waits in its lane": [true, () => Promise.resolve()],
    "waits in another lane": [false, async (id) => change(id, SESSION("lane = 'low'"))],
    "runs in its place": [true, async (id) => run(id)],
    "runs in the place of a third one": [false, async (id) => run(id, await fixture.executor.insert())],
    "runs in the place of the delivered one": [false, async (id, delivered) => run(id, delivered)],
    "has lost its owner": [
      true,
      async (id) => {
        await run(id);
        await change(id, RUNTIME("lease_expires_at = now() - interval '1 s'"));
      },
    ],
    "rests until later": [
      true,
      async (id) => {
        await run(id);
        await change(id, RUNTIME("lease_expires_at = NULL, not_before = now() + interval '1 h'"));
      },
    ],
    "has rested": [
      false,
      async (id) => {
        await run(id);
        await change(id, RUNTIME("lease_expires_at = NULL, not_before = now() - interval '1 s'"));
      },
    ],
    "is to be cancelled": [
      false,
      async (id) => {
        await run(id);
        await change(id, RUNTIME("lease_expires_at = NULL"), SESSION("status = 'cancelling'"));
      },
    ],
    "is parked for a time": [
      true,
      async (id) => {
        await run(id);
        await change(
          id,
          RUNTIME("lease_expires_at = NULL, parked_at = now(), park_until = now() + interval '1 h'"),
        );
      },
    ],
    "is parked and waits for a place": [
      false,
      async (id) => {
        await run(id);
        await change(id, RUNTIME("lease_expires_at = NULL, parked_at = now(), park_until = NULL"));
      },
    ],
  };

  for (const [what, [isAlone, arrange]] of Object.entries(others)) {
    it(`${isAlone ? "is made" : "is left to the choice"} while another session ${what}`, async () => {
      const other = await fixture.executor.insert();
      const delivered = await fixture.executor.insert();
      await arrange(other, delivered);
      const choice = await chooseSessions(fixture.executor.deps, delivered, signal);
      const claimed = await claim(delivered);
      expect(claimed?.sessionId).to.equal(isAlone ? delivered : undefined);
      // The choice says the same wherever the claim is made.
      if (isAlone) expect(choice).to.deep.equal({ sessions: [delivered], isContested: false });
    });
  }

  it("is made for no session that runs, was put off or is deleted", async () => {
    const [running, later, gone] = [
      await fixture.executor.insert(),
      await fixture.executor.insert(),
      await fixture.executor.insert(),
    ];
    await run(running);
    await change(later, RUNTIME("not_before = now() + interval '1 h'"));
    await change(gone, SESSION("deleted_at = now()"));
    for (const id of [running, later, gone]) expect(await claim(id)).to.equal(undefined);
  });
});
