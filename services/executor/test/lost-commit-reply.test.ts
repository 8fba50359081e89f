import { expect } from "chai";
import { CHAIN_ROWS } from "../../../test/support/chain-rows.ts";
import { STEP } from "../../../test/support/nightly.ts";
import { isCommit, postgresTap } from "../../../test/support/postgres-tap.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import type { ExecutorDeps } from "../core/executor-deps.ts";
import { runSession } from "../run-session.ts";
import { RunFixture } from "./run-fixture.ts";

const CHAIN = { stages: [["Ann", "Ben", "Cem"], ["Dan"]], maxParallel: 3 } as const;
const OVER = "SELECT FROM alert_sessions WHERE session_id = $1 AND status = 'completed'";

describe("a chain that loses the reply to one of its commits", () => {
  const resources = new AsyncDisposableStack();
  const { signal } = new AbortController();
  let fixture: RunFixture;
  /** The reply to this COMMIT, counted down to 0, is lost with its connection. */
  let commitsLeft = Infinity;
  let deps: ExecutorDeps;

  before(async () => {
    fixture = resources.use(await RunFixture.start());
    const url = new URL(fixture.executor.servers.postgres.serviceUrls.executor);
    const tap = () =>
      postgresTap({
        answered: (sql) => (isCommit(sql) && (commitsLeft -= 1) === 0 ? "cut" : "forward"),
      });
    const proxy = resources.use(await TcpProxy.start({ host: url.hostname, port: Number(url.port), tap }));
    url.port = String(proxy.port);
    deps = await fixture.executor.another(resources, fixture.gateway.address, { databaseUrl: url.href });
    await fixture.play(
      { when: { contains: "Bring the results" }, steps: [{ text: "all agree" }] },
      { steps: [{ thinking: "hm" }, { text: "found it" }] },
    );
  });
  after(() => resources.disposeAsync());

  const run = async (id: string) =>
    runSession(deps, await fixture.executor.claim(id), { stop: signal, abort: signal });
  const rows = async (id: string) => (await fixture.executor.query(CHAIN_ROWS, [id]))[0];

  it("continues from the stored rows, whichever commit it is", async () => {
    const undisturbed = await fixture.executor.insert(CHAIN);
    expect(await run(undisturbed)).to.equal("completed");
    const expected = await rows(undisturbed);
    let commits = 1 - STEP;
    for (;;) {
      commits += STEP;
      const id = await fixture.executor.insert(CHAIN);
      commitsLeft = commits;
      const end = await run(id);
      if (commitsLeft > 0) break;
      expect(end, `commit ${commits}`).to.equal("interrupted");
      // The last commit may have ended the session.
      const isOver = (await fixture.executor.query(OVER, [id])).length > 0;
      if (!isOver) expect(await run(id), `commit ${commits}`).to.equal("completed");
      expect(await rows(id), `commit ${commits}`).to.deep.equal(expected);
      expect(await fixture.executor.row("session_runtime", "attempts", id)).to.deep.equal({ attempts: 0 });
    }
    expect(commits).to.be.greaterThan(10);
  });
});
