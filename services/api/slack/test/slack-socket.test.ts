import { expect } from "chai";
import { pino } from "pino";
import { SlackServer } from "../../../../test/support/slack-server.ts";
import { until } from "../../../../test/support/until.ts";
import { SocketRefused, keepSocket, type Envelope } from "../socket/slack-socket.ts";

const TIMES = { quietMs: 1_000, helloMs: 1_000, retries: { firstMs: 20, lastMs: 100 }, refusedMs: 50 };
const log = pino({ level: "silent" });

describe("the connection of Socket Mode", () => {
  let resources: AsyncDisposableStack;
  let slack: SlackServer;
  let received: unknown[];
  let failsToStore: number;

  beforeEach(async () => {
    resources = new AsyncDisposableStack();
    slack = resources.use(await SlackServer.open({ ackMs: 100, pingMs: 50 }));
    received = [];
    failsToStore = 0;
  });
  afterEach(() => resources.disposeAsync());

  const ticket = async () => Promise.resolve(new URL(slack.sockets.ticket(portOf(slack.url))));
  const connect = async (
    openTicket: () => Promise<URL> = ticket,
    more: Partial<Parameters<typeof keepSocket>[0]> = {},
  ) => {
    const stopping = new AbortController();
    const store = async ({ payload }: Envelope) => {
      failsToStore -= 1;
      if (failsToStore >= 0) return Promise.reject(new Error("no database"));
      received.push(Reflect.get(Object(payload), "event"));
      return Promise.resolve();
    };
    const deps = { log, openTicket, store, onConnected: () => undefined, times: TIMES, ...more };
    const kept = keepSocket(deps, stopping.signal);
    resources.defer(async () => {
      stopping.abort(new Error("the test ends"));
      await kept;
    });
    await until("it is connected", () => slack.sockets.open.length > 0);
  };
  const emit = (n: number) => slack.emit({ type: "app_mention", n });
  const numbers = () => received.map((event) => Number(Reflect.get(Object(event), "n")));

  it("acknowledges what is stored, and not what is not: that is sent again", async () => {
    await connect();
    failsToStore = 2;
    emit(1);
    await until("it is acknowledged", () => slack.sockets.acks.length === 1);
    expect(numbers()).to.deep.equal([1]);
    expect(failsToStore).to.equal(-1);
  });

  it("is replaced before it is closed, so that nothing waits for it", async () => {
    await connect();
    for (let round = 1; round <= 3; round += 1) {
      const { connected } = slack.sockets;
      slack.sockets.recycle();
      await until("the next one is open", () => slack.sockets.connected === connected + 1);
      await until("the old one is closed", () => slack.sockets.open.length === 1);
    }
    expect(slack.sockets.mostOpen).to.equal(2);
    emit(1);
    await until("it is received", () => received.length === 1);
  });

  it("is replaced at nine tenths of its time", async () => {
    slack.sockets.faults.connectionSeconds = 0.3;
    await connect();
    await until("it was replaced", () => slack.sockets.connected >= 3);
    expect(slack.sockets.mostOpen).to.equal(2);
  });

  it("is opened again after a cut, after silence, and after Slack gave no address", async () => {
    let refusals = 0;
    await connect(async () => {
      refusals += 1;
      return refusals % 2 === 0 ? Promise.reject(new Error("status 503")) : ticket();
    });
    slack.sockets.cut();
    await until("it is open again", () => slack.sockets.connected === 2);
    slack.sockets.faults.pings = false;
    await until("silence is noticed", () => slack.sockets.connected === 3);
    slack.sockets.faults.pings = true;
    emit(1);
    await until("it is received", () => received.length === 1);
  });

  it("is tried again later where the app may not connect, and where Socket Mode is switched off", async () => {
    let tries = 0;
    await connect(async () => {
      tries += 1;
      return tries < 3 ? Promise.reject(new SocketRefused("invalid_auth")) : ticket();
    });
    expect(tries).to.equal(3);
    slack.sockets.recycle("link_disabled");
    await until("it is open again", () => slack.sockets.connected === 2);
  });

  it("is opened more and more seldom while each one ends at once", async () => {
    const times = { ...TIMES, retries: { firstMs: 100, lastMs: 800 } };
    const { openedAtMs } = slack.sockets;
    const onConnected = () => openedAtMs.length < 5 && slack.sockets.cut();
    await connect(ticket, { times, onConnected });
    await until("it has ended four times", () => openedAtMs.length === 5);
    const [last = 0, before = 0] = openedAtMs.toReversed();
    // Half of the wait is the least.
    expect(last - before).to.be.at.least(390);
  });

  it("uses each address once", async () => {
    const used = await ticket();
    let given = 0;
    await connect(async () => {
      given += 1;
      return given <= 2 ? Promise.resolve(used) : ticket();
    });
    expect(given).to.equal(1);
    slack.sockets.cut();
    await until("it is open again", () => slack.sockets.connected === 2);
    slack.sockets.cut();
    await until("it is open again with another one", () => slack.sockets.connected === 3);
    expect(given).to.be.at.least(3);
  });
});

function portOf(url: string): number {
  return Number(new URL(url).port);
}
