import { randomUUID } from "node:crypto";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { pino } from "pino";
import { Type } from "typebox";
import { ensureDurables, ensureStreams } from "#shared/bus/ensure-streams.ts";
import { openBus } from "#shared/bus/open-bus.ts";
import { pullSession } from "#shared/bus/pull-session.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { SESSIONS_QUEUE } from "#shared/contracts/wake-up-queue.ts";
import { startNatsIn } from "../../test/support/start-servers.ts";
import { testPort } from "../../test/support/test-port.ts";
import { wakeSession } from "../../test/support/wake-session.ts";

const SCALER = join(import.meta.dirname, "../chart/templates/autoscaler.yaml");
const loose = { additionalProperties: true } as const;
const Consumer = Type.Object(
  { name: Type.String(), num_pending: Type.Integer(), num_ack_pending: Type.Integer() },
  loose,
);
const Stream = Type.Object(
  { name: Type.String(), consumer_detail: Type.Optional(Type.Array(Consumer)) },
  loose,
);
/** What KEDA's scaler reads of NATS: it takes the sum of both numbers for the length of the queue. */
const parseQueues = compileParser(
  "answer of /jsz",
  Type.Object(
    { account_details: Type.Array(Type.Object({ stream_detail: Type.Array(Stream) }, loose)) },
    loose,
  ),
);

describe("the queue by which KEDA scales executors", () => {
  it("has the waiting and the running sessions, under the names of the chart", async () => {
    await using resources = new AsyncDisposableStack();
    const directory = resources.use(await mkdtempDisposable(join(tmpdir(), "tarsy-keda-"))).path;
    const monitorPort = await testPort();
    const nats = await startNatsIn({ directory, port: 0, monitorPort });
    resources.defer(() => nats.stop());
    const { signal } = new AbortController();
    const bus = resources.use(
      await openBus({ url: nats.url, name: "test", log: pino({ level: "silent" }), signal }),
    );
    await ensureStreams(bus, { replicas: 1 });
    await ensureDurables(bus, { maxSessions: 5, maxFollowups: 2 });
    for (let sessions = 0; sessions < 3; sessions++) await wakeSession(bus, randomUUID());
    await pullSession(bus, SESSIONS_QUEUE, signal);

    const scaler = await readFile(SCALER, "utf8");
    const named = (key: string) => new RegExp(`^ +${key}: (.*)$`, "mu").exec(scaler)?.[1] ?? "";
    const query = new URLSearchParams({ acc: named("account"), consumers: "true", config: "true" });
    const response = await fetch(`http://127.0.0.1:${monitorPort}/jsz?${query.toString()}`);
    const [account] = parseQueues(await response.json()).account_details;
    const stream = account?.stream_detail.find(({ name }) => name === named("stream"));
    const consumer = stream?.consumer_detail?.find(({ name }) => name === named("consumer"));
    expect(consumer).to.include({ num_pending: 2, num_ack_pending: 1 });
  });
});
