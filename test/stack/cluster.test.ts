import { expect } from "chai";
import { testConfigDirectory } from "../support/config-directory.ts";
import { TarsyClient } from "../support/tarsy-client.ts";
import { until } from "../support/until.ts";
import { findEngine } from "./container-engine.ts";
import { expectWhole } from "./expect-whole.ts";
import { Load } from "./load.ts";
import { Stack } from "./stack.ts";
import { STACK_CONFIG } from "./stack-config.ts";

describe("the compose stack on three NATS servers", () => {
  const resources = new AsyncDisposableStack();
  let stack: Stack;
  let client: TarsyClient;

  before(async () => {
    const { path } = resources.use(await testConfigDirectory(STACK_CONFIG));
    const engine = await findEngine();
    stack = resources.use(await Stack.start({ engine, configDir: path, settings: { EXECUTORS: "2" } }));
    client = new TarsyClient(stack.urls);
    const load = new Load(client, stack.urls.ws);
    await load.submit("with one server", "steps");
    await expectWhole(stack, load);
    // What was stored by one server is taken over by three.
    await stack.takeDown();
    await stack.overlay("compose.cluster.yml");
    // Servers that have never elected a leader cannot go on without one of them; until they have, the proxy may refuse requests.
    await until("a first session completes", async () => {
      const first = await client.submit("with three servers");
      return (await client.waitFor(first, ["completed"])) !== undefined;
    });
  });
  after(async () => resources.disposeAsync());
  afterEach(async function () {
    if (this.currentTest?.state === "failed") process.stderr.write(await stack.output());
  });

  it("gives the streams of one server their replicas", async () => {
    await until("the api has prepared the streams", async () => {
      const { body } = await client.request("GET", "/health");
      return body["status"] === "healthy";
    });
    const url = "http://127.0.0.1:8222/jsz?streams=1&config=1";
    const text = await stack.podman("exec", await nodeOf("nats"), "wget", "-q", "-O", "-", url);
    expect([...text.matchAll(/"num_replicas": (\d)/gu)].map(([, replicas]) => replicas))
      .to.include("3")
      .and.not.include("1");
  });

  const nodeOf = async (service: string) => (await stack.containers(service))[0] ?? "";
  const nodes = ["nats", "nats-2", "nats-3"];
  const unfinished = async () => {
    const [[count = ""] = []] = await stack.query(
      "SELECT count(*) FROM alert_sessions WHERE status IN ('pending', 'in_progress')",
    );
    return Number(count);
  };

  for (const victim of nodes) {
    it(`continues with two servers when ${victim} is killed under load`, async () => {
      const load = new Load(client, stack.urls.ws);
      const container = await nodeOf(victim);
      const loseOne = async () => {
        await until("the load has begun", () => load.sessions.length > 4);
        await stack.halt(container);
        await until("a new session completes", async () => {
          const later = await client.submit("with two servers");
          return (await client.waitFor(later, ["completed"])) !== undefined;
        });
      };
      await load.during(loseOne, "steps", 8);
      await expectWhole(stack, load);
      await stack.revive(container);
    });
  }

  it("waits while one server of three is left, and loses nothing", async () => {
    const load = new Load(client, stack.urls.ws);
    const [first, second] = [await nodeOf("nats-2"), await nodeOf("nats-3")];
    for (let index = 0; index < 24; index++) await load.submit(`before ${index}`, "steps");
    await stack.halt(first);
    await stack.halt(second);
    for (let index = 0; index < 8; index++) await load.submit(`with one server ${index}`, "steps");
    expect(await unfinished()).to.be.greaterThan(0);
    await stack.revive(first);
    await expectWhole(stack, load);
    await stack.revive(second);
  });
});
