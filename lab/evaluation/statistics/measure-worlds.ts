import { isOfWorld, isRight, type JudgedCell, type WorldCell } from "../results/judged-cell.ts";
import { measureAgreement } from "./measure-agreement.ts";
import { measureCalibration, type Calibration } from "./measure-calibration.ts";
import { quantile } from "./quantile.ts";
import { shareOfTrials, type Share } from "./share.ts";

interface Spread {
  readonly median: number | null;
  readonly p90: number | null;
}

/** How a variant did in worlds. Cells that could not be run are wrong. */
export interface WorldMeasures {
  readonly variant: string;
  readonly cells: number;
  readonly a1: Share;
  readonly a3: Share;
  readonly a1Strict: Share;
  /** Of the cases, those of which all repetitions, and any, are right. */
  readonly allOfK: Share;
  readonly anyOfK: Share;
  /** Of the pairs of repetitions, those whose first causes have the same object and kind. */
  readonly agreement: Share;
  /** How far the stated confidence is from the share that is right. */
  readonly calibration: Calibration;
  /** Cells without a conclusion as data, whose analysis a model has mapped to causes. */
  readonly mapped: number;
  /** Statements that a judge was asked about, and those that the answers say. */
  readonly must: Statements;
  readonly mustNot: Statements;
  /** Wrong and `confirmed`. */
  readonly falseConfidence: Share;
  /** Claims whose quotes were not found, of all; calls of tools that do not exist. */
  readonly claims: number;
  readonly unverifiedClaims: number;
  readonly unknownTools: number;
  /** Calls that the worlds know, of these without an answer; and what was answered as not there. */
  readonly calls: number;
  readonly misses: number;
  readonly absent: number;
  readonly masked: number;
  readonly steps: Spread;
  readonly tokens: Spread;
  readonly costUsd: Spread;
  readonly durationMs: Spread;
  readonly usdPerRight: number | null;
  /** By what the cells have in common: the share that is right. */
  readonly groups: readonly { readonly name: string; readonly a1: Share; readonly a3: Share }[];
  /** Against the first variant, by cases of which most repetitions are right; null for the first one. */
  readonly against: {
    readonly better: number;
    readonly worse: number;
    readonly p: number;
    /** The cases that only the first one has right. */
    readonly lost: readonly string[];
  } | null;
}

interface Statements {
  readonly asked: number;
  readonly said: number;
}

/** The measures of each variant over the cells of worlds; none without such cells. */
export function measureWorlds(variants: readonly string[], all: readonly JudgedCell[]): WorldMeasures[] {
  const cells = all.filter(isOfWorld);
  if (cells.length === 0) return [];
  return variants.map((variant) => measure(variant, cells, variants[0] ?? ""));
}

function measure(variant: string, all: readonly WorldCell[], baseline: string): WorldMeasures {
  const cells = all.filter((cell) => cell.variant === variant);
  const facts = cells.flatMap((cell) => (cell.state === "done" ? [cell.facts] : []));
  const worlds = facts.flatMap(({ world }) => world ?? []);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const share = (isCounted: (cell: WorldCell) => boolean) => shareOf(cells, isCounted);
  const costs = facts.map(({ cost_usd: cost }) => cost);
  const known = costs.flatMap((cost) => cost ?? []);
  const right = cells.filter(isRight).length;
  const misses = worlds.map((world) => sum(Object.values(world.misses)));
  return {
    variant,
    cells: cells.length,
    a1: share(isRight),
    a3: share(({ world }) => world.grade?.a3 === true),
    a1Strict: share(({ world }) => world.grade?.a1Strict === true),
    allOfK: shareOfCases(cells, (own) => own.every(isRight)),
    anyOfK: shareOfCases(cells, (own) => own.some(isRight)),
    agreement: measureAgreement(casesOf(cells)),
    calibration: measureCalibration(cells),
    mapped: cells.filter(({ world }) => world.isMapped).length,
    must: statementsOf(cells, "must"),
    mustNot: statementsOf(cells, "must_not"),
    falseConfidence: share(
      (cell) =>
        !isRight(cell) && cell.state === "done" && cell.facts.world?.conclusion?.status === "confirmed",
    ),
    claims: sum(worlds.map(({ claims }) => claims)),
    unverifiedClaims: sum(worlds.map(({ claims, verified_claims }) => claims - verified_claims)),
    unknownTools: sum(worlds.map(({ unknown_tools }) => unknown_tools)),
    calls: sum(worlds.map(({ calls }) => calls)),
    misses: sum(misses),
    absent: sum(worlds.map(({ absent }) => absent)),
    masked: sum(worlds.map(({ masked }) => masked)),
    steps: spread(facts.map(({ llm_calls, tool_calls }) => llm_calls + tool_calls.length)),
    tokens: spread(facts.map(({ input_tokens, output_tokens }) => input_tokens + output_tokens)),
    costUsd: spread(known),
    durationMs: spread(facts.map(({ duration_ms }) => duration_ms)),
    usdPerRight: right === 0 || known.length < costs.length ? null : sum(known) / right,
    groups: groupsOf(cells),
    against:
      variant === baseline
        ? null
        : against(
            cells,
            all.filter((cell) => cell.variant === baseline),
          ),
  };
}

