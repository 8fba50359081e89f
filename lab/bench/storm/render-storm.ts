import { formatTable } from "../support/format-table.ts";
import { percentile } from "../support/percentile.ts";

/** The figures of one round. */
export interface StormFigures {
  /** Until the last client has its whole history. */
  readonly whole_ms: number;
  readonly server_cpu_ms: number;
  /** Since the server's start. */
  readonly server_rss_peak_mb: number;
  readonly received_mb: number;
  readonly events: number;
}

/** Both ways, one after the other. */
export interface StormRound {
  readonly plain: StormFigures;
  readonly storm: StormFigures;
}

/** The medians of both ways and of their ratios, for people. */
export function renderStorm(
  { clients, sessions, events }: { clients: number; sessions: number; events: number },
  rounds: readonly StormRound[],
): string {
  const row = (name: string, of: (round: StormRound) => StormFigures) => {
    const median = (key: keyof StormFigures) =>
      percentile(
        rounds.map((round) => of(round)[key]),
        0.5,
      );
    return [
      name,
      median("whole_ms"),
      median("server_cpu_ms"),
      median("server_rss_peak_mb"),
      median("received_mb"),
    ];
  };
  const table = formatTable([
    ["", "whole ms", "server CPU ms", "RSS peak MB", "received MB"],
    row("writing alone", ({ plain }) => plain),
    row("storm", ({ storm }) => storm),
  ]);
  const ratios = rounds.map(({ plain, storm }) => storm.whole_ms / plain.whole_ms);
  const [median, least, most] = [0.5, 0, 1].map((p) => percentile(ratios, p).toFixed(2));
  return `
${clients} clients return at once to ${sessions} sessions with ${events} events, which get one event per second.

${table}

The storm takes ${median} times as long as writing alone (${least} to ${most} in ${rounds.length} rounds). It includes connecting.
`;
}
