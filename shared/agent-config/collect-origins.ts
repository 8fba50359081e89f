import type { Origin } from "#shared/agent-config/agent-config.ts";
import type { SourceMap } from "#shared/agent-config/source-map.ts";

/** Where every value of the given files was written, by its path; lists of text count as one value. */
export function collectOrigins(files: readonly object[], sources: SourceMap): Map<string, Origin> {
  const origins = new Map<string, Origin>();
  const visit = (container: object, key: string | number, value: unknown) => {
    const written = sources.find(container, key);
    if (written === undefined) return;
    const { path, file, line, variables } = written;
    if (typeof value !== "object" || value === null) {
      origins.set(path, { file, line, variables });
      return;
    }
    const entries: [string | number, unknown][] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(value);
    if (Array.isArray(value)) origins.set(path, { file, line, variables: variablesOf(value, sources) });
    for (const [innerKey, inner] of entries) visit(value, innerKey, inner);
  };
  for (const file of files) for (const [key, value] of Object.entries(file)) visit(file, key, value);
  return origins;
}

function variablesOf(list: readonly unknown[], sources: SourceMap): string[] {
  return list.flatMap((_item, index) => sources.find(list, index)?.variables ?? []);
}
