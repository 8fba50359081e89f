import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "#shared/errors.ts";
import { envText } from "#shared/service/environment.ts";
import { openServers, type ServerEndpoints } from "./open-servers.ts";
import { buildPage } from "./build-page.ts";
import { checkConfiguration, providerKeys } from "./check-configuration.ts";
import { claimCheckout } from "./claim-checkout.ts";
import { prepareConfiguration } from "./effective-config.ts";
import { findConfigDirectory, type ConfigDirectory } from "./find-config-directory.ts";
import { keepBundles } from "./keep-bundles.ts";
import { LaunchError } from "./launch-error.ts";
import { type CommandLine, parseCommandLine } from "./command-line.ts";
import { choosePorts } from "./choose-ports.ts";
import { openDevMode, type DevMode } from "./dev/dev-mode.ts";
import { prepareAccess } from "./prepare-access.ts";
import { writePrivateFile } from "./private-file.ts";
import { printLine, printProgress } from "./print-output.ts";
import type { ProjectPaths } from "./project-paths.ts";
import { runMigrate } from "./run-migrate.ts";
import { serviceEnvironment } from "./supervisor/service-environment.ts";
import { openRunRecord, stopOrphanedServices } from "./supervisor/run-record.ts";
import type { ServicePlan } from "./supervisor/plan-services.ts";
import { planStart } from "./supervisor/plan-start.ts";
import { listenForStop, type StopRequest } from "./process/stop-request.ts";
import { stopServices } from "./supervisor/stop-services.ts";
import { type Backoff, superviseService, type SupervisedService } from "./supervisor/supervise-service.ts";
import { welcomeText } from "./welcome-text.ts";

type Launch = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: ProjectPaths;
  /** Contains `<service>/main.ts`. */
  readonly servicesDir: string;
  /** Relative paths on the command line are resolved from here. */
  readonly userDir: string;
  readonly backoff?: Backoff;
};

/** The programs of a start, by their folders. */
const BUNDLED = "api executor llm-gateway notifier tool-runner migrate"
  .split(" ")
  .map((name) => `services/${name}`);

const waitingNoticeMs = 10_000;
const serversEndMs = 2_000;

async function stopServers({ nats, postgres }: ServerEndpoints, request: StopRequest): Promise<void> {
  const force = AbortSignal.any([request.force, AbortSignal.timeout(serversEndMs)]);
  await nats.process?.stop(force);
  await postgres.process?.stop(force);
}

function startServices(
  launch: Launch,
  plans: readonly ServicePlan[],
  dev: DevMode | undefined,
  stack: AsyncDisposableStack,
): SupervisedService[] {
  const record = openRunRecord(launch.paths.runRecord);
  stack.defer(() => record.remove());
  return plans.map((plan) =>
    superviseService({
      plan,
      cwd: launch.paths.root,
      onLine: (line, fromLauncher) => {
        // The table `audit_log` has it; here it would hide what the start has printed.
        if (!line.includes('"audit":true')) printLine(plan.name, line, fromLauncher);
      },
      onProcess: (identity) => record.note(plan.name, identity),
      ...(launch.backoff && { backoff: launch.backoff }),
      ...(dev && { dev: dev.supervision(plan.name) }),
    }),
  );
}

/** Resolves when all are ready; prints every ten seconds which are not, and why. */
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

function deleteData(paths: ProjectPaths): void {
  printProgress(`deleting the data in ${paths.data}`);
  rmSync(paths.data, { recursive: true, force: true });
}

/** Runs before the services, which wait for it; alone with the URL of the owner. */
async function migrateDatabase(
  { paths }: Launch,
  {
    entryOf,
    config,
    servers,
    keys,
    request,
  }: {
    readonly entryOf: (service: string) => string;
    readonly config: ConfigDirectory;
    readonly servers: ServerEndpoints;
    readonly keys: readonly string[];
    readonly request: StopRequest;
  },
): Promise<void> {
  await runMigrate({
    entry: entryOf("migrate"),
    compileCacheDir: paths.compileCache,
    cwd: paths.root,
    env: {
      LOG_FORMAT: "pretty",
      ...serviceEnvironment("migrate", config.env, keys),
      CONFIG_DIR: config.path,
      DATABASE_URL: servers.postgres.url,
      DATABASE_URL_FILE: "",
      // It would lead to another database than that of this start.
      ...(servers.postgres.process === undefined
        ? {}
        : { DATABASE_DIRECT_URL: "", DATABASE_DIRECT_URL_FILE: "" }),
    },
    ownData: servers.postgres.process === undefined ? undefined : paths.data,
    signal: request.stop,
    onLine: (line) => printLine("migrate", line),
  });
}

/**
 * Resolves with the files of the services' programs: their bundles, which are made while the servers start, or their sources, also
 * where no bundle can be made. Never rejects.
 */
async function findPrograms(
  { servicesDir, paths: { root, bundles: directory } }: Launch,
  { sources: asksForSources }: CommandLine,
): Promise<(service: string) => string> {
  const sources = (service: string) => join(servicesDir, service, "main.ts");
  if (asksForSources) return sources;
  try {
    const onBuild = () => printProgress("bundling the services, once after each change of their sources");
    const { bundles } = await keepBundles({ root, directory, programs: BUNDLED, onBuild });
    return (service) => join(bundles, service, "main.mjs");
  } catch (error) {
    printProgress(
      `the services start from their sources: they could not be bundled (${errorMessage(error)})`,
    );
    return sources;
  }
}

