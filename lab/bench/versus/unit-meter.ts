import { pause } from "#shared/pause.ts";
import { postAlerts } from "../support/post-alerts.ts";
import { readCpuSeconds } from "../support/process-usage.ts";
import type { ArmFigures } from "./comparison.ts";
import { assertDoneOnce } from "./exactly-once.ts";
import type { UnitSystem } from "./unit-system.ts";

const POLL_MS = 50;
/** The wait fails if no unit ends for this long. */
const STUCK_MS = 120_000;

interface UnitLoad {
  /** The system's name in errors. */
  readonly name: string;
  /** What a unit is called in the names of the figures. */
  readonly unit: string;
  readonly count: number;
  readonly clients: number;
  readonly signal: AbortSignal;
}

/** Sends loads to one system and knows every unit that it accepted. */
export class UnitMeter {
  readonly #system: UnitSystem;
  readonly #accepted = new Set<string>();

  constructor(system: UnitSystem) {
    this.#system = system;
  }

  /**
   * Submits units from concurrent clients and waits until all are done. Resolves with units per second, from the first
   * request to the last completion, and the costs per unit. Throws if one is lost or done twice.
   */
  async run({ name, unit, count, clients, signal }: UnitLoad): Promise<ArmFigures> {
    const { measured, api } = this.#system;
    const cpuBefore = await this.#cpuSeconds();
    const costs = await measured.startCounting();
    const startedAt = performance.now();
    const { sessionIds } = await postAlerts({ api, count, clients, signal });
    this.#remember(name, sessionIds, count);
    await this.untilDone(name, signal);
    const seconds = (performance.now() - startedAt) / 1_000;
    const postgres = await costs(count, unit);
    const cpu = (await this.#cpuSeconds()) - cpuBefore;
    await this.check(name);
    return {
      [`${unit}s_per_s`]: count / seconds,
      [`cpu_ms_per_${unit}`]: (cpu * 1_000) / count,
      ...postgres,
    };
  }

  /** Submits units that no worker runs, and throws unless each is stored once. The names of the figures end in `_CLIENTS`. */
  async accept({ name, unit, count, clients, signal }: UnitLoad): Promise<ArmFigures> {
    const { measured, api } = this.#system;
    const cpuBefore = await this.#cpuSeconds();
    const costs = await measured.startCounting();
    const { sessionIds, alertsPerSecond, p50Ms } = await postAlerts({ api, count, clients, signal });
    const { [`postgres_cpu_ms_per_${unit}`]: postgresMs = Number.NaN } = await costs(count, unit);
    const cpu = (await this.#cpuSeconds()) - cpuBefore;
    this.#remember(name, sessionIds, count);
    const stored = await this.#system.timesDone();
    assertDoneOnce(this.#accepted, new Map([...stored.keys()].map((id) => [id, 1])), name);
    const at = `with_${clients}_client${clients === 1 ? "" : "s"}`;
    return {
      [`${at}_accepted_${unit}s_per_s`]: alertsPerSecond,
      [`${at}_accept_p50_ms`]: p50Ms,
      [`${at}_cpu_ms_per_accepted_${unit}`]: (cpu * 1_000) / count,
      [`${at}_postgres_cpu_ms_per_accepted_${unit}`]: postgresMs,
    };
  }

  /** Adds units that were submitted elsewhere to those that `check` expects. */
  remember(ids: readonly string[]): void {
    for (const id of ids) this.#accepted.add(id);
  }

  /** Resolves once nothing is unfinished. Throws if no unit ends for two minutes, and the signal's reason. */
  async untilDone(name: string, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
    let [left, movedAt] = [Number.POSITIVE_INFINITY, performance.now()];
    for (;;) {
      signal.throwIfAborted();
      const unfinished = await this.#system.unfinished();
      if (unfinished === 0) return;
      const now = performance.now();
      if (unfinished < left) [left, movedAt] = [unfinished, now];
      if (now - movedAt > STUCK_MS) {
        throw new Error(`${name}: no unit of work has ended for ${STUCK_MS / 1_000} s: ${left} are left`);
      }
      await pause(pollMs, signal);
    }
  }

  /** Throws unless every unit so far was done exactly once. */
  async check(name: string): Promise<void> {
    assertDoneOnce(this.#accepted, await this.#system.timesDone(), name);
  }

  #remember(name: string, ids: readonly string[], count: number): void {
    const before = this.#accepted.size;
    this.remember(ids);
    if (this.#accepted.size !== before + count) {
      throw new Error(
        `${name}: ${count} units of work were submitted and got ${this.#accepted.size - before} ids`,
      );
    }
  }

  async #cpuSeconds(): Promise<number> {
    return readCpuSeconds(this.#system.pids());
  }
}
