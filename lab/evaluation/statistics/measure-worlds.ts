import type { JudgedCell } from "../results/judged-cell.ts";
import { bootstrapInterval } from "./bootstrap-interval.ts";
import { mcnemar } from "./mcnemar.ts";
import { quantile } from "./quantile.ts";
import { wilsonInterval } from "./wilson-interval.ts";

/** A share with its 95 % interval. */
export interface Share {
  readonly of: number;
  readonly value: number | null;
  readonly low: number;
  readonly high: number;
}

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
  readonly against: { readonly better: number; readonly worse: number; readonly p: number } | null;
}

/** The measures of each variant over the cells of worlds; none without such cells. */
export function measureWorlds(variants: readonly string[], all: readonly JudgedCell[]): WorldMeasures[] {
  const cells = all.filter(isOfWorld);
  if (cells.length === 0) return [];
  return variants.map((variant) => measure(variant, cells, variants[0] ?? ""));
}

type WorldCell = JudgedCell & { readonly world: NonNullable<JudgedCell["world"]> };

/** A cell that the run did not come to says nothing. */
function isOfWorld(cell: JudgedCell): cell is WorldCell {
  return cell.world !== undefined && cell.state !== "missing";
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

function isRight({ world }: WorldCell): boolean {
  return world.grade?.a1 === true;
}

/**
 * Runs of one incident are alike, so incidents are drawn. Wilson's interval, with an incident as a trial, is for incidents of one cell, and for
 * those that do not differ, of which every draw is the same.
 */
function shareOf(cells: readonly WorldCell[], isCounted: (cell: WorldCell) => boolean): Share {
  const counted = cells.filter(isCounted).length;
  const incidents = [...Map.groupBy(cells, ({ world }) => world.incident).values()];
  const trials = incidents.map((own) => own.map(isCounted));
  const shares = new Set(trials.map((own) => own.filter(Boolean).length / own.length));
  const interval =
    shares.size <= 1 || trials.every((own) => own.length === 1)
      ? wilsonInterval(cells.length === 0 ? 0 : (counted / cells.length) * trials.length, trials.length)
      : bootstrapInterval(trials);
  return { of: cells.length, value: cells.length === 0 ? null : counted / cells.length, ...interval };
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
  return [
    ...(clean.length === cells.length ? [] : [group("without leaks and thin worlds", clean)]),
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
    return isTheirs === undefined ? [] : [{ isMine, isTheirs }];
  });
  const better = both.filter(({ isMine, isTheirs }) => isMine && !isTheirs).length;
  const worse = both.filter(({ isMine, isTheirs }) => !isMine && isTheirs).length;
  return { better, worse, p: mcnemar(worse, better) };
}

function spread(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), p90: quantile(values, 0.9) };
}