/** Starts servers and services; resolves when all are ready. */
async function startAll(
  launch: Launch,
  options: CommandLine,
  request: StopRequest,
  stack: AsyncDisposableStack,
): Promise<SupervisedService[]> {
  const { paths } = launch;
  const chosen = await findConfigDirectory({ ...launch, ...options, root: paths.root });
  const lock = await claimCheckout(paths.lock, request.stop, printProgress);
  stack.defer(() => lock.release());
  request.stop.addEventListener("abort", () => lock.markStopping());
  const prepare = { paths, signal: request.stop, progress: printProgress };
  const config = await prepareConfiguration(chosen, prepare);
  const agents = await checkConfiguration(config, printProgress);
  const keys = providerKeys(agents);
  const orphans = await stopOrphanedServices(paths.runRecord);
  if (orphans > 0) printProgress(`stopped ${orphans} services that an earlier start left running`);
  const host = envText(config.env, "BIND_ADDRESS", "127.0.0.1");
  const ports = await choosePorts(config.env, host);
  const access = prepareAccess({ env: config.env, paths, isPrivate: options.private, ports, host });
  if (options.reset) deleteData(paths);
  mkdirSync(paths.data, { recursive: true });
  // It is done long before Postgres is: nothing waits for it, and the api takes a page that appears later.
  const page = buildPage({ ...launch, signal: request.stop });
  stack.defer(async () => void (await page));
  const programs = findPrograms(launch, options);
  const servers = await openServers({
    env: config.env,
    paths,
    signal: request.stop,
    progress: printProgress,
  });
  stack.defer(async () => {
    await stopServers(servers, request);
    printProgress("everything is stopped");
  });
  const entryOf = await programs;
  const plans = await planStart({
    ...launch,
    entryOf,
    executors: options.executors,
    config,
    providerKeys: keys,
    servers,
    ports,
    access,
    host,
  });
  writePrivateFile(paths.databaseUrl, `${servers.postgres.url}\n`);
  stack.defer(() => rmSync(paths.databaseUrl, { force: true }));
  const migrate = async () => migrateDatabase(launch, { entryOf, config, servers, keys, request });
  await migrate();
  const dev = options.dev ? await openDev(launch, { plans, config, migrate, request }) : undefined;
  const services = startServices(launch, dev?.plans ?? plans, dev, stack);
  stack.defer(async () => {
    const cause = request.stop.aborted ? errorMessage(request.stop.reason) : "giving up";
    printProgress(
      `${cause}: stopping in order, which takes at most 15 s (Ctrl-C kills everything immediately)`,
    );
    await stopServices(services, request.force);
  });
  if (dev !== undefined) stack.use(dev.watch(services));
  await Promise.race([waitForAll(services), failure(services), once(request.stop, "abort")]);
  request.stop.throwIfAborted();
  const executorPid = services.find(({ name }) => name.startsWith("executor"))?.pid();
  process.stdout.write(
    welcomeText({
      ports,
      host,
      servers,
      config,
      agents,
      paths,
      access,
      executors: options.executors,
      executorPid,
      inspectors: dev?.inspectors,
    }),
  );
  return services;
}

async function openDev(
  { servicesDir, paths: { root } }: Launch,
  {
    plans,
    config,
    migrate,
    request,
  }: {
    readonly plans: readonly ServicePlan[];
    readonly config: ConfigDirectory;
    readonly migrate: () => Promise<void>;
    readonly request: StopRequest;
  },
): Promise<DevMode> {
  return openDevMode({
    plans,
    env: config.env,
    root,
    servicesDir,
    configDir: config.source ?? config.path,
    checkConfiguration: async () => {
      config.write?.();
      return checkConfiguration(config, printProgress);
    },
    migrate,
    buildPage: async () => buildPage({ servicesDir, signal: request.stop }),
    progress: printProgress,
  });
}

/** Rejects when the launcher gives up one of them. */
async function failure(services: readonly SupervisedService[]): Promise<void> {
  await Promise.all(services.map(async ({ ended }) => ended));
}

async function run(launch: Launch, options: CommandLine, request: StopRequest): Promise<void> {
  await using stack = new AsyncDisposableStack();
  try {
    const services = await startAll(launch, options, request, stack);
    await Promise.race([failure(services), once(request.stop, "abort")]);
  } catch (error) {
    if (!request.stop.aborted) throw error;
  }
}

/**
 * Runs TARSy until a stop signal and resolves with the exit code: 0 after an orderly or forced stop, otherwise that of the
 * error, whose message is printed to stderr.
 */
export async function launchTarsy(launch: Launch): Promise<number> {
  const request = listenForStop();
  try {
    await run(launch, parseCommandLine(launch.args), request);
    return 0;
  } catch (error) {
    process.stderr.write(`${errorMessage(error)}\n`);
    return error instanceof LaunchError ? error.exitCode : 1;
  } finally {
    request.dispose();
  }
}
