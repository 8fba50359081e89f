import { request } from "node:http";
import { readFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { FaultLab } from "../harness/fault-lab.ts";
import type { Scenario } from "../harness/scenario.ts";

const MEBIBYTE = 1_048_576;

interface Hostile {
  readonly what: string;
  readonly body: Buffer;
  readonly allowed: readonly number[];
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const HOSTILE: readonly Hostile[] = [
  { what: "a mebibyte of data", body: json({ data: "x".repeat(MEBIBYTE) }), allowed: [202] },
  { what: "one byte more", body: json({ data: "x".repeat(MEBIBYTE + 1) }), allowed: [413] },
  {
    what: "a mebibyte of control characters",
    body: json({ data: "\u0001".repeat(MEBIBYTE) }),
    allowed: [202],
  },
  { what: "invalid UTF-8", body: Buffer.from('{"data":"\xff\xfe\xc0"}', "latin1"), allowed: [202, 400] },
  {
    what: "NUL and lone surrogates",
    body: Buffer.from(String.raw`{"data":"a\u0000b\ud800c"}`),
    allowed: [202],
  },
  {
    what: "100,000 levels",
    body: Buffer.from(`{"data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
    allowed: [400, 422],
  },
  { what: "1e400", body: Buffer.from('{"data":"x","mcp":1e400}'), allowed: [202, 400, 422] },
  { what: "__proto__", body: Buffer.from('{"__proto__":{"data":"x"},"data":"y"}'), allowed: [202] },
  {
    what: "100,000 keys",
    body: json({ data: "x", ...Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n])) }),
    allowed: [202, 400, 422],
  },
  { what: "the same key twice", body: Buffer.from('{"data":"x","data":"y"}'), allowed: [202] },
  { what: "no JSON", body: Buffer.from("data=x"), allowed: [400] },
];

/** Any bytes may arrive at an open port: most must be refused, and none may exhaust memory or crash the process. */
export const hostileAlerts: Scenario = {
  name: "hostile-alerts",
  summary: "oversized, endless, malformed or malicious alerts are sent together with valid ones",
  run: async ({ lab: openLab, short, figure, expect }) => {
    const { rounds, floodBytes } = short
      ? { rounds: 1, floodBytes: 32 * MEBIBYTE }
      : { rounds: 5, floodBytes: 1024 * MEBIBYTE };
    const lab = await openLab({ executors: 1, slots: 5 });
    for (const { body } of HOSTILE) await post(lab, body); // warm
    const before = await residentBytes(lab);
    for (let round = 0; round < rounds; round += 1) {
      const good = lab.alerts.submitMany(3, { turns: 0 });
      for (const { what, body, allowed } of HOSTILE) {
        const status = await post(lab, body);
        expect(`${what} is answered with ${allowed.join(" or ")}`, allowed.includes(status), `${status}`);
      }
      await good;
    }
    const flooded = await flood(lab, floodBytes);
    expect(
      "an endless body is refused with 413 or its connection is closed",
      flooded === 413 || flooded === 0,
      `${flooded}`,
    );
    const grown = ((await residentBytes(lab)) - before) / 1e6;
    figure("growth of the api's memory", grown, "MB");
    expect("the api keeps running", lab.system.find("api").process.exitCode === null);
    await lab.untilAllTerminal();
  },
};

async function post(lab: FaultLab, body: Buffer): Promise<number> {
  const response = await fetch(`${lab.system.api}/api/v1/alerts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: new Uint8Array(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Sends a chunked body until the api answers or closes the connection; resolves with the status, or 0. */
async function flood(lab: FaultLab, bytes: number): Promise<number> {
  const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
  const sending = request(`${lab.system.api}/api/v1/alerts`, { method: "POST", headers });
  const answer = Promise.withResolvers<number>();
  sending.on("response", (response) => {
    response.resume();
    answer.resolve(response.statusCode ?? 0);
  });
  sending.on("error", () => answer.resolve(0));
  await pipeline(endlessAlert(bytes), sending).catch(() => undefined); // the api closed the connection
  return answer.promise;
}

function* endlessAlert(bytes: number): Iterable<Buffer> {
  yield Buffer.from('{"data":"');
  const block = Buffer.alloc(64 * 1024, "x");
  for (let sent = 0; sent < bytes; sent += block.length) yield block;
}

async function residentBytes(lab: FaultLab): Promise<number> {
  const status = await readFile(`/proc/${lab.system.find("api").process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/u.exec(status)?.[1]) * 1024;
}
