import { publishProgress } from "#shared/bus/publish-message.ts";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Registry } from "prom-client";
import { AuditLog } from "#shared/access/audit-log.ts";
import { openBus } from "#shared/bus/open-bus.ts";
import { untilSubscribed } from "#shared/bus/subscribe.ts";
import { waitForSchema } from "#shared/database/schema/wait-for-schema.ts";
import { checkDatabase, openDatabase } from "#shared/database/connection/open-database.ts";
import { LOOK_UPS } from "#shared/database/connection/statement-limits.ts";
import { Masker } from "#shared/masking/masker.ts";
import { serveHealth } from "#shared/service/health-server.ts";
import type { ServiceContext } from "#shared/service/run-service.ts";
import type { ToolRunnerConfig } from "./config.ts";
import { hasStubs } from "./tool.ts";
import { HeldExecutions } from "./held-executions.ts";
import { maskDescriptions, maskReasons } from "./mask-descriptions.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";
import { AuthorizationRows } from "./mcp/oauth/authorization-rows.ts";
import { RunningCalls } from "./running-calls.ts";
import { serveRunbooks } from "./runbooks/serve-runbooks.ts";
import { serveConnects } from "./serve-connects.ts";
import { serveTools } from "./serve-tools.ts";
import { SessionCleanups } from "./session-cleanups.ts";
import { ServerStates } from "./server-states.ts";
import { ToolMetrics } from "./tool-metrics.ts";

/** Far above any expected load: each agent makes one call at a time, and the number of running sessions is limited. */
const MAX_RUNNING = 200;
const NAME = "tarsy-tool-runner";

/** Starts the tool-runner and resolves once it serves. Everything it opens is added to `resources`. */
export async function runToolRunner(
  { config, log, signal, resources }: ServiceContext<ToolRunnerConfig>,
  registry: Registry,
): Promise<void> {
  for (const warning of config.warnings) log.warn(warning);
  const db = resources.use(
    await openDatabase({
      url: config.databaseUrl,
      applicationName: NAME,
      settings: LOOK_UPS,
      poolSize: 10,
      log,
      signal,
      health: config.health,
    }),
  );
  await waitForSchema(db, "tool-runner", log, signal);
  const bus = resources.use(await openBus({ url: config.natsUrl, name: NAME, log, signal }));
  const audit = resources.use(new AuditLog({ db, log, service: "tool-runner" }));
  const masker = resources.use(new Masker({ known: config.knownSecrets }));
  const { maskingRules } = config;
  const unavailable = await maskReasons(config.unavailable, masker, maskingRules);
  const tools = await maskDescriptions(config.tools, masker, maskingRules);
  const authorizations = config.tokenKeys && new AuthorizationRows(db, config.tokenKeys);
  const servers = await openServers(config, { masker, authorizations });
  if (servers !== undefined) resources.use(servers).warm();
  const cleanups = servers && resources.use(new SessionCleanups({ db, log, servers }));
  const metrics = new ToolMetrics(registry, () => servers?.all.map(({ report }) => report) ?? []);
  const running = new RunningCalls({
    db,
    masker,
    maskingRules,
    metrics,
    audit,
    log,
    ...(cleanups === undefined ? {} : { cleanups }),
    onProgress: (executionId, progress) => publishProgress(bus, executionId, progress),
    maxRunning: MAX_RUNNING,
    stopGraceMs: config.stopGraceMs,
  });
  const held =
    servers && cleanups && resources.use(new HeldExecutions({ db, log, servers, running, cleanups }));
  const catalogue = {
    tools,
    unavailable,
    ...(servers === undefined ? {} : { servers }),
    ...(held === undefined ? {} : { held }),
    ...(cleanups === undefined ? {} : { cleanups }),
  };
  const runnerId = randomUUID();
  resources.use(
    new ServerStates({
      db,
      log,
      runner: { id: runnerId, host: hostname() },
      servers,
      stubs: [...tools.values()].map(({ description }) => description),
      unavailable,
      masker,
      maskingRules,
    }),
  );
  resources.use(serveRunbooks({ bus, db, masker, log, settings: config.runbooks }));
  resources.use(serveConnects({ bus, log, masker, unavailable, servers, authorizations }));
  resources.use(serveTools({ bus, db, audit, log, ...catalogue, running, runnerId }));
  await untilSubscribed(bus, signal);
  resources.use(
    await serveHealth({
      ...config.health,
      checks: {
        postgres: () => checkDatabase(db),
        nats: () => bus.check(),
        ...(servers === undefined ? {} : { tools: () => servers.checkListed() }),
      },
      metrics: registry,
    }),
  );
  log.info({ stubs: config.tools.size, servers: config.servers.length }, "tools loaded");
}

/** The MCP servers, unless stubs take the place of all of them: loading the client library takes time and memory. */
async function openServers(
  { servers, tools, environment: env, serverUser: user, maskingRules, maxProcesses }: ToolRunnerConfig,
  shared: { readonly masker: Masker; readonly authorizations: AuthorizationRows | undefined },
): Promise<McpServers | undefined> {
  const settings = servers.filter(({ id }) => !hasStubs(tools, id));
  if (settings.length === 0) return undefined;
  const loaded = await import("./mcp/mcp-servers.ts");
  return new loaded.McpServers({ settings, env, user, maxProcesses, maskingRules, ...shared });
}
