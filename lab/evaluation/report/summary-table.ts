import { durationText } from "../../../scripts/tarsy/terminal/terminal-style.ts";
import type { VariantSummary } from "../statistics/summarize-variants.ts";
import { countText, meanText, percentText } from "./number-texts.ts";
import { usdShown } from "./usd-shown.ts";

/** The heads of the summary, the variant first. */
export const SUMMARY_HEADS = [
  "Variant",
  "Passed",
  "Pass rate",
  "95 % interval",
  "Score",
  "Cost",
  "Cost per cell",
  "p50",
  "p95",
  "Tokens in",
  "Tokens out",
  "LLM calls",
  "Tool calls",
] as const;

/** One line of the summary, a text for each head. Tokens and calls are means per cell. */
export function summaryRow(summary: VariantSummary): readonly string[] {
  const { durationMs, interval, costUsd, meanCostUsd } = summary;
  const usd = (value: number | null) => (value === null ? "unknown" : usdShown(value));
  return [
    summary.variant,
    `${summary.passed}/${summary.done}`,
    percentText(summary.passRate),
    summary.done === 0 ? "–" : `${percentText(interval.low)} – ${percentText(interval.high)}`,
    meanText(summary.score),
    usd(costUsd),
    summary.done === 0 ? "–" : usd(meanCostUsd),
    durationMs === null ? "–" : durationText(durationMs.p50),
    durationMs === null ? "–" : durationText(durationMs.p95),
    countText(Math.round(summary.inputTokens)),
    countText(Math.round(summary.outputTokens)),
    countText(summary.llmCalls),
    countText(summary.toolCalls),
  ];
}
