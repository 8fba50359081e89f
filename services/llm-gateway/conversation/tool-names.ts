import { toolAlias, toolNameParts } from "#shared/contracts/tool-names.ts";

/**
 * Returns a decoder for tool names in an answer: those of bound tools decode to the original, also with control tokens of a chat
 * template around them if exactly one bound tool fits. A name that the model made up stays as it is, because splitting it could
 * only guess at the tool that is meant.
 */
export function toolNameDecoder(boundNames: readonly string[]): (alias: string) => string {
  const known = new Map([
    ...boundNames.map((name): [string, string] => [name, name]),
    ...boundNames.map((name): [string, string] => [toolAlias(name), name]),
  ]);
  return (written) => {
    const exact = known.get(written);
    if (exact !== undefined) return exact;
    const [only, ...others] = new Set(toolNameParts(written).flatMap((part) => known.get(part) ?? []));
    return only === undefined || others.length > 0 ? written : only;
  };
}
