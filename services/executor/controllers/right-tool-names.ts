import type { ToolDescription } from "#shared/contracts/tool-list.ts";

const MAX_NAMES = 3;
/** A name with other characters could be a sentence of its server. */
const PLAIN = /^[\w.-]{3,200}$/u;

/**
 * The tools that a model may have meant by a name that is none: written without its server, with other separators
 * (`server__tool`, `server/tool`), in other case, or behind a provider's prefix. At most three; empty if none is like it.
 */
export function rightToolNames(written: string, tools: readonly Pick<ToolDescription, "name">[]): string[] {
  const meant = lettersOf(written.slice(0, 500));
  if (meant === "") return [];
  const whole = tools.filter(({ name }) => meant.endsWith(lettersOf(name)));
  const found =
    whole.length > 0
      ? whole
      : tools.filter(({ name }) => lettersOf(name.slice(name.indexOf(".") + 1)) === meant);
  return found
    .map(({ name }) => name)
    .filter((name) => PLAIN.test(name))
    .slice(0, MAX_NAMES);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** What the model is told of the tools that it may have meant; empty if there are none. */
export function rightNamesHint(names: readonly string[]): string {
  const [only, ...others] = names.map((name) => `"${name}"`);
  if (only === undefined) return "";
  return others.length === 0 ? `call ${only} instead` : `call one of ${[only, ...others].join(", ")} instead`;
}
