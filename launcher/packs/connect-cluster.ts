import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { askCluster } from "#shared/agent-config/found/ask-cluster.ts";
import { findKubeconfig, type FoundKubeconfig } from "#shared/agent-config/found/find-kubeconfig.ts";
import { errorMessage } from "#shared/errors.ts";
import type { Environment } from "#shared/service/environment.ts";
import { installPack, KUBERNETES_PACK, type InstallOptions } from "./install-pack.ts";

/** A cluster that can be investigated, or why none can, as the end of a sentence. */
export type FoundCluster =
  | { readonly kubeconfig: FoundKubeconfig }
  | { readonly kubeconfig: undefined; readonly problem: string };

/**
 * Looks for a kubeconfig whose cluster answers, and provides the program that reads it: the one on the PATH of `env`, else the pack,
 * which is installed. Nothing in the cluster is changed. Throws the signal's reason.
 */
export async function connectCluster(options: InstallOptions): Promise<FoundCluster> {
  const { env } = options;
  const kubeconfig = findKubeconfig(env);
  if (kubeconfig === undefined) {
    return { kubeconfig, problem: "no kubeconfig with a current context was found" };
  }
  const { path, context } = kubeconfig;
  const problem = (await askCluster(kubeconfig, options.signal)) ?? (await provideProgram(options));
  if (problem === undefined) return { kubeconfig };
  return { kubeconfig: undefined, problem: `the context ${context} of ${path} cannot be used: ${problem}` };
}

/** The reason why there is no program that reads the cluster; undefined if there is one. */
async function provideProgram(options: InstallOptions): Promise<string | undefined> {
  if (isOnPath(KUBERNETES_PACK.command, options.env)) return undefined;
  try {
    await installPack(KUBERNETES_PACK, options);
    return undefined;
  } catch (error) {
    options.signal.throwIfAborted();
    return `${errorMessage(error)}; or install it yourself, so that ${KUBERNETES_PACK.command} is on the PATH: npm install --global kubernetes-mcp-server`;
  }
}

function isOnPath(program: string, { PATH = "" }: Environment): boolean {
  return PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}
