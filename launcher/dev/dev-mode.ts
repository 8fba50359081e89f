import { join } from "node:path";
import type { Environment } from "#shared/service/environment.ts";
import type { ServicePlan } from "../supervisor/plan-services.ts";
import type { SupervisedService } from "../supervisor/supervise-service.ts";
import { ImportedFiles, REPORT_IMPORTS } from "./imported-files.ts";
import { chooseInspectorPorts, INSPECTOR_HOST } from "./inspector-ports.ts";
import { RestartChanged, type ChangeActions } from "./restart-changed.ts";
import { watchFiles } from "./watch-files.ts";

type OpenDevMode = ChangeActions & {
  readonly plans: readonly ServicePlan[];
  readonly env: Environment;
  /** The directory of package.json. */
  readonly root: string;
  /** Contains `<service>/main.ts`. */
  readonly servicesDir: string;
  readonly configDir: string;
};

/** A restart must not wait for calls that run: the next owner repeats an executor's steps, and an executor its calls. */
const SHORT_STOPS = { EXECUTOR_STOP_GRACE_MS: "300", LLM_STOP_GRACE_MS: "300", TOOL_STOP_GRACE_MS: "300" };

/** The additions of `npm run dev` to `npm start`. */
export type DevMode = {
  /** The given plans with inspectors; their processes name the files that they import. */
  readonly plans: readonly ServicePlan[];
  /** The address of each process's inspector by the process's name. */
  readonly inspectors: ReadonlyMap<string, string>;
  /** The supervision of the process of this name. */
  readonly supervision: (name: string) => {
    readonly onStart: () => void;
    readonly onMessage: (message: unknown) => void;
  };
  /** Restarts, until it is disposed of, what imports or reads a file that changed. */
  readonly watch: (services: readonly SupervisedService[]) => AsyncDisposable;
};

/**
 * Prepares the processes of one start for development.
 * @throws LaunchError if INSPECT_PORT is not a port
 */
export async function openDevMode({
  plans,
  env,
  root,
  servicesDir,
  configDir,
  ...actions
}: OpenDevMode): Promise<DevMode> {
  const ports = await chooseInspectorPorts(
    plans.map(({ name }) => name),
    env,
  );
  const imported = new ImportedFiles();
  return {
    plans: plans.map((plan) => ({
      ...plan,
      env: { ...SHORT_STOPS, ...plan.env, ...REPORT_IMPORTS },
      // Its address is in the banner, so the process need not print it at each start.
      nodeFlags: [`--inspect=${INSPECTOR_HOST}:${ports.get(plan.name)}`, "--inspect-publish-uid=http"],
    })),
    inspectors: new Map([...ports].map(([name, port]) => [name, `${INSPECTOR_HOST}:${port}`])),
    supervision: (name) => ({
      onStart: () => imported.begin(name),
      onMessage: (message) => imported.take(name, message),
    }),
    watch: (services) => {
      const restarts = new RestartChanged({ services, imported, servicesDir, root, configDir, ...actions });
      const watcher = watchFiles({
        roots: [servicesDir, join(root, "shared"), configDir],
        onChange: (files) => restarts.take(files),
      });
      return {
        [Symbol.asyncDispose]: async () => {
          watcher[Symbol.dispose]();
          await restarts.idle();
        },
      };
    },
  };
}
