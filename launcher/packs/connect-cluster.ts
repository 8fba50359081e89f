import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { askCluster } from "#shared/agent-config/found/ask-cluster.ts";
import { findKubeconfig, type FoundKubeconfig } from "#shared/agent-config/found/find-kubeconfig.ts";
import { errorMessage } from "#shared/errors.ts";
import { loadPack, SHIPPED_PACKS } from "#shared/agent-config/read-packs.ts";
import type { Environment } from "#shared/service/environment.ts";
import { installPack } from "./install-pack.ts";
import type { InstallOptions } from "./run-installer.ts";

/** The program of the built-in server, and of its package. */
const PROGRAM = "kubernetes-mcp-server";

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
  if (isOnPath(PROGRAM, options.env)) return undefined;
  try {
    const pack = await loadPack(SHIPPED_PACKS, "kubernetes");
    await installPack({ pack, folder: SHIPPED_PACKS }, options);
    return undefined;
  } catch (error) {
    options.signal.throwIfAborted();
    return `${errorMessage(error)}; or install it yourself, so that ${PROGRAM} is on the PATH: npm install --global ${PROGRAM}`;
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
