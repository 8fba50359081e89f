import { BASE_CONTROLLERS } from "../controllers/next-agent-step.ts";
import type { Features } from "../core/feature.ts";
import { BASE_PERFORMERS } from "../perform-step.ts";
import { RESULT_TOOLS } from "../tools/built-in/call-result-tool.ts";
import { searchTools } from "../tools/built-in/search-tools.ts";
import { BUDGETS } from "./budgets/feature.ts";
import { CHAT } from "./chat/feature.ts";
import { CONCLUSIONS } from "./conclusions/feature.ts";
import { JOINED_ALERTS } from "./joined-alerts/feature.ts";
import { MEMORIES } from "./memories/feature.ts";
import { SCORING } from "./scoring/feature.ts";
import { SKILLS } from "./skills/feature.ts";
import { STEERING } from "./steering/feature.ts";
import { SUB_AGENTS } from "./sub-agents/feature.ts";
import { TOOL_SUMMARIES } from "./tool-summaries/feature.ts";

/**
 * The features of every executor. The order of the first six is part of what agents do: an agent without a budget ends, whatever it
 * wanted; results are summarized before the conversation goes on; no agent answers while its sub-agents run; alerts that joined come
 * before what people say, which is the last word; then a conclusion is due.
 */
export const FEATURES: Features = {
  list: [
    BUDGETS,
    TOOL_SUMMARIES,
    SUB_AGENTS,
    JOINED_ALERTS,
    STEERING,
    CONCLUSIONS,
    SKILLS,
    CHAT,
    MEMORIES,
    SCORING,
  ],
  performers: {
    ...BASE_PERFORMERS,
    ...TOOL_SUMMARIES.perform,
    ...SUB_AGENTS.perform,
    ...JOINED_ALERTS.perform,
    ...STEERING.perform,
    ...CONCLUSIONS.perform,
    ...SCORING.perform,
  },
  controllers: { ...BASE_CONTROLLERS, ...MEMORIES.controllers, ...SCORING.controllers },
  stepTools: { ...SUB_AGENTS.stepTools, ...CONCLUSIONS.stepTools, tool_search: searchTools },
  tools: { ...RESULT_TOOLS, ...MEMORIES.tools, ...SKILLS.tools },
};
