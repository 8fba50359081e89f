import { Histogram, type Counter } from "prom-client";

/**
 * Creates the series of every combination of these label values with the value 0. Without it a series appears with its
 * first event already counted, and `rate()` does not see that event.
 */
export function startAtZero(
  metric: Counter | Histogram,
  values: Readonly<Record<string, readonly string[]>>,
): void {
  for (const labels of combinations(Object.entries(values))) {
    if (metric instanceof Histogram) metric.zero(labels);
    else metric.inc(labels, 0);
  }
}

type MetricLabels = Record<string, string>;

function combinations(labels: readonly (readonly [string, readonly string[]])[]): readonly MetricLabels[] {
  return labels.reduce<readonly MetricLabels[]>(
    (made, [label, values]) => made.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}
