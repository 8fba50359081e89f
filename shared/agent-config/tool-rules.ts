import type { ToolEffect } from "#shared/contracts/tool-list.ts";

/** The tools of a server by globs over their names; `deny` wins over `allow`. */
export interface ServerToolRules {
  /** Absent: all. */
  readonly allow?: readonly string[];
  readonly deny: readonly string[];
  readonly read_only: readonly string[];
  readonly idempotent: readonly string[];
  readonly write: readonly string[];
  readonly destructive: readonly string[];
  /** A person must agree to each call. */
  readonly approve: readonly string[];
}

/** The hashes of the accepted definitions of each tool, by its name. */
export type AcceptedDefinitions = Readonly<Record<string, readonly string[]>>;

/** The effect of a tool by the operator's lists, the strictest that names it; undefined if none does. */
export function listedEffect(rules: ServerToolRules, name: string): ToolEffect | undefined {
  if (isIn(rules.destructive, name)) return "destructive";
  if (isIn(rules.write, name)) return "write";
  if (isIn(rules.idempotent, name)) return "idempotent";
  return isIn(rules.read_only, name) ? "read" : undefined;
}

/** True if a person must agree to each call. */
export function needsApproval(rules: ServerToolRules, name: string): boolean {
  return isIn(rules.approve, name);
}

/** True if the configuration offers a tool at all. */
export function isOffered({ tools }: { readonly tools: ServerToolRules }, name: string): boolean {
  return !isIn(tools.deny, name) && (tools.allow === undefined || isIn(tools.allow, name));
}

/** True if a person or the pack has accepted this definition of a tool; always without a pack. */
export function isAccepted(
  { accepted }: { readonly accepted?: AcceptedDefinitions },
  name: string,
  hash: string,
): boolean {
  return accepted === undefined || (Object.hasOwn(accepted, name) && accepted[name]?.includes(hash) === true);
}

/** True if one of the globs matches a name. */
export function isIn(globs: readonly string[], name: string): boolean {
  return globs.some((glob) => matchesGlob(glob, name));
}

/** True if a name matches a glob, in which `*` stands for any characters and `?` for one. Takes no more than both lengths multiplied. */
function matchesGlob(glob: string, name: string): boolean {
  let [at, star, mark] = [0, -1, 0];
  let position = 0;
  while (position < name.length) {
    if (at < glob.length && glob[at] !== "*" && (glob[at] === "?" || glob[at] === name[position])) {
      at += 1;
      position += 1;
    } else if (at < glob.length && glob[at] === "*") {
      star = at;
      mark = position;
      at += 1;
    } else if (star !== -1) {
      at = star + 1;
      mark += 1;
      position = mark;
    } else return false;
  }
  while (glob[at] === "*") at += 1;
  return at === glob.length;
}
