/** The labels of a metric with their values so far, by the metric's name without the suffixes of a histogram. */
export type MetricFamilies = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** A series' name and labels, as in `name{a="x",b="y"} 1`. */
const SERIES = /^(?<name>\w+)(?:\{(?<labels>.*)\})? \S+$/u;
const LABEL = /(?<label>\w+)="(?<value>[^"]*)"/gu;

/** Reads the metrics of TARSY itself from Prometheus' text format. */
export function metricFamilies(text: string): MetricFamilies {
  const lines = text.split("\n");
  const typed = lines.flatMap((line) => /^# TYPE (?<name>tarsy_\w+) /u.exec(line)?.groups?.["name"] ?? []);
  const families = new Map(typed.map((name) => [name, new Map<string, Set<string>>()]));
  for (const line of lines) {
    const { name = "", labels = "" } = SERIES.exec(line)?.groups ?? {};
    const family = families.get(familyName(name, families));
    if (family === undefined) continue;
    for (const { groups } of labels.matchAll(LABEL)) {
      const label = groups?.["label"] ?? "";
      family.set(label, (family.get(label) ?? new Set()).add(groups?.["value"] ?? ""));
    }
  }
  return families;
}

/** The family that a series belongs to: a histogram has series with the suffixes `_bucket`, `_sum` and `_count`. */
export function familyName(series: string, known: { has(name: string): boolean }): string {
  return known.has(series) ? series : series.replace(/_(?:bucket|sum|count)$/u, "");
}
