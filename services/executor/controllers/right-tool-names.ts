import type { ToolDescription } from "#shared/contracts/tool-list.ts";
import { toolNameParts } from "#shared/contracts/tool-names.ts";

const MAX_NAMES = 3;
/** A name with other characters could be a sentence of its server. */
const PLAIN = /^[\w.-]{3,200}$/u;

/**
 * The tools that a model may have meant by a name that is none: written without its server, with other separators
 * (`server__tool`, `server/tool`), in other case, behind a provider's prefix, or with control tokens of its chat template. At most
 * three; empty if none is like it.
 */
export function rightToolNames(written: string, tools: readonly Pick<ToolDescription, "name">[]): string[] {
  const meant = [written.slice(0, 500), ...toolNameParts(written)]
    .map(lettersOf)
    .filter((name) => name !== "");
  const whole = tools.filter(({ name }) => meant.some((part) => part.endsWith(lettersOf(name))));
  const found =
    whole.length > 0
      ? whole
      : tools.filter(({ name }) => meant.includes(lettersOf(name.slice(name.indexOf(".") + 1))));
  return found
    .map(({ name }) => name)
    .filter((name) => PLAIN.test(name))
    .slice(0, MAX_NAMES);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** The hint for the model about tools that it may have meant; empty if there are none. */
export function rightNamesHint(names: readonly string[]): string {
  const [only, ...others] = names.map((name) => `"${name}"`);
  if (only === undefined) return "";
  return others.length === 0 ? `call ${only} instead` : `call one of ${[only, ...others].join(", ")} instead`;
}
