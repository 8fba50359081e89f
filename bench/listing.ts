import { writeFile } from "node:fs/promises";
import { McpServers } from "../services/tool-runner/mcp/mcp-servers.ts";
import { startHttpServer } from "../services/tool-runner/mcp/test/http-server.ts";
import { httpAt, settingsOf } from "../services/tool-runner/mcp/test/server-fixture.ts";
import { until } from "../test/support/until.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { formatTable } from "./support/format-table.ts";
import { percentile } from "./support/percentile.ts";
import { readNumberOptions } from "./support/read-number-options.ts";

const OPTIONS = { listings: { fallback: 200, max: 10_000 } };
const WARM_UP = 20;
const HEALTHY = ["a", "b", "c", "d"];
const HUNG = "hung";
/** Of the server that hangs, so that the warm-up does not take long. */
const CONNECT_TIMEOUT_MS = 500;

interface ListingFigures {
  readonly listing: string;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Of the p50 to that without the server that hangs. */
  readonly ratio: number;
}

/** What a server that hangs costs a list of the tools of five servers. */
export const listing: Benchmark = {
  summary: "a list of the tools of five MCP servers of which one hangs, against the four others",
  usage: `usage: npm run bench -- listing [options]

  --listings N   interleaved pairs of lists after the warm-up, 1 to 10000 (200)
  --json FILE    also writes the figures to FILE as JSON; the names end in the unit
  --help         prints this
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    const rows = await measure(number("listings"), context);
    context.print(render(rows));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(rows, null, 2)}\n`);
  },
};

async function measure(count: number, { progress, signal }: BenchmarkContext): Promise<ListingFigures[]> {
  const hang = () => undefined;
  await using hung = await startHttpServer("modern", { "server/discover": hang, initialize: hang });
  // Its lists are never fresh, so that each request asks it.
  await using healthy = await startHttpServer("modern", {});
  await using servers = new McpServers({
    settings: [
      settingsOf(httpAt(hung.url), { id: HUNG, connectTimeoutMs: CONNECT_TIMEOUT_MS }),
      ...HEALTHY.map((id) => settingsOf(httpAt(healthy.url), { id })),
    ],
    env: {},
  });
  const time = async (ids: readonly string[]) => {
    const startedAt = performance.now();
    const known = await servers.list(ids);
    const ms = performance.now() - startedAt;
    for (const id of HEALTHY) if (known.get(id)?.kind !== "listed") throw new Error(`${id} is not listed`);
    return ms;
  };
  progress("warm-up");
  servers.warm();
  await until("the server that hangs was waited for", async () => {
    const known = (await servers.list([HUNG])).get(HUNG);
    return known?.kind === "failed" && known.code === "unreachable";
  });
  const [without, withHung]: [number[], number[]] = [[], []];
  for (let i = -WARM_UP; i < count; i += 1) {
    signal.throwIfAborted();
    // In turns, so that neither always comes first.
    const isFirst = i % 2 === 0;
    const first = await time(isFirst ? HEALTHY : [HUNG, ...HEALTHY]);
    const second = await time(isFirst ? [HUNG, ...HEALTHY] : HEALTHY);
    if (i < 0) continue;
    without.push(isFirst ? first : second);
    withHung.push(isFirst ? second : first);
  }
  const base = percentile(without, 0.5);
  const figures = (name: string, values: readonly number[]): ListingFigures => ({
    listing: name,
    p50_ms: percentile(values, 0.5),
    p99_ms: percentile(values, 0.99),
    ratio: percentile(values, 0.5) / base,
  });
  return [figures("four servers", without), figures("and one that hangs", withHung)];
}

function render(rows: readonly ListingFigures[]): string {
  const table = rows.map((row) => [row.listing, row.p50_ms, row.p99_ms, row.ratio]);
  return `${formatTable([["listing", "p50 ms", "p99 ms", "ratio"], ...table])}\n`;
}
