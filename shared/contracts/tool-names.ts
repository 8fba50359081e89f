import { createHash } from "node:crypto";

/** The reserved server id of the tools that the executor answers itself. No configuration may define it. */
export const BUILT_IN_SERVER = "tarsy";

/** Letters, digits, hyphens and single underscores, so that "server.tool" and its aliases stay unambiguous. */
const SERVER_ID = /^(?!.*__)[A-Za-z0-9_-]{1,40}$/u;

/** True if an MCP server may have this id. */
export function isServerId(text: string): boolean {
  return SERVER_ID.test(text);
}

/** Gemini's limit for a function name. */
const MAX_ALIAS_LENGTH = 64;
const HASH_LENGTH = 8;

/**
 * The name by which models call "server.tool", one that every provider accepts: dots become "__". A name for which that is
 * ambiguous (it contains "__" or a forbidden character, or is too long) ends in a hash of the original, so that two tools
 * never get the same alias. An alias is never split again: it is looked up in the listing that was sent. A name without a
 * dot is no tool's: what a model made up stays as it is, if providers accept it.
 */
export function toolAlias(name: string): string {
  const alias = name.replaceAll(".", "__");
  const isUnambiguous = alias === name || alias.replaceAll("__", ".") === name;
  if (isUnambiguous && alias.length <= MAX_ALIAS_LENGTH && /^[A-Za-z_][\w-]*$/u.test(alias)) return alias;
  const readable = alias.replaceAll(/[^\w-]/gu, "_").replace(/^(?=[^A-Za-z_])/u, "_");
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  return `${readable.slice(0, MAX_ALIAS_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

/** Longer names are no tool's. */
const MAX_NAME_LENGTH = 500;
/** Control tokens of chat templates, whole or cut off, tags, what names a recipient, the number that some models add, blanks. */
const AROUND =
  /<[|｜][^<>]{0,60}[|｜]>|<[|｜].*|<\/?[\w:-]{1,40}>|\[\/?[A-Z_]{3,40}\]|\bto=|:\d{1,4}(?=\s|<|$)|["'`\s]+/gu;
/** The prefixes that templates and SDKs put before the names of functions. */
const PREFIX = /^(?:call:)?(?:functions?|tools?|default_api)[.:]/iu;

/**
 * The parts of a tool's name, as a model wrote it, that may be the name: without the control tokens of its chat template
 * (`get_pods<|channel|>commentary`, `<|tool_call|>get_pods`) and without a prefix (`functions.get_pods`).
 */
export function toolNameParts(written: string): string[] {
  return written
    .slice(0, MAX_NAME_LENGTH)
    .split(AROUND)
    .map((part) => part.replace(PREFIX, ""))
    .filter((part) => part !== "");
}
