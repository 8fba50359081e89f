import { toolAlias } from "#shared/contracts/tool-alias.ts";

/**
 * Returns a decoder for tool names in an answer: those of bound tools decode to the original. A name that the model made up
 * stays as it is, because splitting it could only guess at the tool that is meant.
 */
export function toolNameDecoder(boundNames: readonly string[]): (alias: string) => string {
  const byAlias = new Map(boundNames.map((name) => [toolAlias(name), name]));
  return (alias) => byAlias.get(alias) ?? alias;
}
