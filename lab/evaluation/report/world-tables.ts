import { durationText } from "../../../scripts/tarsy/terminal/terminal-style.ts";
import type { WorldMeasures } from "../statistics/measure-worlds.ts";
import type { Share } from "../statistics/share.ts";
import { countText, percentText } from "./number-texts.ts";
import type { Report } from "./report.ts";
import { usdShown } from "./usd-shown.ts";

/** The names of lost cases that a sentence lists; report.json has all. */
const MAX_LOST = 20;

/** A table of texts, the name of a row first. */
export interface TextTable {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** How the variants did in worlds; none for a suite without worlds. */
export function worldTables({
  worlds,
  sources,
  prices,
}: Pick<Report, "worlds" | "sources" | "prices">): readonly TextTable[] {
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
      title: "Worlds: how steady and how sure, and what the judge has found",
      heads: [
        "Variant",
        "All of k",
        "Any of k",
        "Repetitions agree",
        "Calibration error",
        "Mapped",
        "Must",
        "Must not",
      ],
      rows: worlds.map(steadyRow),
    },
    {
      title: "Worlds: stated confidence",
      heads: ["Variant", "Confidence", "Cells", "Mean", "Right"],
      rows: worlds.flatMap(({ variant, calibration: { bins } }) =>
        bins.map(({ from, to, cells, confidence, right }) => [
          variant,
          `${from} – ${to === 100 ? to : to - 1} %`,
          String(cells),
          percentText(confidence),
          percentText(right),
        ]),
      ),
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
    ...origins({ sources, prices }),
  ].filter(({ rows }) => rows.length > 0);
}

/** What a figure rests on: where its worlds come from, and what its models cost. */
function origins({ sources, prices }: Pick<Report, "sources" | "prices">): readonly TextTable[] {
  return [
    {
      title: "Where the worlds come from",
      heads: ["Source", "Repository", "Commit", "Importer", "Worlds", "Hash"],
      rows: sources.map(({ name, repository, commit, importer, worlds: count, hash }) => [
        name,
        repository,
        commit.slice(0, 12),
        importer,
        String(count),
        hash.slice(0, 12),
      ]),
    },
    {
      title: "Prices, in USD for a million tokens",
      heads: ["Model", "Input", "Output", "From"],
      rows: prices.map(({ model, input, output, from }) => [
        model,
        input === null ? "unknown" : String(input),
        output === null ? "unknown" : String(output),
        from ?? "–",
      ]),
    },
  ];
}

/** How the others did against the first variant, a sentence each. A difference that chance explains is no ranking. */
export function worldComparisons({ worlds }: Pick<Report, "worlds">): readonly string[] {
  return worlds.flatMap(({ variant, against }) => {
    if (against === null) return [];
    const { better, worse, p, lost } = against;
    const more = lost.length - MAX_LOST;
    const names = `${lost.slice(0, MAX_LOST).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    const what = p < 0.05 ? "" : ": chance explains the difference";
    return [
      `${variant} against ${worlds[0]?.variant ?? ""} in worlds: right in ${better} where the other is not, wrong in ${worse} where it is not (McNemar p = ${p.toFixed(3)})${what}${lost.length === 0 ? "" : `. Lost: ${names}`}`,
    ];
  });
}

function rightRow(measures: WorldMeasures): readonly string[] {
  const { variant, a1, a3, a1Strict, falseConfidence, calls } = measures;
  return [
    variant,
    percentText(a1.value),
    intervalText(a1),
    ...[a3, a1Strict, falseConfidence].map(({ value }) => percentText(value)),
    part(measures.unverifiedClaims, measures.claims),
    String(measures.unknownTools),
    part(measures.misses, calls),
    part(measures.absent, calls),
    String(measures.masked),
  ];
}

function part(count: number, of: number): string {
  return `${count}/${of}`;
}

function steadyRow(measures: WorldMeasures): readonly string[] {
  const { variant, allOfK, anyOfK, agreement, calibration, mapped, cells } = measures;
  const said = ({ said: count, asked }: WorldMeasures["must"]) => (asked === 0 ? "–" : part(count, asked));
  return [
    variant,
    ...[allOfK.value, anyOfK.value, agreement.value, calibration.error].map(percentText),
    part(mapped, cells),
    said(measures.must),
    said(measures.mustNot),
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
