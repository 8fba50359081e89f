import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { findContextBlock, withoutContextBlocks } from "#shared/contracts/context-block.ts";
import { answerTurn } from "../../../../services/executor/test/scripted-turns.ts";
import { serveAnswers } from "../../engine/answer-server.ts";
import { OfflineBench } from "../../engine/offline-bench.ts";
import { RECORDED_CHAINS } from "../../recording/chain-source.ts";
import { ReplaySession } from "../../replay-session.ts";
import type { ReplayResult } from "../../replay-result.ts";
import type { ReplayParts } from "./replays-of.ts";

const { signal } = new AbortController();
const IDENTICAL = { kind: "identical", notReplayed: [] };

export function currentTime(opened: () => ReplayParts): void {
  describe("the current time of agents in a replay", () => {
    const resources = new AsyncDisposableStack();
    let cassette: Cassette;
    let bench: OfflineBench;

    before(async function () {
      this.timeout(60_000);
      const { recording } = opened();
      await recording.runs.play(answerTurn("native-thinking"));
      const id = await recording.runs.executor.insert({ strategy: "native-thinking" });
      await recording.runToEnd(id, { holidays: [{ date: "12-25", name: "Christmas" }] });
      cassette = await recording.cassette(id);
      bench = resources.use(await OfflineBench.open({ signal }));
    });
    // Both replay the same session.
    afterEach(() => bench.db.query("DELETE FROM alert_sessions"));
    after(() => resources.disposeAsync());

    /** Replays a session, and reads the time in the first request to the model. */
    const replay = async (
      recorded: Cassette,
    ): Promise<{ result: ReplayResult; shown: string | undefined }> => {
      await using open = new AsyncDisposableStack();
      const directory = await mkdtemp(join(tmpdir(), "tarsy-current-time-"));
      open.defer(() => rm(directory, { recursive: true, force: true }));
      const shown: (string | undefined)[] = [];
      const server = open.use(
        await serveAnswers({
          socketPath: join(directory, "model.sock"),
          maxMessageBytes: 16 * 1024 * 1024,
          answer: async (request, cancelled) => {
            shown.push(findContextBlock(request.messages)?.text);
            return session.answer(request, cancelled);
          },
        }),
      );
      const executor = open.use(
        await bench.openExecutor({
          llmAddress: server.address,
          llmToken: "replay",
          sessions: 1,
          signal,
          onEvents: () => session.onEvents(),
        }),
      );
      const session = new ReplaySession({
        db: bench.db,
        executor,
        chains: RECORDED_CHAINS,
        log: bench.log,
        cassette: recorded,
      });
      return { result: await session.run(signal), shown: shown[0] };
    };

    it("is that of the recording, word for word", async function () {
      this.timeout(30_000);
      expect(await replay(cassette)).to.deep.equal({
        result: IDENTICAL,
        shown: `## Context

Current time: 2026-12-25T08:00:00Z (Friday)
Calendar context (UTC): 2026-12-25 — Friday — GLOBAL_HOLIDAY (Christmas)
Staffing: reduced (humans less likely to review promptly). This authorises nothing.`,
      });
    });

    it("is absent if the recording is of a version that did not tell it, whose requests are the same", async function () {
      this.timeout(30_000);
      const executions = cassette.executions.map((execution) => ({
        ...execution,
        messages: execution.messages.map((message) => ({
          ...message,
          content: withoutContextBlocks(message.content),
        })),
      }));
      expect(await replay({ ...cassette, executions })).to.deep.equal({
        result: IDENTICAL,
        shown: undefined,
      });
    });
  });
}
