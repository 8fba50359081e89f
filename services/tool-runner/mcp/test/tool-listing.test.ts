import type { ServerResponse } from "node:http";
import { expect } from "chai";
import { until } from "../../../../test/support/until.ts";
import { ProcessLimit } from "../process-limit.ts";
import { ServerConnections } from "../server-connections.ts";
import { ServerToolListing, type KnownTools } from "../tool-listing.ts";
import { startHttpServer, type Answer } from "./http-server.ts";
import { depsOf, httpAt, settingsOf } from "./server-fixture.ts";

const never = new AbortController().signal;
/** A request that waits for the server waits longer than the test. */
const HOUR = 3_600_000;

const failWith = (status: number) => (response: ServerResponse) => response.writeHead(status).end();

/** A listing over HTTP whose server does with each list request what `behave` says, at a time that the test sets. */
async function listingOf(ttlMs = 60_000) {
  const resources = new AsyncDisposableStack();
  const clock = { now: 0 };
  let version = 0;
  let hanging = 0;
  const behaviour: { list: "answer" | "hang" | "fail" } = { list: "answer" };
  const list: Answer = (_request, response, id) => {
    if (behaviour.list === "hang") hanging += 1;
    else if (behaviour.list === "fail") failWith(500)(response);
    else {
      version += 1;
      const tools = [{ name: "echo", description: `version ${version}`, inputSchema: { type: "object" } }];
      server.respond(response, id, {
        tools,
        ...(ttlMs === undefined ? {} : { ttlMs, cacheScope: "private" }),
      });
    }
  };
  const server = await startHttpServer("modern", { "tools/list": list });
  resources.use(server);
  const deps = depsOf(settingsOf(httpAt(server.url)));
  const limit = new ProcessLimit(1, () => undefined);
  const connections = resources.use(new ServerConnections({ ...deps, limit }));
  const { settings, mask } = deps;
  const listing = new ServerToolListing({ settings, connections, mask, signal: never, now: () => clock.now });
  return {
    listing,
    clock,
    behaviour,
    hanging: () => hanging,
    [Symbol.asyncDispose]: async () => resources.disposeAsync(),
  };
}

function shown(known: KnownTools): string {
  if (known.kind === "failed") return known.code;
  return `${known.tools.map(({ description }) => description).join()}${known.isStale ? ", stale" : ""}`;
}

describe("ToolListing", () => {
  it("answers with the old list, marked, while a server that answered before hangs", async () => {
    await using server = await listingOf();
    const { listing, clock, behaviour } = server;
    expect(shown(await listing.get(HOUR))).to.equal("version 1");
    behaviour.list = "hang";
    clock.now += 61_000;
    expect(shown(await listing.get(HOUR))).to.equal("version 1, stale");
    await until("it was asked", () => server.hanging() === 1);
    expect(shown(await listing.get(HOUR))).to.equal("version 1, stale");
    clock.now += 10 * 60_000;
    expect(shown(await listing.get(5_000))).to.equal("not_listed_yet");
  });

  it("answers with the last failure while the server is asked again", async () => {
    await using server = await listingOf();
    const { listing, clock, behaviour } = server;
    behaviour.list = "fail";
    expect(shown(await listing.get(HOUR))).to.equal("http_status");
    behaviour.list = "hang";
    clock.now += 60_000;
    expect(shown(await listing.get(HOUR))).to.equal("http_status");
    await until("it was asked", () => server.hanging() === 1);
    expect(shown(await listing.get(HOUR))).to.equal("http_status");
  });

  it("waits for a server of which nothing is known only since it was asked", async () => {
    await using server = await listingOf();
    const { listing, clock, behaviour } = server;
    behaviour.list = "hang";
    void listing.refresh().catch(() => undefined);
    clock.now += 5_000;
    expect(listing.isAwaited).to.equal(true);
    expect(shown(await listing.get(5_000))).to.equal("not_listed_yet");
  });

  it("does not ask a failing server with each request", async () => {
    await using server = await listingOf();
    const { listing, clock, behaviour } = server;
    behaviour.list = "fail";
    await listing.get(HOUR);
    behaviour.list = "answer";
    expect(shown(await listing.get(HOUR))).to.equal("http_status");
    clock.now += 60_000;
    await listing.get(HOUR);
    await until("it is listed", () => listing.last !== undefined);
    expect(shown(await listing.get(HOUR))).to.equal("version 1");
  });

  it("asks again after the time that the server sets, but after a minute at the latest", async () => {
    await using brief = await listingOf(5_000);
    await using long = await listingOf(HOUR);
    for (const { listing, clock } of [brief, long]) {
      expect(shown(await listing.get(HOUR))).to.equal("version 1");
      clock.now += 4_000;
      expect(shown(await listing.get(HOUR))).to.equal("version 1");
      clock.now += 2_000;
    }
    expect(shown(await brief.listing.get(HOUR))).to.equal("version 2");
    expect(shown(await long.listing.get(HOUR))).to.equal("version 1");
    long.clock.now += 60_000;
    expect(shown(await long.listing.get(HOUR))).to.equal("version 2");
  });

  it("asks again when the server says that its tools have changed", async () => {
    await using server = await listingOf();
    await server.listing.get(HOUR);
    server.listing.expire();
    expect(shown(await server.listing.get(HOUR))).to.equal("version 2");
    expect(shown(await server.listing.get(HOUR))).to.equal("version 2");
  });

  it("renews lists before they are old, those in use more often", async () => {
    await using server = await listingOf();
    const { listing, clock } = server;
    const renewed = async (version: number) => {
      listing.keepWarm();
      await until("it is renewed", () => listing.last?.tools[0]?.description === `version ${version}`);
    };
    await listing.get(HOUR);
    clock.now += 41_000;
    await renewed(2);
    clock.now += 20_000;
    expect(shown(await listing.get(HOUR))).to.equal("version 2");
    clock.now += 11 * 60_000;
    await renewed(3);
    clock.now += 3 * 60_000;
    listing.keepWarm();
    clock.now += 60_000;
    await renewed(4);
  });
});
