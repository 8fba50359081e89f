import { executorKill } from "./scenarios/01-executor-kill.ts";
import { apiCommitPublish } from "./scenarios/03-api-commit-publish.ts";
import { natsKill } from "./scenarios/04-nats-kill.ts";
import { postgresCrash } from "./scenarios/07-postgres-crash.ts";
import { lostCommitReply } from "./scenarios/08-lost-commit-reply.ts";
import { zombie } from "./scenarios/09-zombie.ts";
import { rollingDrain } from "./scenarios/13-rolling-drain.ts";
import { cancelRace } from "./scenarios/14-cancel-race.ts";
import { poisonMessage } from "./scenarios/16-poison-message.ts";
import { notifierKill } from "./scenarios/20-notifier-kill.ts";
import { reconnectStorm } from "./scenarios/21-reconnect-storm.ts";
import { providerFallback, providerOutage } from "./scenarios/40-provider-outage.ts";
import { workKill } from "./scenarios/45-work-kill.ts";
import { slowLists } from "./scenarios/49-slow-lists.ts";
import { busRefuses, natsStoreFull } from "./scenarios/51-nats-store-full.ts";
import { startOutage } from "./scenarios/50-start-outage.ts";
import { natsFrozen } from "./scenarios/32-nats-frozen.ts";
import { postgresFailover } from "./scenarios/52-postgres-failover.ts";
import { postgresLostCommits } from "./scenarios/53-postgres-lost-commits.ts";
import { natsRollingRestart } from "./scenarios/54-nats-rolling-restart.ts";
import { postgresPooler } from "./scenarios/55-postgres-pooler.ts";

/** The scenarios whose short forms `npm test` runs, by the test file that runs them; the files run in parallel. */
export const SHORT_FORMS = {
  executors: [executorKill],
  servers: [natsKill],
  takeovers: [zombie],
  /** In the nightly run, and only where disks can be mounted. */
  disks: [natsStoreFull],
} as const;

/** Further short forms, for the nightly run: `npm test` has a smaller test of each of these faults. */
export const NIGHTLY_SHORT_FORMS = [
  cancelRace,
  notifierKill,
  workKill,
  rollingDrain,
  postgresCrash,
  lostCommitReply,
  apiCommitPublish,
  poisonMessage,
  reconnectStorm,
  natsFrozen,
  providerOutage,
  providerFallback,
  slowLists,
  startOutage,
  busRefuses,
  postgresFailover,
  postgresLostCommits,
  natsRollingRestart,
  postgresPooler,
] as const;
