import { durationText } from "../../../scripts/tarsy/terminal/terminal-style.ts";
import type { Share, WorldMeasures } from "../statistics/measure-worlds.ts";
import { countText, percentText } from "./number-texts.ts";
import type { Report } from "./report.ts";
import { usdShown } from "./usd-shown.ts";

/** A table of texts, the name of a row first. */
export interface TextTable {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** How the variants did in worlds; none for a suite without worlds. */
export function worldTables({ worlds }: Pick<Report, "worlds">): readonly TextTable[] {
  if (worlds.length === 0) return [];
  return [
    {
      title: "Worlds",
      heads: [
        "Variant",
        "a1",
        "95 % interval",
        "a3",
        "Strict",
        "All of k",
        "Any of k",
        "False confidence",
        "Claims not found",
        "Unknown tools",
        "Misses",
        "Absent",
        "Masked",
      ],
      rows: worlds.map(rightRow),
    },
    {
      title: "Worlds: what an investigation takes, median and 90th percentile",
      heads: ["Variant", "Steps", "Tokens", "Cost", "Time", "Cost per right answer"],
      rows: worlds.map(effortRow),
    },
    {
      title: "Worlds by what they have in common",
      heads: ["Variant", "Worlds", "Cells", "a1", "95 % interval", "a3"],
      rows: worlds.flatMap(({ variant, groups }) =>
        groups.map(({ name, a1, a3 }) => [
          variant,
          name,
          String(a1.of),
          percentText(a1.value),
          intervalText(a1),
          percentText(a3.value),
        ]),
      ),
    },
  ];
}

/** How the others did against the first variant, a sentence each. A difference that chance explains is no ranking. */
export function worldComparisons({ worlds }: Pick<Report, "worlds">): readonly string[] {
  return worlds.flatMap(({ variant, against }) => {
    if (against === null) return [];
    const { better, worse, p } = against;
    const what = p < 0.05 ? "" : ": chance explains the difference";
    return [
      `${variant} against ${worlds[0]?.variant ?? ""} in worlds: right in ${better} where the other is not, wrong in ${worse} where it is not (McNemar p = ${p.toFixed(3)})${what}`,
    ];
  });
}

function rightRow(measures: WorldMeasures): readonly string[] {
  const { variant, a1, a3, a1Strict, allOfK, anyOfK, falseConfidence, calls } = measures;
  const part = (count: number, of: number) => `${count}/${of}`;
  return [
    variant,
    percentText(a1.value),
    intervalText(a1),
    ...[a3, a1Strict, allOfK, anyOfK, falseConfidence].map(({ value }) => percentText(value)),
    part(measures.unverifiedClaims, measures.claims),
    String(measures.unknownTools),
    part(measures.misses, calls),
    part(measures.absent, calls),
    String(measures.masked),
  ];
}

function effortRow({ variant, steps, tokens, costUsd, durationMs, usdPerRight }: WorldMeasures) {
  const both = ({ median, p90 }: WorldMeasures["steps"], text: (value: number) => string) =>
    median === null || p90 === null ? "–" : `${text(median)} / ${text(p90)}`;
  const whole = (value: number) => countText(Math.round(value));
  return [
    variant,
    both(steps, countText),
    both(tokens, whole),
    both(costUsd, usdShown),
    both(durationMs, durationText),
    usdPerRight === null ? "–" : usdShown(usdPerRight),
  ];
}

function intervalText({ of, low, high }: Share): string {
  return of === 0 ? "–" : `${percentText(low)} – ${percentText(high)}`;
}
