import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { errorMessage } from "#shared/errors.ts";
import { openBackingServers, type BackingServers } from "./backing-servers.ts";
import { checkConfiguration } from "./check-configuration.ts";
import { claimCheckout } from "./claim-checkout.ts";
import { findConfigDirectory } from "./config-directory.ts";
import { freePort } from "./free-port.ts";
import { helpText } from "./help-text.ts";
import { LaunchError } from "./launch-error.ts";
import { type Options, readOptions } from "./options.ts";
import { choosePorts } from "./ports.ts";
import { printLine, printProgress } from "./print-output.ts";
import type { ProjectPaths } from "./project-paths.ts";
import { openRunRecord, stopLeftovers } from "./run-record.ts";
import { planServices, reachableHost, type ServicePlan } from "./service-plan.ts";
import { listenForStop, type StopRequest } from "./stop-request.ts";
import { stopServices } from "./stop-services.ts";
import { type Backoff, superviseService, type SupervisedService } from "./supervise-service.ts";
import { welcomeText } from "./welcome-text.ts";

export type Launch = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: ProjectPaths;
  /** Holds `<service>/main.ts`. */
  readonly servicesDir: string;
  /** What relative paths on the command line count from. */
  readonly userDir: string;
  readonly backoff?: Backoff;
};

const waitingNoticeMs = 10_000;
const serversEndMs = 2_000;

async function stopServers({ nats, postgres }: BackingServers, request: StopRequest): Promise<void> {
  const force = AbortSignal.any([request.force, AbortSignal.timeout(serversEndMs)]);
  await nats.process?.stop(force);
  await postgres.process?.stop(force);
}

function startServices(
  launch: Launch,
  plans: readonly ServicePlan[],
  stack: AsyncDisposableStack,
): SupervisedService[] {
  const record = openRunRecord(launch.paths.runRecord);
  stack.defer(() => record.remove());
  return plans.map((plan) =>
    superviseService({
      plan,
      cwd: launch.paths.root,
      onLine: (line, isOurs) => printLine(plan.name, line, isOurs),
      onProcess: (identity) => record.note(plan.name, identity),
      ...(launch.backoff && { backoff: launch.backoff }),
    }),
  );
}

/** Settles when all are ready; says every ten seconds who is not, and why. */
async function waitForAll(services: readonly SupervisedService[]): Promise<void> {
  const waiting = new Set(services);
  const notice = setInterval(() => {
    for (const service of waiting) printProgress(`waiting for ${service.name}: ${service.waitingFor()}`);
  }, waitingNoticeMs);
  try {
    await Promise.all(
      services.map(async (service) => {
        await service.ready;
        waiting.delete(service);
      }),
    );
  } finally {
    clearInterval(notice);
  }
}

function forget(paths: ProjectPaths): void {
  printProgress(`forgetting the data in ${paths.data}`);
  rmSync(paths.data, { recursive: true, force: true });
}

/** Settles when everything serves; from then on `services` ends only by `stop` or with an error. */
async function bringUp(
  launch: Launch,
  options: Options,
  request: StopRequest,
  stack: AsyncDisposableStack,
): Promise<SupervisedService[]> {
  const { paths } = launch;
  const config = findConfigDirectory({ ...launch, root: paths.root, option: options.configDir });
  await checkConfiguration(config);
  const lock = await claimCheckout(paths.lock, request.stop, printProgress);
  stack.defer(() => lock.release());
  request.stop.addEventListener("abort", () => lock.announceStop());
  const leftovers = await stopLeftovers(paths.runRecord);
  if (leftovers > 0) printProgress(`stopped ${leftovers} services that an earlier start left running`);
  const host =
    config.env["BIND_ADDRESS"] === undefined || config.env["BIND_ADDRESS"] === ""
      ? "127.0.0.1"
      : config.env["BIND_ADDRESS"];
  const ports = await choosePorts(config.env, host);
  if (options.reset) forget(paths);
  mkdirSync(paths.data, { recursive: true });
  const servers = await openBackingServers({
    env: config.env,
    paths,
    signal: request.stop,
    progress: printProgress,
  });
  stack.defer(async () => {
    await stopServers(servers, request);
    printProgress("everything is stopped");
  });
  const extraHealthPorts = await Promise.all(
    Array.from({ length: options.executors - 1 }, async () => freePort(host)),
  );
  const plans = planServices({
    servicesDir: launch.servicesDir,
    compileCacheDir: paths.compileCache,
    executors: options.executors,
    ports,
    extraHealthPorts,
    host,
    env: {
      LOG_FORMAT: "pretty",
      LLM_GATEWAY_ADDR: `${reachableHost(host)}:${ports.get("LLM_GATEWAY_PORT")}`,
      ...config.env,
      CONFIG_DIR: config.path,
      DATABASE_URL: servers.postgres.url,
      NATS_URL: servers.nats.url,
    },
  });
  request.stop.throwIfAborted();
  const services = startServices(launch, plans, stack);
  stack.defer(async () => {
    const cause = request.stop.aborted ? errorMessage(request.stop.reason) : "giving up";
    printProgress(`${cause}: stopping in order, which takes 15 s at most (Ctrl-C ends all at once)`);
    await stopServices(services, request.force);
  });
  await Promise.race([waitForAll(services), failure(services), once(request.stop, "abort")]);
  request.stop.throwIfAborted();
  process.stdout.write(welcomeText({ ports, host, servers, config, paths, executors: options.executors }));
  return services;
}

/** Rejects when one of them is given up. */
async function failure(services: readonly SupervisedService[]): Promise<void> {
  await Promise.all(services.map(async ({ ended }) => ended));
}

async function run(launch: Launch, options: Options, request: StopRequest): Promise<void> {
  await using stack = new AsyncDisposableStack();
  try {
    const services = await bringUp(launch, options, request, stack);
    await Promise.race([failure(services), once(request.stop, "abort")]);
  } catch (error) {
    if (!request.stop.aborted) throw error;
  }
}

/**
 * Runs TARSy until it is told to stop, and answers the exit code: 0 after an orderly stop (also a forced one),
 * otherwise that of the LaunchError, whose sentence is on stderr.
 */
export async function launchTarsy(launch: Launch): Promise<number> {
  const request = listenForStop();
  try {
    const options = readOptions(launch.args);
    if (options.help) process.stdout.write(helpText);
    else await run(launch, options, request);
    return 0;
  } catch (error) {
    process.stderr.write(`${errorMessage(error)}\n`);
    return error instanceof LaunchError ? error.exitCode : 1;
  } finally {
    request.dispose();
  }
}
