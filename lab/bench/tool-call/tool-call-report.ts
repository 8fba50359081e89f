import { formatTable } from "../support/format-table.ts";
import type { Machine } from "../support/machine.ts";
import { percentile } from "../support/percentile.ts";

/** The compared ways to call a tool: the first is what the others are compared with. */
export const WAYS = ["sdk", "read", "write"] as const;
export type Way = (typeof WAYS)[number];

/** The times of one way. */
interface WayCost {
  readonly p50_ms: number;
  readonly p95_ms: number;
  /** p50 over that of the SDK. */
  readonly p50_ratio: number;
  readonly p95_ratio: number;
  /** The median of the differences to the SDK within a round. */
  readonly added_p50_ms: number;
  /** `added_p50_ms` divided by the time of one bare commit in the same run. */
  readonly added_bare_commits: number;
}

export interface ToolCallReport {
  readonly benchmark: "tool-call";
  readonly started_at: string;
  readonly machine: Machine;
  readonly settings: { readonly rounds: number };
  readonly bare_commit_p50_ms: number;
  readonly sdk: WayCost;
  readonly read: WayCost;
  readonly write: WayCost;
}

interface Measured {
  readonly startedAt: Date;
  readonly machine: Machine;
  /** Milliseconds of each round. */
  readonly times: Readonly<Record<Way, readonly number[]>>;
  readonly commits: readonly number[];
}

/** Computes the figures from the times of all rounds. */
export function toolCallReport({ startedAt, machine, times, commits }: Measured): ToolCallReport {
  const commitMs = percentile(commits, 0.5);
  const cost = (way: Way): WayCost => {
    const at = (share: number) => percentile(times[way], share);
    const added = percentile(
      times[way].map((ms, round) => ms - (times.sdk[round] ?? Number.NaN)),
      0.5,
    );
    return {
      p50_ms: at(0.5),
      p95_ms: at(0.95),
      p50_ratio: at(0.5) / percentile(times.sdk, 0.5),
      p95_ratio: at(0.95) / percentile(times.sdk, 0.95),
      added_p50_ms: added,
      added_bare_commits: added / commitMs,
    };
  };
  return {
    benchmark: "tool-call",
    started_at: startedAt.toISOString(),
    machine,
    settings: { rounds: times.sdk.length },
    bare_commit_p50_ms: commitMs,
    sdk: cost("sdk"),
    read: cost("read"),
    write: cost("write"),
  };
}

/** The report as text. */
export function renderToolCallReport(report: ToolCallReport): string {
  const { machine, settings, bare_commit_p50_ms: commitMs } = report;
  const row = (name: string, cost: WayCost) => [
    name,
    cost.p50_ms,
    cost.p95_ms,
    cost.p50_ratio,
    cost.p95_ratio,
    cost.added_p50_ms,
    cost.added_bare_commits,
  ];
  const table = formatTable([
    ["", "p50 ms", "p95 ms", "p50 ratio", "p95 ratio", "added p50 ms", "bare commits"],
    row("SDK alone", report.sdk),
    row("a read, by the tool-runner", report.read),
    row("a write, by the tool-runner", report.write),
  ]);
  const where = `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, Postgres ${machine.postgres}`;
  return `\n${where}\n${settings.rounds} rounds of one call each; one bare commit ${commitMs.toFixed(2)} ms\n\n${table}\n`;
}
