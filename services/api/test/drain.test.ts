import { once } from "node:events";
import { expect } from "chai";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { testConfigDirectory } from "../../../test/support/config-directory.ts";
import { HEALTH_VARIABLE, spawnService } from "../../../test/support/spawn-service.ts";
import { testPort } from "../../../test/support/test-port.ts";
import { untilReady } from "../../../test/support/until-ready.ts";
import { until } from "../../../test/support/until.ts";

describe("an api that is stopped", () => {
  const resources = new AsyncDisposableStack();
  after(() => resources.disposeAsync());

  it("answers for DRAIN_SECONDS after its health port is closed, so that a proxy can send requests elsewhere", async () => {
    const servers = resources.use(await BackingServers.choose({}));
    await servers.migrate();
    const { path } = resources.use(await testConfigDirectory());
    const [port, healthPort] = [await testPort(), await testPort()];
    const child = spawnService({
      name: "api",
      env: {
        DATABASE_URL: servers.postgres.serviceUrls.api,
        ...servers.natsEnvironment("api"),
        CONFIG_DIR: path,
        API_PORT: `${port}`,
        [HEALTH_VARIABLE.api]: `${healthPort}`,
        // The longest. Without it the server is closed with the health port.
        DRAIN_SECONDS: "10",
      },
      output: "ignore",
    });
    await untilReady("api", child, healthPort);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    const closed = async () =>
      fetch(`http://127.0.0.1:${healthPort}/healthz`).then(
        () => false,
        () => true,
      );
    await until("the health port is closed", closed);
    // Each on a connection of its own: a server that is closing would refuse one of them.
    for (let request = 0; request < 3; request++) {
      const url = `http://127.0.0.1:${port}/api/v1/alert-types`;
      expect((await fetch(url, { headers: { connection: "close" } })).status).to.equal(200);
    }
    const submission = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"data":"disk full"}',
    };
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/alerts`, submission)).status).to.equal(202);
    await exited;
    expect(child.exitCode).to.equal(0);
  });
});
