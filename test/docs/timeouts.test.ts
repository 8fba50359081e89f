import { expect } from "chai";
import { ACK_WAIT_MS } from "#shared/bus/ensure-streams.ts";
import { BUS_TIMING } from "#shared/bus/open-bus.ts";
import { DIAL_TIMEOUT_MS } from "#shared/database/connect-timeout-client.ts";
import { DATABASE_TIMEOUTS } from "#shared/database/open-database.ts";
import { STATEMENT_LIMITS } from "#shared/database/statement-limits.ts";
import { TOOL_CALL_SECONDS } from "../../services/executor/config.ts";
import { DEFAULT_SETTINGS } from "../../services/tool-runner/mcp/server-settings.ts";
import { READ_BUDGETS_EVERY_MS } from "../../services/executor/budget/budget-source.ts";
import { PATIENCE_MS } from "../../services/executor/budget/reserve-call.ts";
import { WORKING_EVERY_MS } from "../../services/executor/consume-queue.ts";
import { LEASE_SECONDS, LEASE_TIMES } from "../../services/executor/session-lease.ts";
import { readPage } from "./documented-metrics.ts";

/** In milliseconds, in the order of the table. */
const TIMEOUTS = [
  LEASE_SECONDS * 1_000,
  LEASE_TIMES.renewEveryMs,
  LEASE_TIMES.selfFenceMs,
  STATEMENT_LIMITS.statement_timeout,
  STATEMENT_LIMITS.lock_timeout,
  DATABASE_TIMEOUTS.responseMs,
  DATABASE_TIMEOUTS.connectMs,
  DIAL_TIMEOUT_MS,
  DATABASE_TIMEOUTS.queueMs,
  DATABASE_TIMEOUTS.keepAliveAfterMs,
  BUS_TIMING.pingMs,
  BUS_TIMING.dialMs,
  PATIENCE_MS,
  READ_BUDGETS_EVERY_MS,
  WORKING_EVERY_MS,
  ACK_WAIT_MS,
  DEFAULT_SETTINGS.callTimeoutMs,
  TOOL_CALL_SECONDS * 1_000,
];

describe("the table of timeouts in the documentation", () => {
  it("has the values of the code", () => {
    const [, table = ""] = readPage("docs/data-path.md").split("\n## Timeouts\n");
    const values = [...table.matchAll(/^\|[^|]*\|[^|\d]*(\d+) s[^|]*\|/gmu)].map(
      ([, seconds]) => Number(seconds) * 1_000,
    );
    expect(values).to.deep.equal(TIMEOUTS);
  });
});
