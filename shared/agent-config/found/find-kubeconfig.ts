import { readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { parseDocument } from "yaml";
import type { Environment } from "#shared/service/environment.ts";

/** A kubeconfig with a current context. */
export interface FoundKubeconfig {
  /** Absolute. */
  readonly path: string;
  readonly context: string;
}

/** Looks for the first file of $KUBECONFIG, else for ~/.kube/config, with a current context. Nothing is sent to the cluster. */
export function findKubeconfig(env: Environment): FoundKubeconfig | undefined {
  const { KUBECONFIG: named = "", HOME: home = "" } = env;
  const usual = home === "" ? [] : [join(home, ".kube", "config")];
  const paths = named === "" ? usual : named.split(delimiter).filter((path) => path !== "");
  for (const path of paths) {
    const context = currentContext(path);
    if (context !== undefined) return { path: resolve(path), context };
  }
  return undefined;
}

/** Undefined for a file that cannot be read or has none. */
function currentContext(path: string): string | undefined {
  try {
    const context: unknown = parseDocument(readFileSync(path, "utf8")).get("current-context");
    return typeof context === "string" && context !== "" ? context : undefined;
  } catch {
    return undefined;
  }
}
