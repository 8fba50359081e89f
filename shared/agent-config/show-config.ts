import { Document, isScalar, visit, type Pair, type Scalar } from "yaml";
import type { AgentConfig, Origin } from "#shared/agent-config/agent-config.ts";
import { decideAll } from "#shared/agent-config/decide-all.ts";
import { effectiveConfig } from "#shared/agent-config/effective-config.ts";
import { joinPath } from "#shared/agent-config/source-map.ts";

/**
 * The effective configuration as YAML, each value with a comment that says where it comes from, and what
 * every agent of every chain is resolved to. Secrets are redacted.
 */
export function showConfig(config: AgentConfig): string {
  const { origins } = config;
  const written = new Document(effectiveConfig(config), { aliasDuplicateObjects: false });
  annotate(written, (path) => describeOrigin(origins.get(path)));
  const decided = decideAll(config);
  const resolved = new Document({ resolved: decided.values }, { aliasDuplicateObjects: false });
  annotate(resolved, (path) => decided.levels.get(path));
  return `${written.toString({ lineWidth: 0 })}\n${resolved.toString({ lineWidth: 0 })}`;
}

function describeOrigin(origin: Origin | undefined): string {
  if (origin === undefined) return "built-in";
  const place = origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
  return origin.variables.length === 0 ? place : `${place}, environment ${origin.variables.join(", ")}`;
}

/** Puts a comment beside every scalar and every list of scalars. */
function annotate(document: Document, say: (path: string) => string | undefined): void {
  visit(document, {
    Scalar(key, node: Scalar, ancestors) {
      if (key === "key") return;
      const comment = say(pathOf(ancestors, node));
      if (comment === undefined) return;
      if (typeof node.value === "string" && node.value.includes("\n")) node.commentBefore = ` ${comment}`;
      else node.comment = ` ${comment}`;
    },
  });
}

function pathOf(ancestors: readonly unknown[], node: Scalar): string {
  let path = "";
  const chain = [...ancestors, node];
  chain.forEach((ancestor, index) => {
    if (isKeyed(ancestor) && isScalar(ancestor.key)) path = joinPath(path, String(ancestor.key.value));
    if (isItems(ancestor)) {
      const at = ancestor.items.indexOf(chain[index + 1]);
      if (at !== -1 && !isKeyed(chain[index + 1])) path = joinPath(path, at);
    }
  });
  return path;
}

function isKeyed(value: unknown): value is Pair {
  return typeof value === "object" && value !== null && "key" in value && "value" in value;
}

function isItems(value: unknown): value is { items: unknown[] } {
  return typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items);
}
