import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { SseClient } from "../../../test/support/sse-client.ts";
import { ApiFixture } from "./api-fixture.ts";
import { sendRaw } from "./send-raw.ts";
import { SessionEvents, textEvent, times } from "./session-events.ts";

describe("compressJson()", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;
  let id: string;
  let events: string;

  before(async () => {
    api = resources.use(await ApiFixture.start());
    const log = resources.use(await SessionEvents.of(api));
    id = await api.client.submit("x");
    await log.commit(
      id,
      times(200, (n) => textEvent(id, `the pods of the shop restart again, ${n} times`)),
    );
    await log.complete(id);
    events = `/api/v1/sessions/${id}/events?limit=1000`;
  });
  after(() => resources.disposeAsync());

  const get = async (path: string, accepted?: string) =>
    sendRaw(api.port, "GET", path, accepted === undefined ? {} : { "accept-encoding": accepted });

  it("answers with Brotli, gzip or neither, as the client accepts it", async () => {
    const plain = await get(events);
    expect(plain.headers["content-encoding"]).to.equal(undefined);
    expect(plain.headers["content-length"]).to.equal(String(plain.body.length));
    const [br, gzip, zstd] = await Promise.all(
      ["gzip, deflate, br, zstd", "gzip, deflate", "zstd"].map(async (accepted) => get(events, accepted)),
    );
    expect(br?.headers["content-encoding"]).to.equal("br");
    expect(brotliDecompressSync(br?.body ?? "").equals(plain.body)).to.equal(true);
    expect(gzip?.headers["content-encoding"]).to.equal("gzip");
    expect(gunzipSync(gzip?.body ?? "").equals(plain.body)).to.equal(true);
    expect(zstd?.body.equals(plain.body)).to.equal(true);
    for (const answer of [plain, br, gzip]) {
      expect(answer?.headers["content-type"]).to.equal("application/json; charset=utf-8");
      expect(answer?.headers["vary"]).to.match(/accept-encoding/iu);
    }
    expect(plain.body.length / (br?.body.length ?? Infinity)).to.be.greaterThan(5);
    expect(plain.body.length / (gzip?.body.length ?? Infinity)).to.be.greaterThan(4);
  });

  it("leaves small answers and those without a body as they are", async () => {
    const small = await get("/api/v1/sessions/none", "br");
    expect(small.headers["content-encoding"]).to.equal(undefined);
    expect(JSON.parse(small.body.toString())).to.have.property("message");
    const head = await sendRaw(api.port, "HEAD", events, { "accept-encoding": "br" });
    expect(head.headers["content-encoding"]).to.equal(undefined);
    expect(head.headers["content-length"]).to.equal(String((await get(events)).body.length));
    expect(head.body).to.have.length(0);
  });

  it("never compresses an event stream, whose events must leave at once", async () => {
    const url = `http://127.0.0.1:${api.port}/api/v1/sessions/${id}/events`;
    await using stream = await SseClient.open(url, { "accept-encoding": "br, gzip" });
    expect(stream.headers.get("content-encoding")).to.equal(null);
    await stream.ids(201);
  });
});
