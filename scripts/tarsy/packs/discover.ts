import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findKubeconfig } from "#shared/agent-config/found/find-kubeconfig.ts";
import { listServices, type ClusterService } from "#shared/agent-config/found/list-services.ts";
import { loadPack, packFolder, packNames } from "#shared/agent-config/read-packs.ts";
import type { PackFile } from "#shared/agent-config/schemas/pack-file.ts";
import { errorMessage } from "#shared/errors.ts";
import { UsageError, type CommandCall } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { printable } from "../terminal/terminal-style.ts";
import { addPack } from "./add-pack.ts";
import { isAgreed } from "./decide.ts";
import { hasServer } from "./edit-tarsy-file.ts";

/** A Service that a pack recognizes, and its address in the cluster. */
interface Match {
  readonly pack: string;
  readonly url: string;
  readonly why: string;
}

/**
 * Looks for the systems of packs among the Services of a cluster, which is only read, proposes each, and adds those that the person
 * agrees to; resolves with the exit code.
 */
export async function discover(call: CommandCall, directory: string): Promise<number> {
  const { terminal, signal, env } = call;
  const proxy = call.option("kube-url");
  if (proxy !== undefined && !URL.canParse(proxy)) {
    throw new UsageError(`--kube-url is "${proxy}": use the address of kubectl proxy, http://127.0.0.1:8001`);
  }
  const cluster = proxy === undefined ? findKubeconfig(env) : new URL(proxy);
  if (cluster === undefined) {
    throw new Error("no kubeconfig with a current context was found: set KUBECONFIG, or use --kube-url");
  }
  const services = await listServices(cluster, signal);
  const names = packNames(directory);
  const packs = await Promise.all(names.map((name) => loadPack(packFolder(directory, name), name, env)));
  const matches = packs.flatMap((pack) => matchesOf(pack, services));
  terminal.write(`${services.length} Services, ${matches.length} known\n`);
  let code: number = EXIT.done;
  const path = join(directory, "tarsy.yaml");
  const tarsyFile = () => (existsSync(path) ? readFileSync(path, "utf8") : "");
  for (const { pack, url: address, why } of matches) {
    terminal.write(`found      ${printable(`${pack} at ${address}: ${why}`)}\n`);
    // A second server of a pack is written by hand: its name is for the person to choose.
    const isThere = hasServer(tarsyFile(), pack);
    if (isThere) terminal.write(`known      mcp_servers has ${pack} already\n`);
    if (isThere || !(await isAgreed(call, `add ${pack}?`))) continue;
    const option = (name: string) => (name === "url" ? address : call.option(name));
    try {
      code = Math.max(code, await addPack({ ...call, option }, pack, directory));
    } catch (error) {
      signal.throwIfAborted();
      // The others may lack nothing.
      terminal.warn(`${printable(errorMessage(error))}\n`);
      code = EXIT.failed;
    }
  }
  return code;
}

function matchesOf({ pack, discover: rule }: PackFile, services: readonly ClusterService[]): Match[] {
  if (rule === undefined) return [];
  const labels = Object.entries(rule.labels ?? {});
  return services.flatMap(({ metadata, spec }) => {
    const { name, namespace, labels: own = {} } = metadata;
    const isLabelled = labels.length > 0 && labels.every(([key, value]) => own[key] === value);
    if (!isLabelled && rule.names?.includes(name) !== true) return [];
    const ports = spec?.ports?.map(({ port }) => port) ?? [];
    const port = ports.includes(rule.port) ? rule.port : (ports[0] ?? rule.port);
    const why = isLabelled ? labels.map((pair) => pair.join("=")).join(", ") : `its name is ${name}`;
    return [{ pack, url: `http://${name}.${namespace}.svc:${port}`, why }];
  });
}
