import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { describeNightly } from "../../../test/support/nightly.ts";
import { resolvedChain } from "../../../services/executor/test/resolved-chain.ts";
import { serveAnswers } from "../engine/answer-server.ts";
import { insertOfflineSession } from "./insert-session.ts";
import { OfflineBench } from "../engine/offline-bench.ts";

const { signal } = new AbortController();

// replay.test.ts has it in the small: it replays sessions without an interface.
describeNightly("an offline bench", () => {
  it("runs sessions to their end without a network", async () => {
    await using resources = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), "tarsy-answers-"));
    resources.defer(() => rm(directory, { recursive: true, force: true }));
    const bench = resources.use(await OfflineBench.open({ signal }));
    const requests: GenerateRequest[] = [];
    const server = resources.use(
      await serveAnswers({
        socketPath: join(directory, "llm.sock"),
        maxMessageBytes: 1024 * 1024,
        answer: (request) => {
          requests.push(request);
          return Promise.resolve([
            { content: { $case: "text", value: { content: "The disk is full." } }, isFinal: false },
            { content: undefined, isFinal: true },
          ]);
        },
      }),
    );
    const executor = resources.use(
      await bench.openExecutor({ llmAddress: server.address, llmToken: "token", sessions: 2, signal }),
    );
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const sessionId of ids) {
      await insertOfflineSession(bench.db, {
        sessionId,
        alert: "disk full",
        alertType: "test",
        chain: resolvedChain({ stages: [["A"], ["B", "C"]] }),
      });
    }
    await Promise.all(ids.map((id) => executor.runToEnd(id, signal)));
    const rows = await bench.db.query("SELECT DISTINCT status::text, final_analysis FROM alert_sessions");
    expect(rows).to.deep.equal([{ status: "completed", final_analysis: "The disk is full." }]);
    // Three agents, a synthesis and a summary of each.
    expect(requests).to.have.length(15);
  });
});
