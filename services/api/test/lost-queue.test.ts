import { expect } from "chai";
import { pino } from "pino";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { pullSession } from "#shared/bus/pull-session.ts";
import { EVENTS_STREAM, EXECUTORS_DURABLE, SESSIONS_STREAM } from "#shared/contracts/subjects.ts";
import { BackingServers } from "../../../test/support/backing-servers.ts";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";
import { SESSIONS_QUEUE } from "#shared/contracts/wake-up-queue.ts";

const { signal } = new AbortController();
const log = pino({ level: "silent" });
const SWEEP_MS = 100;

describe("a lost queue", () => {
  const resources = new AsyncDisposableStack();
  let servers: BackingServers;
  /** As an executor, which may not create what it pulls from. */
  let executor: Bus;
  let test: Bus;

  before(async () => {
    servers = resources.use(await BackingServers.start());
    const connect = async (url: string) =>
      resources.use(await openBus({ url, name: "lost-queue", log, signal }));
    executor = await connect(servers.natsUrl("executor"));
    test = await connect(servers.natsUrl("test"));
  });
  after(() => resources.disposeAsync());

  const startApi = async (): Promise<ApiFixture> => {
    const api = await ApiFixture.start({ servers });
    api.sweep(SWEEP_MS);
    return api;
  };
  const loseStore = async () => {
    await servers.killNats();
    await servers.loseNatsStore();
    await servers.restartNats();
    for (const bus of [executor, test]) {
      await until("the test is connected again", async () => bus.check().then(() => true));
    }
  };
  const pulled = async (sessionId: string) =>
    until("the session is delivered", async () => {
      const delivery = await pullSession(executor, SESSIONS_QUEUE, signal);
      await delivery?.ack();
      return delivery?.sessionId === sessionId;
    });
  const consumerExists = async () => {
    await test.jsm.consumers.info(SESSIONS_STREAM, EXECUTORS_DURABLE);
    return true;
  };

  it("is created by the api at its start, also when that is later than the loss", async () => {
    await loseStore();
    expect(
      await pullSession(executor, SESSIONS_QUEUE, signal).catch((error: unknown) => error),
    ).to.be.instanceOf(Error);
    await using api = await startApi();
    await pulled(await api.client.submit("x"));
  });

  it("is created again when NATS lost its store while the api runs", async () => {
    await using api = await startApi();
    await until("the consumer exists", consumerExists);
    const before = await api.client.submit("before");
    await loseStore();
    await pulled(before);
    await pulled(await api.client.submit("after"));
    const { config } = await test.jsm.streams.info(EVENTS_STREAM);
    expect(config.subjects).to.deep.equal(["tarsy.events.*"]);
  });

  it("is created again when only the consumer or a stream is gone and the connection stays", async () => {
    await using api = await startApi();
    await until("the consumer exists", consumerExists);
    await test.jsm.consumers.delete(SESSIONS_STREAM, EXECUTORS_DURABLE);
    await pulled(await api.client.submit("without a consumer"));
    await test.jsm.streams.delete(SESSIONS_STREAM);
    await pulled(await api.client.submit("without a stream"));
  });
});
