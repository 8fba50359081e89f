import type { Scenario } from "./harness/scenario.ts";
import { executorFailpoints } from "./scenarios/01-executor-failpoints.ts";
import { executorKill } from "./scenarios/01-executor-kill.ts";
import { apiKill } from "./scenarios/02-api-kill.ts";
import { apiCommitPublish } from "./scenarios/03-api-commit-publish.ts";
import { natsKill } from "./scenarios/04-nats-kill.ts";
import { natsStoreLost } from "./scenarios/05-nats-store-lost.ts";
import { postgresCrash } from "./scenarios/07-postgres-crash.ts";
import { lostCommitReply } from "./scenarios/08-lost-commit-reply.ts";
import { zombie } from "./scenarios/09-zombie.ts";
import { natsPartition } from "./scenarios/10-nats-partition.ts";
import { postgresPartition } from "./scenarios/11-postgres-partition.ts";
import { rollingDrain } from "./scenarios/13-rolling-drain.ts";
import { cancelRace } from "./scenarios/14-cancel-race.ts";
import { poisonSession } from "./scenarios/15-poison-session.ts";
import { poisonMessage } from "./scenarios/16-poison-message.ts";
import { diskFull } from "./scenarios/17-disk-full.ts";
import { notifierKill } from "./scenarios/20-notifier-kill.ts";
import { reconnectStorm } from "./scenarios/21-reconnect-storm.ts";
import { hostileAlerts } from "./scenarios/24-hostile-alerts.ts";
import { modelMisbehaves } from "./scenarios/27-model-misbehaves.ts";
import { backlog } from "./scenarios/29-backlog.ts";
import { slowLinks } from "./scenarios/30-slow-links.ts";
import { clockJump } from "./scenarios/31-clock-jump.ts";
import { clockOffset } from "./scenarios/31-clock-offset.ts";
import { natsFrozen } from "./scenarios/32-nats-frozen.ts";
import { natsNodeIsolated } from "./scenarios/33-nats-node-isolated.ts";
import { gatewayAway } from "./scenarios/34-gateway-away.ts";
import { rateLimits } from "./scenarios/35-rate-limits.ts";
import { slowCommits } from "./scenarios/36-slow-commits.ts";
import { frozenToolRunner } from "./scenarios/37-frozen-tool-runner.ts";
import { providerFallback, providerOutage } from "./scenarios/40-provider-outage.ts";
import { chatKill } from "./scenarios/41-chat-kill.ts";
import { subAgentsKill } from "./scenarios/42-sub-agents-kill.ts";
import { scoringKill } from "./scenarios/43-scoring-kill.ts";
import { steeringKill } from "./scenarios/44-steering-kill.ts";
import { workKill } from "./scenarios/45-work-kill.ts";
import { budgetKill } from "./scenarios/46-budget-kill.ts";
import { parkingKill } from "./scenarios/47-parking-kill.ts";
import { pastKill } from "./scenarios/48-past-kill.ts";
import { slowLists } from "./scenarios/49-slow-lists.ts";
import { busRefuses, natsStoreFull } from "./scenarios/51-nats-store-full.ts";
import { startOutage } from "./scenarios/50-start-outage.ts";
import { postgresFailover } from "./scenarios/52-postgres-failover.ts";
import { postgresLostCommits } from "./scenarios/53-postgres-lost-commits.ts";
import { natsRollingRestart } from "./scenarios/54-nats-rolling-restart.ts";
import { postgresPooler } from "./scenarios/55-postgres-pooler.ts";
import { powerCut } from "./scenarios/39-power-cut.ts";

/** Every scenario, in the order of a full run. */
export const ALL_SCENARIOS: readonly Scenario[] = [
  executorKill,
  executorFailpoints,
  apiKill,
  apiCommitPublish,
  natsKill,
  natsStoreLost,
  postgresCrash,
  lostCommitReply,
  zombie,
  natsPartition,
  postgresPartition,
  rollingDrain,
  cancelRace,
  poisonSession,
  poisonMessage,
  diskFull,
  notifierKill,
  reconnectStorm,
  hostileAlerts,
  modelMisbehaves,
  backlog,
  slowLinks,
  clockJump,
  clockOffset,
  natsFrozen,
  natsNodeIsolated,
  gatewayAway,
  rateLimits,
  slowCommits,
  frozenToolRunner,
  powerCut,
  providerOutage,
  providerFallback,
  chatKill,
  subAgentsKill,
  scoringKill,
  steeringKill,
  workKill,
  budgetKill,
  parkingKill,
  pastKill,
  slowLists,
  natsStoreFull,
  busRefuses,
  startOutage,
  postgresFailover,
  postgresLostCommits,
  natsRollingRestart,
  postgresPooler,
];