/** Runs of one incident are alike. */
function shareOf(cells: readonly WorldCell[], isCounted: (cell: WorldCell) => boolean): Share {
  const incidents = [...Map.groupBy(cells, ({ world }) => world.incident).values()];
  return shareOfTrials(incidents.map((own) => own.map(isCounted)));
}

function statementsOf(
  cells: readonly WorldCell[],
  list: WorldCell["world"]["statements"][number]["list"],
): Statements {
  const asked = cells
    .flatMap(({ world }) => world.statements)
    .filter((one) => one.list === list && one.isSaid !== null);
  return { asked: asked.length, said: asked.filter(({ isSaid }) => isSaid).length };
}

function shareOfCases(cells: readonly WorldCell[], isCounted: (own: readonly WorldCell[]) => boolean): Share {
  const counted = new Map(casesOf(cells).map((own) => [own[0], isCounted(own)]));
  return shareOf(
    [...counted.keys()].flatMap((cell) => cell ?? []),
    (cell) => counted.get(cell) === true,
  );
}

function casesOf(cells: readonly WorldCell[]): readonly (readonly WorldCell[])[] {
  return [...Map.groupBy(cells, ({ case: name }) => name).values()];
}

function groupsOf(cells: readonly WorldCell[]): WorldMeasures["groups"] {
  const group = (name: string, own: readonly WorldCell[]) => ({
    name,
    a1: shareOf(own, isRight),
    a3: shareOf(own, ({ world }) => world.grade?.a3 === true),
  });
  const by = (title: string, key: (cell: WorldCell) => string) =>
    [...Map.groupBy(cells, key)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, own]) => group(`${title} ${name}`, own));
  const clean = cells.filter(({ world }) => !world.isLeak && !world.isThin);
  const mapped = cells.filter(({ world }) => world.isMapped);
  return [
    ...(clean.length === cells.length ? [] : [group("without leaks and thin worlds", clean)]),
    ...(mapped.length === 0
      ? []
      : [
          group("mapped from text", mapped),
          group(
            "not mapped",
            cells.filter(({ world }) => !world.isMapped),
          ),
        ]),
    ...by("category", ({ world }) => world.category),
    ...by("difficulty", ({ world }) => world.difficulty),
  ];
}

function against(own: readonly WorldCell[], first: readonly WorldCell[]): WorldMeasures["against"] {
  const mostly = (cells: readonly WorldCell[]) =>
    new Map(
      casesOf(cells).map((ofCase) => [ofCase[0]?.case, ofCase.filter(isRight).length * 2 > ofCase.length]),
    );
  const [mine, theirs] = [mostly(own), mostly(first)];
  const both = [...mine].flatMap(([name, isMine]) => {
    const isTheirs = theirs.get(name);
    return name === undefined || isTheirs === undefined ? [] : [{ name, isMine, isTheirs }];
  });
  const better = both.filter(({ isMine, isTheirs }) => isMine && !isTheirs).length;
  const lost = both.filter(({ isMine, isTheirs }) => !isMine && isTheirs).map(({ name }) => name);
  return { better, worse: lost.length, p: mcnemar(lost.length, better), lost };
}

function spread(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), p90: quantile(values, 0.9) };
}

/** The two-sided p of McNemar's exact test: how likely pairs differ at least so unequally although neither is better. */
export function mcnemar(onlyFirst: number, onlySecond: number): number {
  const pairs = onlyFirst + onlySecond;
  let [ways, fewer] = [1, 0];
  for (let n = 0; n <= Math.min(onlyFirst, onlySecond); n += 1) {
    // Both factors are numbers up to the thousand cases of a suite.
    fewer += ways * 2 ** -pairs;
    ways = (ways * (pairs - n)) / (n + 1);
  }
  return Math.min(1, 2 * fewer);
}
