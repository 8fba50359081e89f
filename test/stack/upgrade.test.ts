import { join } from "node:path";
import { expect } from "chai";
import { writeLastVersion } from "../faults/harness/last-version.ts";
import { testConfigDirectory } from "../support/config-directory.ts";
import { TarsyClient } from "../support/tarsy-client.ts";
import { findEngine } from "./container-engine.ts";
import { expectWhole } from "./expect-whole.ts";
import { Load } from "./load.ts";
import { Stack } from "./stack.ts";
import { UPGRADE_CONFIG, STACK_SLOTS } from "./stack-config.ts";

/** As docs/operations.md orders them. */
const ORDER = ["api", "notifier", "llm-gateway", "tool-runner", "executor"];

describe("the compose stack of the last version, upgraded under load", () => {
  const resources = new AsyncDisposableStack();
  let stack: Stack;
  let client: TarsyClient;

  before(async () => {
    const { path } = resources.use(await testConfigDirectory(UPGRADE_CONFIG));
    const last = resources.use(await writeLastVersion());
    const engine = await findEngine();
    const settings = { EXECUTORS: "2", API_REPLICAS: "2" };
    stack = resources.use(await Stack.start({ engine, configDir: path, settings, checkout: last.path }));
    client = new TarsyClient(stack.urls);
  });
  after(async () => resources.disposeAsync());
  afterEach(async function () {
    if (this.currentTest?.state === "failed") process.stderr.write(await stack.output());
  });

  it("loses no session and repeats no step", async () => {
    const load = new Load(client, stack.urls.ws);
    const upgrade = async () => {
      await stack.prepareUpgrade();
      for (const once of ["database-init", "migrate"]) {
        await stack.compose("up", "--no-deps", "--force-recreate", once);
      }
      const users = join(import.meta.dirname, "../../deploy/nats/users.conf");
      for (const nats of await stack.containers("nats")) {
        await stack.podman("stop", nats);
        await stack.podman("cp", users, `${nats}:/etc/nats/users.conf`);
        await stack.podman("start", nats);
        await stack.healthy(nats);
      }
      for (const service of ORDER) {
        for (const container of await stack.containers(service)) await stack.replace(service, container);
      }
    };
    await load.during(upgrade, "steps", STACK_SLOTS);
    await load.submit("after the upgrade", "steps");
    process.stdout.write(`      ${load.sessions.length} alerts, ${load.refused} submissions repeated\n`);
    await expectWhole(stack, load);
  });

  it("runs this version everywhere", async () => {
    const containers = await Promise.all(ORDER.map(async (service) => stack.containers(service)));
    for (const container of containers.flat()) {
      const image = await stack.podman("inspect", "--format", "{{.ImageName}}", container);
      expect(image.trim(), container).to.equal(`localhost/tarsy:${stack.name}-next`);
    }
  });

  it("goes on after everything is brought up as the compose file says", async () => {
    await stack.compose("up", "--detach");
    await stack.allHealthy();
    const load = new Load(client, stack.urls.ws);
    await load.submit("after up", "steps");
    await expectWhole(stack, load);
  });
});
