import { MCP_STATE_CONFIRM_MS } from "#shared/contracts/durations.ts";
import type { McpServerState, StoredTool } from "#shared/contracts/mcp-server-state.ts";
import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import type { Database } from "#shared/database/database.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Masker } from "#shared/masking/masker.ts";
import { rulesOfServer, type MaskingRules } from "#shared/masking/masking-rules.ts";
import { jitter, pause } from "#shared/pause.ts";
import { safeCut } from "#shared/safe-cut.ts";
import type { Logger } from "#shared/service/logger.ts";
import type { ServerTools } from "./mcp/list-tools.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";
import type { ServerReport } from "./mcp/server-report.ts";
import { ServerStateRows, type StateRow } from "./server-state-rows.ts";

const MAX_ERROR_CHARS = 300;
const MAX_DESCRIPTION_CHARS = 500;

/** Milliseconds. */
interface StateTimes {
  readonly lookEvery: number;
  /** The interval at which the rows are confirmed while nothing changes. */
  readonly confirmEvery: number;
  /** A server that nothing was heard of for this long is asked for its tools; one that fails, sooner. */
  readonly probeAfter: number;
  readonly probeFailingAfter: number;
  /** A server that was asked and has never answered is down after this long. */
  readonly downAfter: number;
}

const TIMES: StateTimes = {
  lookEvery: 2_000,
  confirmEvery: MCP_STATE_CONFIRM_MS,
  probeAfter: 60_000,
  probeFailingAfter: 15_000,
  downAfter: 5_000,
};

interface ServerStatesOptions {
  readonly db: Database;
  readonly log: Logger;
  /** The runner that the rows are of, and where it runs. */
  readonly runner: { readonly id: string; readonly host: string };
  readonly servers: Pick<McpServers, "all" | "find"> | undefined;
  /** The tools that stand in for those of servers. */
  readonly stubs: readonly ToolDescription[];
  /** Keyed by id, why a configured server cannot be used. */
  readonly unavailable: ReadonlyMap<string, string>;
  readonly masker: Masker;
  /** Keyed by server id. */
  readonly maskingRules: ReadonlyMap<string, MaskingRules>;
  readonly times?: StateTimes;
}

/**
 * Keeps the rows of this runner in `mcp_server_states`: what calls and listings show of each server, and what a probe shows
 * of one that nothing was heard of for a minute.
 */
