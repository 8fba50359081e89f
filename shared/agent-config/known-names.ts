import type { SourceMap } from "#shared/agent-config/source-map.ts";

/**
 * The names a reference to a section may use: the built-in ones and all that are written in it, entries with
 * mistakes included, for those are wrong themselves and not unknown. Undefined if it cannot be told, because
 * the file or the section could not be read.
 */
export function knownNames(
  builtIn: ReadonlyMap<string, unknown>,
  file: object | undefined,
  section: string,
  sources: SourceMap,
): ReadonlySet<string> | undefined {
  if (file === undefined) return undefined;
  const entries: unknown = Reflect.get(file, section);
  if (typeof entries !== "object" || entries === null) {
    return sources.hasChild(file, section) ? undefined : new Set(builtIn.keys());
  }
  return new Set([...builtIn.keys(), ...sources.keys(entries)]);
}
