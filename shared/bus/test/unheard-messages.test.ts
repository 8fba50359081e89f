import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { pino } from "pino";
import { openBus, type Bus } from "#shared/bus/open-bus.ts";
import { SUBJECTS } from "#shared/contracts/subjects.ts";
import { until } from "../../../test/support/until.ts";
import { BusFixture } from "./bus-fixture.ts";

const { signal } = new AbortController();
const BODY = new Uint8Array(1);

describe("publishAndLook", () => {
  let fixture: BusFixture;
  let bus: Bus;

  before(async () => {
    fixture = await BusFixture.start({ ownServers: true });
    const url = fixture.servers.natsUrl("executor");
    bus = await openBus({ url, name: "executor", log: pino({ level: "silent" }), signal });
  });
  after(async () => {
    await bus[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const somewhere = () => SUBJECTS.chunks(randomUUID());
  /** The numbers of the messages of which the server has said that they are unheard. */
  const unheardOf = async (subjects: readonly string[]): Promise<number[]> => {
    const unheard: number[] = [];
    for (const [n, subject] of subjects.entries()) bus.publishAndLook(subject, BODY, () => unheard.push(n));
    await bus.flush();
    return unheard;
  };

  it("tells of each message that no one subscribes to before the next flush resolves", async () => {
    const followed = somewhere();
    let heard = 0;
    fixture.bus.subscribe(followed, { callback: () => heard++ });
    await fixture.bus.flush();
    expect(await unheardOf([somewhere(), followed, somewhere(), followed])).to.deep.equal([0, 2]);
    await until("the others are heard", () => heard === 2);
  });

  it("gives up the oldest of more than 1,024 messages", async () => {
    const unheard = await unheardOf(Array.from({ length: 1_025 }, somewhere));
    expect([unheard.length, unheard[0]]).to.deep.equal([1_024, 1]);
  });

  it("tells of messages on the next connection", async () => {
    const { lost } = bus;
    await fixture.servers.killNats();
    await fixture.servers.restartNats();
    await until("the connection is lost", () => lost.aborted);
    await bus.untilConnected(signal);
    expect(await unheardOf([somewhere()])).to.deep.equal([0]);
  });
});
