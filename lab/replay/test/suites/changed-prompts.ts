import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { loadAgentConfig } from "#shared/agent-config/load-agent-config.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import { resolveChat } from "#shared/agent-config/resolve-chat.ts";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { storedChain } from "#shared/contracts/resolved-chain.ts";
import { changeConfig } from "../../../../test/support/change-config.ts";
import { NIGHTLY } from "../../../../test/support/nightly.ts";
import { testConfigDirectory } from "../../../../test/support/config-directory.ts";
import { askWith } from "../../../../services/executor/test/follow-up-fixture.ts";
import { openReplayer } from "../../replayer.ts";
import type { ReplayResult } from "../../replay-result.ts";
import type { ReplayParts } from "./replays-of.ts";

const { signal } = new AbortController();

/** The instructions of each agent. */
const WORDS = {
  Ann: "Look at the disks.",
  Ben: "Look at the pods.",
  Cem: "Look at the network.",
  Sum: "Weigh what was found.",
  Max: "Say it briefly.",
  Zoe: "Answer politely.",
};
type Agent = keyof typeof WORDS;

const tarsy = (words: Readonly<Record<Agent, string>>, more: object = {}) => ({
  defaults: { llm_provider: "scripted", alert_type: "test", ...more },
  agents: Object.fromEntries(
    Object.entries(words).map(([name, custom_instructions]) => [
      name,
      { custom_instructions, ...(name === "Sum" ? { type: "synthesis" } : {}) },
    ]),
  ),
  agent_chains: {
    "test-chain": {
      alert_types: ["test"],
      stages: [
        { name: "look", agents: [{ name: "Ann" }] },
        { name: "dig", agents: [{ name: "Ben" }, { name: "Cem" }], synthesis: { agent: "Sum" } },
        { name: "say", agents: [{ name: "Max" }] },
      ],
      chat: { agent: "Zoe" },
    },
  },
});

export function changedPrompts(opened: () => ReplayParts): void {
  describe("a replay with the configuration of a directory", () => {
    let cassette: Cassette;

    before(async function () {
      this.timeout(60_000);
      const { recording } = opened();
      await using directory = await testConfigDirectory({ tarsy: tarsy(WORDS) });
      const agents = await loadAgentConfig({ configDir: directory.path, env: {} });
      const { executor } = recording.runs;
      await recording.runs.play({ steps: [{ text: "Thought: enough\nFinal Answer: the disk is full" }] });
      const id = await executor.insert();
      const chain = storedChain(resolveChain(agents, "test"));
      await changeConfig(executor, id, "$2::jsonb", { values: [JSON.stringify(chain)] });
      await recording.runToEnd(id);
      const chat = resolveChat(agents, { chainId: "test-chain", alertType: "test" }, false);
      if (chat === undefined) throw new Error("no chat");
      await askWith(executor, id, chat);
      await recording.runToEnd(id);
      cassette = await recording.cassette(id);
    });

    /** Replays the session, and then one of an alert that no chain handles. */
    const replayWith = async (words: Readonly<Record<Agent, string>>): Promise<readonly ReplayResult[]> => {
      await using directory = await testConfigDirectory({ tarsy: tarsy(words) });
      await using replayer = await openReplayer({ configDirectory: directory.path, signal });
      const session = { ...cassette.session, alert_type: "unheard of", session_id: randomUUID() };
      const replayed = await replayer.replay(cassette, signal);
      return [replayed, await replayer.replay({ ...cassette, session }, signal)];
    };

    // What was not changed before Zoe's words is identical there, too.
    if (NIGHTLY) {
      it("is identical if nothing was changed", async function () {
        this.timeout(30_000);
        const [result] = await replayWith(WORDS);
        expect(result).to.deep.equal({ kind: "identical", notReplayed: [] });
      });
    }

    const changed = [
      ["Ann", "look"],
      ["Cem", "dig"],
      ["Sum", "dig"],
      ["Zoe", "Chat"],
    ] as const;
    // Each has a Postgres of its own.
    for (const [agent, stage] of NIGHTLY ? changed : changed.slice(-1)) {
      it(`finds a word of the instructions of ${agent} that was changed, at the first call that has it, and no chain for another alert`, async function () {
        this.timeout(30_000);
        const [result, other] = await replayWith({
          ...WORDS,
          [agent]: WORDS[agent].replace(/\w+\.$/u, "elsewhere."),
        });
        expect(other).to.have.property("message").that.includes('no chain handles alert type "unheard of"');
        if (result?.kind !== "diverged") throw new Error(JSON.stringify(result));
        const { divergence } = result;
        expect(divergence).to.include({ agent, stage });
        expect(divergence.step).to.match(/^call 1 of the model/u);
        expect(divergence.pointer).to.equal("/messages/0/content");
        expect(divergence.recorded).to.include(WORDS[agent]);
        expect(divergence.now).to.include("elsewhere.");
        expect(divergence.seq).to.be.greaterThan(0);
      });
    }

    it("says which file is wrong", async () => {
      await using directory = await testConfigDirectory({
        tarsy: { agents: { Ann: { mcp_servers: "k8s" } } },
      });
      const opening = openReplayer({ configDirectory: directory.path, signal });
      const error = await opening.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(String(error)).to.include("tarsy.yaml");
    });
  });
}
