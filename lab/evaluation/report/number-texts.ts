import type { Report } from "./report.ts";

/** A share as whole percent; `–` for none. */
export function percentText(rate: number | null): string {
  return rate === null ? "–" : `${Math.round(rate * 100)} %`;
}

/** A count with one decimal where it is no whole number. */
export function countText(count: number): string {
  return Number.isInteger(count) ? String(count) : count.toFixed(1);
}

/** A mean with its standard deviation; `–` for none. */
export function meanText(value: { readonly mean: number; readonly sd: number } | null): string {
  return value === null ? "–" : `${value.mean.toFixed(1)} ± ${value.sd.toFixed(1)}`;
}

/** Which models have answered a variant, as their providers say; empty if they say nothing. */
export function answeredText({ answered }: Report["variants"][number]): string {
  return answered.map(({ asked, by }) => `${asked} answered as ${by.join(" and ")}`).join(", ");
}

/** A sentence about each model in whose place several ones have answered. */
export function changedModels(variants: Report["variants"]): readonly string[] {
  return variants.flatMap((variant) => {
    const changed = variant.answered.filter(({ by }) => by.length > 1);
    if (changed.length === 0) return [];
    return [
      `No figures of one model: in ${variant.name}, ${answeredText({ ...variant, answered: changed })}.`,
    ];
  });
}

/** A sentence about the variants that scripts have answered; empty if there are none. */
export function scriptedText(variants: Report["variants"]): string {
  const names = variants.flatMap(({ name, isScripted }) => (isScripted ? [name] : []));
  return names.length === 0 ? "" : `No figures of a model: a script has answered ${names.join(", ")}.`;
}
