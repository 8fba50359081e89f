import { PipelineFixture } from "../../test/support/pipeline-fixture.ts";
import { GATED_SCRIPT, SUMMARY_CALL } from "../../test/support/scripts.ts";
import { acp } from "./suites/acp.ts";
import { alerts } from "./suites/alert.ts";
import { ACTOR, APPROVAL_TOKEN, approvalQuestions } from "./suites/approval-questions.ts";
import { chats, CHAT_AGENTS, CHAT_CALLS } from "./suites/chat.ts";
import { dryRuns } from "./suites/dry-run.ts";
import { fork, FORK_CALLS } from "./suites/fork.ts";
import { sessionWorlds, WATCHER } from "./suites/session-world.ts";
import { socketMessages } from "./suites/socket-messages.ts";
import { JUDGE_CALLS, tarsy } from "./suites/tarsy.ts";

/** The first call that fits is played: what a suite asks for stands before what the others are answered. */
const calls = [
  SUMMARY_CALL,
  ...ACTOR.calls,
  ...WATCHER.calls,
  ...JUDGE_CALLS,
  ...CHAT_CALLS,
  ...FORK_CALLS,
  ...GATED_SCRIPT.calls,
];

describe("commands on one system", () => {
  let pipeline: PipelineFixture;

  before(async () => {
    const chain = (alert_type: string) => ({
      alert_types: [alert_type],
      stages: [{ name: "analysis", agents: [{ name: "TestAgent" }] }],
    });
    const tarsyFile = {
      mcp_servers: { ...ACTOR.servers, ...WATCHER.servers },
      agents: { ...CHAT_AGENTS, ...ACTOR.agents, ...WATCHER.agents },
      agent_chains: {
        "test-chain": chain("test"),
        "kubernetes-agent-chain": chain("kubernetes"),
        "act-chain": ACTOR.chain,
        "watch-chain": WATCHER.chain,
      },
    };
    pipeline = await PipelineFixture.start({
      config: {
        script: { calls },
        tarsy: tarsyFile,
        stubTools: { servers: { ...ACTOR.stubTools.servers, ...WATCHER.tools } },
      },
      env: { ALERT_FINGERPRINT_PATH: "/fingerprint", APPROVAL_TOKEN },
    });
  });
  after(() => pipeline[Symbol.asyncDispose]());
  afterEach(function () {
    pipeline.showOutputOf(this.currentTest);
  });

  for (const suite of [
    dryRuns,
    tarsy,
    fork,
    chats,
    alerts,
    approvalQuestions,
    sessionWorlds,
    socketMessages,
    acp,
  ]) {
    suite(() => pipeline);
  }
});
