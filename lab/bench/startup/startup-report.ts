import type { ServiceName } from "../../../test/support/spawn-service.ts";
import { formatTable } from "../support/format-table.ts";
import { percentile } from "../support/percentile.ts";
import type { StartupArm } from "./arm.ts";
import type { StartFigures, StartRound } from "./measure-start.ts";

/** Every round of an arm. */
export interface ArmRounds {
  readonly arm: StartupArm["name"];
  readonly rounds: readonly StartRound[];
}

type Figure = keyof StartFigures;

const COLUMNS: readonly (readonly [Figure, string])[] = [
  ["cpu_until_ready_ms", "CPU ms until ready"],
  ["cpu_settled_ms", "CPU ms settled"],
  ["wall_until_ready_ms", "ms until ready"],
  ["pss_mb", "PSS MB"],
  ["anon_mb", "of which anonymous"],
];

/** The figures of all services together, per round. */
function totals(rounds: readonly StartRound[], figure: Figure): number[] {
  return rounds.map((round) => [...round.values()].reduce((sum, figures) => sum + figures[figure], 0));
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function services(rounds: readonly StartRound[]): readonly ServiceName[] {
  return [...(rounds[0]?.keys() ?? [])];
}

/** The medians over the rounds, per service and in total, of one arm: the shape of the JSON. */
export function summarizeArm({ arm, rounds }: ArmRounds): object {
  const figures = (of: (figure: Figure) => readonly number[]) =>
    Object.fromEntries(COLUMNS.map(([figure]) => [figure, median(of(figure))]));
  const perService: Record<string, object> = {};
  for (const name of services(rounds)) {
    perService[name] = figures((figure) => rounds.flatMap((round) => round.get(name)?.[figure] ?? []));
  }
  return {
    arm,
    total: figures((figure) => totals(rounds, figure)),
    services: perService,
  };
}

/** Tables of the medians per arm, and the ratio of every arm's totals to those of `baseline` by round, for people. */
export function renderStartup(arms: readonly ArmRounds[]): string {
  const baseline = arms.find(({ arm }) => arm === "tree") ?? arms[0];
  const tables = arms.map(({ arm, rounds }) => {
    const row = (name: string, of: (figure: Figure) => readonly number[]) => [
      name,
      ...COLUMNS.map(([figure]) => median(of(figure))),
    ];
    const rows = services(rounds).map((name) =>
      row(name, (figure) => rounds.flatMap((round) => round.get(name)?.[figure] ?? [])),
    );
    return formatTable([
      [arm, ...COLUMNS.map(([, title]) => title)],
      ...rows,
      row("total", (figure) => totals(rounds, figure)),
    ]);
  });
  const ratios = arms
    .filter((other) => other !== baseline)
    .map((other) => [
      `${other.arm} / ${baseline?.arm ?? ""}`,
      ...COLUMNS.map(([figure]) =>
        ratio(totals(other.rounds, figure), totals(baseline?.rounds ?? [], figure)),
      ),
    ]);
  const compared =
    ratios.length === 0
      ? []
      : [`${formatTable([["median (least to most)", ...COLUMNS.map(([, title]) => title)], ...ratios])}\n`];
  return `\n${[...tables, ...compared].join("\n\n")}`;
}

function ratio(values: readonly number[], of: readonly number[]): string {
  const ratios = values.map((value, index) => value / (of[index] ?? Number.NaN));
  const [middle, least, most] = [0.5, 0, 1].map((share) => percentile(ratios, share).toFixed(2));
  return `${middle} (${least} to ${most})`;
}
