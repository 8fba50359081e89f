import { expect } from "chai";
import { BUS_TIMING } from "#shared/bus/open-bus.ts";
import {
  ACK_WAIT_MS,
  LEASE_MS,
  NATS_PING_MS,
  RENEW_EVERY_MS,
  SELF_FENCE_MS,
  TIME_SCALE,
  WORKING_EVERY_MS,
} from "#shared/contracts/durations.ts";
import { DIAL_TIMEOUT_MS } from "#shared/database/connection/connect-timeout-client.ts";
import { DATABASE_TIMEOUTS } from "#shared/database/connection/open-database.ts";
import { STATEMENT_LIMITS } from "#shared/database/connection/statement-limits.ts";
import { TOOL_CALL_SECONDS } from "../../services/executor/config.ts";
import { DEFAULT_SETTINGS } from "../../services/tool-runner/mcp/server-settings.ts";
import { READ_BUDGETS_EVERY_MS } from "../../services/executor/budget/budget-source.ts";
import { PATIENCE_MS } from "../../services/executor/budget/reserve-call.ts";
import { readPage } from "./documented-metrics.ts";

/** The documentation has the values of production. */
const unscaled = (ms: number) => Math.round((ms * TIME_SCALE) / 1_000) * 1_000;

/** In milliseconds, in the order of the table. */
const TIMEOUTS = [
  unscaled(LEASE_MS),
  unscaled(RENEW_EVERY_MS),
  unscaled(SELF_FENCE_MS),
  STATEMENT_LIMITS.statement_timeout,
  STATEMENT_LIMITS.lock_timeout,
  DATABASE_TIMEOUTS.responseMs,
  DATABASE_TIMEOUTS.connectMs,
  DIAL_TIMEOUT_MS,
  DATABASE_TIMEOUTS.queueMs,
  DATABASE_TIMEOUTS.keepAliveAfterMs,
  unscaled(NATS_PING_MS),
  BUS_TIMING.dialMs,
  PATIENCE_MS,
  READ_BUDGETS_EVERY_MS,
  unscaled(WORKING_EVERY_MS),
  unscaled(ACK_WAIT_MS),
  DEFAULT_SETTINGS.callTimeoutMs,
  TOOL_CALL_SECONDS * 1_000,
];

describe("the table of timeouts in the documentation", () => {
  it("has the values of the code", () => {
    const [, table = ""] = readPage("docs/durability.md").split("\n## Timeouts\n");
    const values = [...table.matchAll(/^\|[^|]*\|[^|\d]*(\d+) s[^|]*\|/gmu)].map(
      ([, seconds]) => Number(seconds) * 1_000,
    );
    expect(values).to.deep.equal(TIMEOUTS);
  });
});
