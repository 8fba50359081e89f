import { expect } from "chai";
import { SessionMemory } from "../state/session-memory.ts";
import type { SessionState } from "../state/session-state.ts";
import { resolvedChain } from "./resolved-chain.ts";
import { INPUT } from "./prompt-fixtures.ts";

describe("SessionMemory", () => {
  const stateOf = (inboxSeq: number, rest: Partial<SessionState> = {}): SessionState => ({
    sessionId: "s",
    status: "in_progress",
    chain: resolvedChain(),
    stages: [],
    executions: [],
    answers: new Map(),
    alert: INPUT.alert,
    followUps: [],
    subAgents: [],
    inboxSeq,
    ...rest,
  });

  it("that is verified accepts an entry of the inbox that came after the commit, and no other difference", async () => {
    let stored = stateOf(0);
    const memory = new SessionMemory({ load: () => Promise.resolve(stored), verifies: true });
    await memory.state();
    stored = stateOf(1);
    await memory.fold([], 0);
    expect(memory.generation).to.equal(0);
    await memory.fold([], 1);
    expect(memory.generation).to.equal(1);
    await memory.state();
    stored = stateOf(1, { status: "failed" });
    const difference = await memory.fold([], 1).catch((error: unknown) => error);
    expect(difference).to.have.property("code", "state_differs");
  });
});