export class ServerStates implements AsyncDisposable {
  readonly #options: ServerStatesOptions;
  readonly #times: StateTimes;
  readonly #stored: ServerStateRows;
  readonly #stopped = new AbortController();
  readonly #work: Promise<void>;
  readonly #probing = new Set<string>();
  readonly #tools = new Map<
    string,
    { readonly listed: ServerTools; readonly stored: readonly StoredTool[] }
  >();
  #written = "";
  #confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ServerStatesOptions) {
    this.#options = options;
    this.#times = options.times ?? TIMES;
    this.#stored = new ServerStateRows(options.db, options.runner);
    this.#work = this.#run();
  }

  /** Removes the rows: a runner that has stopped says nothing of any server. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort(new Error("the runner stops"));
    await this.#work;
    await this.#stored
      .remove()
      .catch((error: unknown) =>
        this.#options.log.warn({ error: errorMessage(error) }, "states of MCP servers not removed"),
      );
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        const reports = this.#options.servers?.all.map(({ report }) => report) ?? [];
        for (const report of reports) this.#look(report);
        await this.#store(await this.#rows(reports));
      } catch (error) {
        if (!signal.aborted) {
          this.#options.log.warn(
            { error: errorMessage(error) },
            "states of MCP servers not stored: retrying",
          );
        }
      }
      await pause(jitter(this.#times.lookEvery), signal).catch(() => undefined);
    }
  }

  #look(report: ServerReport): void {
    const { id, health } = report;
    const limitMs = health.isWell ? this.#times.probeAfter : this.#times.probeFailingAfter;
    const isIdle = health.checkedAt !== undefined && Date.now() - health.checkedAt.getTime() >= limitMs;
    if (isIdle && !this.#probing.has(id)) {
      this.#probing.add(id);
      void this.#options.servers
        ?.find(id)
        ?.probe()
        .finally(() => this.#probing.delete(id));
    }
  }

  async #store(rows: readonly StateRow[]): Promise<void> {
    if (rows.length === 0) return;
    const content = JSON.stringify(rows.map(({ last_check_at: _at, ...row }) => row));
    const isSame = content === this.#written;
    if (isSame && performance.now() - this.#confirmedAt < this.#times.confirmEvery) return;
    // The rows may have been removed after a long outage of Postgres.
    if (!isSame || !(await this.#stored.confirm(rows))) await this.#stored.write(rows);
    this.#written = content;
    this.#confirmedAt = performance.now();
  }

  async #rows(reports: readonly ServerReport[]): Promise<StateRow[]> {
    const { stubs, unavailable } = this.#options;
    const stubbed = new Set(stubs.map(({ server }) => server));
    const misconfigured = [...unavailable].filter(([id]) => !stubbed.has(id));
    const rows = await Promise.all([
      ...reports.map(async (report) => this.#reportRow(report)),
      ...misconfigured.map(async ([id, why]) => this.#misconfiguredRow(id, why)),
    ]);
    return [...rows, ...[...stubbed].map((id) => this.#stubRow(id))];
  }

  async #reportRow(report: ServerReport): Promise<StateRow> {
    const { id, health, tools, isUsable, era, version } = report;
    const { failure, checkedAt, isWell } = health;
    const isSilent = checkedAt === undefined && report.unansweredMs >= this.#times.downAfter;
    const leftOut = tools?.leftOut ?? "";
    return {
      ...EMPTY,
      server: id,
      state: isSilent ? "down" : stateOf({ checkedAt, isWell, isUsable }),
      era: era ?? null,
      version: version === undefined ? null : await this.#masked(id, version, MAX_ERROR_CHARS),
      tools: tools === undefined ? [] : await this.#storedTools(id, tools),
      ...(isSilent ? { error_code: "timeout", error: "the server has not answered yet" } : {}),
      ...(leftOut === ""
        ? {}
        : { error_code: "tools_left_out", error: leftOut.slice(0, safeCut(leftOut, MAX_ERROR_CHARS)) }),
      ...(isWell || failure === undefined
        ? {}
        : { error_code: failure.code, error: await this.#masked(id, failure.message, MAX_ERROR_CHARS) }),
      last_check_at: checkedAt?.toISOString() ?? null,
      last_error_at: failure?.at.toISOString() ?? null,
    };
  }

  /** Masked once per list. */
  async #storedTools(id: string, listed: ServerTools): Promise<readonly StoredTool[]> {
    const known = this.#tools.get(id);
    if (known?.listed === listed) return known.stored;
    const stored = await Promise.all(
      listed.tools.map(async ({ name, description, effect, isEffectKnown, needsApproval }) => ({
        name,
        description: await this.#masked(id, description, MAX_DESCRIPTION_CHARS),
        effect,
        effect_known: isEffectKnown,
        ...(needsApproval ? { needs_approval: true } : {}),
      })),
    );
    this.#tools.set(id, { listed, stored });
    return stored;
  }

  #stubRow(id: string): StateRow {
    const tools = this.#options.stubs
      .filter(({ server }) => server === id)
      .map(({ name, description, effect, effect_known: isKnown, needs_approval: asks }) => ({
        name: name.slice(id.length + 1),
        description: description.slice(0, safeCut(description, MAX_DESCRIPTION_CHARS)),
        ...(effect === undefined ? {} : { effect }),
        ...(isKnown === undefined ? {} : { effect_known: isKnown }),
        ...(asks === undefined ? {} : { needs_approval: asks }),
      }));
    return { ...EMPTY, server: id, state: "healthy", version: "stub-tools.yaml", tools };
  }

  async #misconfiguredRow(id: string, why: string): Promise<StateRow> {
    const error = await this.#masked(id, why, MAX_ERROR_CHARS);
    return { ...EMPTY, server: id, state: "misconfigured", error_code: "misconfigured", error };
  }

  async #masked(server: string, text: string, maxChars: number): Promise<string> {
    const { masker, maskingRules } = this.#options;
    const rules = maskingRules.get(server) ?? rulesOfServer();
    const masked = await masker.mask(text, { rules }).catch(() => ({ text: "[withheld: masking failed]" }));
    return masked.text.slice(0, safeCut(masked.text, maxChars));
  }
}

const EMPTY = {
  era: null,
  version: null,
  tools: [],
  error_code: null,
  error: null,
  last_check_at: null,
  last_error_at: null,
} as const;

function stateOf({
  checkedAt,
  isWell,
  isUsable,
}: Pick<ServerReport["health"], "checkedAt" | "isWell"> & { readonly isUsable: boolean }): McpServerState {
  if (checkedAt === undefined) return "unused";
  if (isWell) return "healthy";
  return isUsable ? "degraded" : "down";
}
