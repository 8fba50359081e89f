import { SUMMARY_CALL } from "../support/scripts.ts";
import { describeOnPage } from "./support/describe-on-page.ts";
import { HOSTILE_TEXT, SESSION_CONFIG } from "./support/session-script.ts";
import { chat } from "./suites/chat.ts";
import { parking } from "./suites/parking.ts";
import { sessionReading } from "./suites/session-reading.ts";
import { sessionScreen, TOKEN } from "./suites/session-screen.ts";
import { steering } from "./suites/steering.ts";
import { timeTravel } from "./suites/time-travel.ts";

const CHAT = "CURRENT TASK";
const asked = (question: string) => [CHAT, `**Question:** ${question}`];
const LONG_ANSWER = Array.from({ length: 400 }, (_, n) => `word-${n}`).join(" ");
const { tarsy, stubTools, script } = SESSION_CONFIG;
const { k8s } = stubTools.servers;
const read = (alertType: string, settings: object) => ({
  alert_types: [alertType],
  stages: [{ name: "Read", agents: [{ name: "Reader" }] }],
  chat: settings,
});

const CONFIG = {
  tarsy: {
    ...tarsy,
    agent_chains: {
      ...tarsy.agent_chains,
      talk: read("talk", { iteration_strategy: "native-thinking", mcp_servers: ["k8s"] }),
      silent: read("silent", { enabled: false }),
    },
  },
  stubTools: {
    servers: {
      k8s: { ...k8s, stuck: { description: "Never ends", read_only: true, results: [{ hang: true }] } },
    },
  },
  script: {
    calls: [
      SUMMARY_CALL,
      {
        when: { contains: asked("SLOW") },
        steps: [{ text: LONG_ANSWER, chunk_size: 8, chunk_delay: "30ms" }],
      },
      { when: { contains: asked("HANG") }, steps: [{ text: "well, it" }, { hang: true }] },
      {
        when: { contains: asked("REFUSED") },
        steps: [{ error: { code: "content_blocked", message: "we do not answer this", retryable: false } }],
      },
      {
        when: { contains: asked("TOOL"), call: 1, tools: true },
        steps: [
          { thinking: "I look." },
          { tool_call: { name: "k8s.pods", arguments: { namespace: "shop" } } },
        ],
      },
      { when: { contains: asked("HOSTILE") }, steps: [{ text: HOSTILE_TEXT }] },
      { when: { contains: CHAT }, steps: [{ text: "# Yes\n\nThey are there **again**." }] },
      { when: { contains: "the staging cluster" }, steps: [{ text: "Then it is staging." }] },
      {
        when: { contains: "STUCK", call: 1, tools: true },
        steps: [{ tool_call: { name: "k8s.stuck", arguments: {} } }],
      },
      ...script.calls,
    ],
  },
};

describeOnPage("a session on the page", { config: CONFIG, env: { APPROVAL_TOKEN: TOKEN } }, (web) => {
  steering(web);
  chat(web);
  timeTravel(web);
  parking(web);
  sessionReading(web);
  // The last one: it signs in.
  sessionScreen(web);
});
