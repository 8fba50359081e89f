import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CHECKOUT, SERVICES, type ServiceName } from "../../../test/support/spawn-service.ts";
import { UsageError } from "../../../scripts/tarsy/command.ts";

/** One of the compared ways to run the five services. */
export interface StartupArm {
  readonly name: "this" | "tree" | "bundles";
  /** The working directory of the services. */
  readonly checkout: string;
  readonly entry: (service: ServiceName) => string;
}

interface ArmOptions {
  /** Another checkout with its dependencies. */
  readonly tree: string | undefined;
  /** Bundles of this checkout. */
  readonly bundles: string | undefined;
}

/**
 * This checkout's sources, then another checkout's sources and this checkout's bundles where given. Throws UsageError if a
 * directory does not hold the services.
 */
export async function openArms({ tree, bundles }: ArmOptions): Promise<readonly StartupArm[]> {
  const own = await sourcesArm("this", CHECKOUT);
  const arms: StartupArm[] = [own];
  if (tree !== undefined) arms.push(await sourcesArm("tree", resolve(tree)));
  if (bundles !== undefined) {
    const directory = resolve(bundles);
    const arm: StartupArm = {
      ...own,
      name: "bundles",
      entry: (service) => join(directory, "services", service, "main.mjs"),
    };
    await checkEntries("--bundles", arm);
    arms.push(arm);
  }
  return arms;
}

async function sourcesArm(name: "this" | "tree", checkout: string): Promise<StartupArm> {
  const arm: StartupArm = {
    name,
    checkout,
    entry: (service) => join(checkout, "services", service, "main.ts"),
  };
  await checkEntries("--tree", arm);
  return arm;
}

async function checkEntries(option: string, { entry }: Pick<StartupArm, "entry">): Promise<void> {
  for (const service of SERVICES) {
    await access(entry(service)).catch((error: unknown) => {
      throw new UsageError(`${option}: there is no ${entry(service)}`, { cause: error });
    });
  }
}
