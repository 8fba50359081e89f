import type { Scenario } from "./harness/scenario.ts";
import { executorKill } from "./scenarios/01-executor-kill.ts";
import { natsKill } from "./scenarios/04-nats-kill.ts";
import { zombie } from "./scenarios/09-zombie.ts";
import { rollingDrain } from "./scenarios/13-rolling-drain.ts";
import { cancelRace } from "./scenarios/14-cancel-race.ts";

/** A new scenario is one file and one line here. */
export const ALL_SCENARIOS: readonly Scenario[] = [executorKill, natsKill, zombie, rollingDrain, cancelRace];
