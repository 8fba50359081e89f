import { testConfigDirectory } from "../../test/support/config-directory.ts";
import type { BackingServers } from "../../test/support/backing-servers.ts";
import { spawnService } from "../../test/support/spawn-service.ts";
import { testPort } from "../../test/support/test-port.ts";
import { untilReady } from "../../test/support/until-ready.ts";
import { untilExited } from "./until-exited.ts";

/** An api without the other services. */
export interface BenchApi extends AsyncDisposable {
  readonly api: string;
  readonly pid: number;
}

/** Starts an api alone, with this configuration over that of tests. */
export async function startBenchApi(servers: BackingServers, tarsy: object): Promise<BenchApi> {
  const resources = new AsyncDisposableStack();
  const { path } = resources.use(await testConfigDirectory({ tarsy }));
  const [port, healthPort] = [await testPort(), await testPort()];
  const child = spawnService({
    name: "api",
    env: {
      DATABASE_URL: servers.postgres.serviceUrls.api,
      ...servers.natsEnvironment("api"),
      CONFIG_DIR: path,
      API_PORT: String(port),
      API_HEALTH_PORT: String(healthPort),
    },
    // As where the lines are collected: they are written, but not to a terminal.
    output: "ignore",
  });
  resources.defer(async () => {
    child.kill("SIGKILL");
    await untilExited(child);
  });
  await untilReady("api", child, healthPort);
  return {
    api: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
