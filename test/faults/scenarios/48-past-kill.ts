import { killDuringWork } from "../harness/kill-during-work.ts";
import type { Scenario } from "../harness/scenario.ts";
import { chatWork } from "./41-chat-kill.ts";
import { subAgentsWork } from "./42-sub-agents-kill.ts";
import { steeringWork } from "./44-steering-kill.ts";

/** What sessions look like is kept while it happens, and compared with their past in the end. */
export const pastKill: Scenario = killDuringWork(
  "past-kill",
  "an executor dies at writes of answers, sub-agents and steered sessions, and their past is as it was",
  () => [chatWork(), subAgentsWork(), steeringWork()],
  { comparesPast: true },
);
