import { writeFile } from "node:fs/promises";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { ask } from "../../services/executor/test/follow-up-fixture.ts";
import { answerTurn, callTurn } from "../../services/executor/test/scripted-turns.ts";
import { dispatches, ofChild } from "../../services/executor/test/sub-agent-fixture.ts";
import { RecordingFixture } from "../../lab/replay/test/recording-fixture.ts";

// Run by hand after an intended change of what models are asked, then review the diff: node test/cassettes/record.ts

const NATIVE = "native-thinking";
const JUDGE = "Judge of Investigations";

/** What is recorded, by the name of its file. */
const RECORDINGS: Readonly<Record<string, (recording: RecordingFixture) => Promise<string>>> = {
  // A ReAct agent whose executor dies between two calls of tools.
  "react-taken-over": async (recording) => {
    await recording.runs.play(
      callTurn("react", 1, "k8s.pods", { namespace: "shop" }),
      callTurn("react", 2, "k8s.throws", {}),
      answerTurn("react", "the pod restarts because the disk is full"),
    );
    return recording.killed(6, { strategy: "react", servers: ["k8s"] });
  },
  // Parallel agents that call tools, their synthesis, and a stage behind them.
  "parallel-synthesis": async (recording) => {
    await recording.runs.play(
      { when: { contains: "Bring the results" }, steps: [{ text: "both blame the disk" }] },
      callTurn(NATIVE, 1, "k8s.pods", { n: 1 }),
      answerTurn(NATIVE, "the disk is full"),
    );
    return recording.session({ strategy: NATIVE, servers: ["k8s"], stages: [["Ann", "Ben"], ["Cem"]] });
  },
  "sub-agents": async (recording) => {
    await recording.runs.play(
      ofChild(answerTurn(NATIVE, "node 1 is well"), "look at node 1"),
      ofChild(answerTurn(NATIVE, "node 2 has no room"), "look at node 2"),
      dispatches(NATIVE, "look at node 1", "look at node 2"),
      answerTurn(NATIVE, "node 2 is the cause"),
    );
    const id = await recording.sub.insert({ strategy: NATIVE });
    await recording.runToEnd(id);
    return id;
  },
  "chat-and-score": async (recording) => {
    await recording.runs.play(
      { when: { contains: JUDGE, call: 1 }, steps: [{ text: "The cause is named.\n80" }] },
      { when: { contains: JUDGE }, steps: [{ text: "No tool is missing." }] },
      { when: { contains: "CURRENT TASK" }, steps: [{ text: "Since Monday." }] },
      { steps: [{ text: "the disk is full" }] },
    );
    const id = await recording.session({ isScored: true });
    await recording.runToEnd(id);
    await ask(recording.runs.executor, id, { question: "Since when?" });
    await recording.runToEnd(id);
    return id;
  },
};

await using recording = await RecordingFixture.start();
for (const [name, record] of Object.entries(RECORDINGS)) {
  const text = `${JSON.stringify(await recording.cassette(await record(recording)), undefined, 1)}\n`;
  parseCassette(text);
  await writeFile(new URL(`${name}.cassette.json`, import.meta.url), text);
}
