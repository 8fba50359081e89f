import { killDuringWork } from "../harness/kill-during-work.ts";
import type { Scenario } from "../harness/scenario.ts";
import { chatWork } from "./41-chat-kill.ts";
import { subAgentsWork } from "./42-sub-agents-kill.ts";
import { scoringWork } from "./43-scoring-kill.ts";
import { steeringWork } from "./44-steering-kill.ts";

/** All of it at once, because what takes time is the wait for the next owner. */
export const workKill: Scenario = killDuringWork(
  "work-kill",
  "an executor dies at each write of answers, scores, sub-agents and steered sessions, all at once",
  () => [chatWork(), subAgentsWork(), scoringWork(), steeringWork()],
);
