import { SUMMARY_CALL } from "../support/scripts.ts";
import { describeOnPage } from "./support/describe-on-page.ts";
import { HOSTILE_TEXT, SESSION_CONFIG } from "./support/session-script.ts";
import { CHECKED_CALLS, CHECKED_TOOLS, checkedConclusions } from "./suites/checked-conclusions.ts";
import { incidents } from "./suites/incidents.ts";
import { memories, QUOTA } from "./suites/memories.ts";
import { scores } from "./suites/scores.ts";

const NOTES = "Memory of Investigations";
const JUDGE = "Judge of Investigations";
const judged = (
  alert: string,
  first: object,
  report: object = { text: "# Limits\n\nA list of **limits**." },
) => [
  { when: { contains: [JUDGE, alert], call: 1 }, steps: [first] },
  { when: { contains: [JUDGE, alert] }, steps: [report] },
];
const { tarsy, stubTools } = SESSION_CONFIG;
const { incident } = tarsy.agent_chains;

const CONFIG = {
  ...SESSION_CONFIG,
  tarsy: {
    ...tarsy,
    defaults: { ...tarsy.defaults, memory: { enabled: true } },
    agent_chains: {
      incident,
      checked: {
        alert_types: ["checked"],
        conclusion: "rca.v1",
        stages: [{ name: "Look", agents: [{ name: "Pods" }] }],
      },
      grouped: { ...incident, alert_types: ["grouped"], grouping: { by: ["/alertname"] } },
    },
  },
  stubTools: { servers: { k8s: { ...stubTools.servers.k8s, ...CHECKED_TOOLS } } },
  script: {
    calls: [
      SUMMARY_CALL,
      {
        when: { contains: NOTES },
        steps: [
          {
            text: JSON.stringify({
              create: [{ content: QUOTA, category: "semantic", valence: "negative" }],
              reinforce: [],
              deprecate: [],
            }),
          },
        ],
      },
      ...CHECKED_CALLS,
      ...judged("REFUSED", {
        error: { code: "content_blocked", message: "we do not judge", retryable: false },
      }),
      ...judged("HOSTILE", { text: `${HOSTILE_TEXT}\n\n12` }, { text: HOSTILE_TEXT }),
      ...judged("POOR", { text: "Nothing was found.\n\nTAGS: wrong_conclusion\n20" }),
      ...judged("alert", {
        text: `${"It was looked at **closely**. ".repeat(20)}\n\nTAGS: incomplete_evidence\n72`,
        chunk_size: 12,
        chunk_delay: "30ms",
      }),
      { steps: [{ text: "The **memory** is full." }] },
    ],
  },
};

describeOnPage("what comes to a session after its end", { config: CONFIG }, (web) => {
  checkedConclusions(web);
  memories(web);
  scores(web);
  incidents(web);
});
