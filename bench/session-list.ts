import { writeFile } from "node:fs/promises";
import { Client } from "pg";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { indexSessions } from "../services/api/sweeper/index-sessions.ts";
import { ApiFixture } from "../services/api/test/api-fixture.ts";
import { BackingServers } from "../test/support/backing-servers.ts";
import { seedManySessions } from "./session-list/seed-many-sessions.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { formatTable } from "./support/format-table.ts";
import { percentile } from "./support/percentile.ts";
import { readNumberOptions } from "./support/read-number-options.ts";

const OPTIONS = { sessions: { fallback: 100_000, max: 1_000_000 }, rounds: { fallback: 5, max: 1_000 } };
const PAGES = 20;

/** The lists that are read, by the query of each; the words are those of `seedManySessions`. */
const LISTS: Readonly<Record<string, string>> = {
  "newest first": "",
  "oldest first": "sort_order=asc",
  "by status": "sort_by=status&sort_order=asc",
  "by alert type": "sort_by=alert_type",
  "by author": "sort_by=author&sort_order=asc",
  "by duration": "sort_by=duration",
  "by duration, shortest first": "sort_by=duration&sort_order=asc",
  "by rating": "sort_by=quality_rating",
  "filter: status": "status=failed,timed_out",
  "filter: alert type, chain": "alert_type=type-3&chain_id=chain-3",
  "filter: type by duration": "alert_type=type-7&sort_by=duration",
  "filter: review": "review_status=needs_review&status=failed",
  "search: in every alert": "search=namespace",
  "search: in a tenth": "search=tenthword",
  "search: in a hundredth": "search=hundredthword",
  "search: in five": "search=rareword",
  "search: in none": "search=nowhereword",
  "search: in tool results": "search=evicting",
  "search: few, by the index": "search=toolword",
  "search: common, filtered": "search=namespace&alert_type=type-3&status=failed",
  "search: common, by duration": "search=namespace&sort_by=duration",
};

const parsePage = compileParser(
  "page of sessions",
  Type.Object(
    { pagination: Type.Object({ total_items: Type.Integer() }, { additionalProperties: true }) },
    { additionalProperties: true },
  ),
);

interface Figures {
  readonly list: string;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly max_ms: number;
  /** What the first page says. */
  readonly total_items: number;
}

/** How fast sessions are listed, filtered and searched. */
export const sessionList: Benchmark = {
  summary:
    "the first 20 pages of the list of 100,000 sessions, sorted, filtered and searched, and the summary of their usage",
  usage: `usage: npm run bench -- session-list [options]

  --sessions N   sessions that are stored before, 1 to 1000000 (100000)
  --rounds N     how often the pages of a list are read after the first time, 1 to 1000 (5)
  --json FILE    also writes the figures to FILE as JSON; the names end in the unit
  --help         prints this
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    const figures = await measure(number("sessions"), number("rounds"), context);
    context.print(render(figures));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(figures, null, 2)}\n`);
  },
};

async function measure(
  sessions: number,
  rounds: number,
  { progress, signal }: BenchmarkContext,
): Promise<Figures[]> {
  await using servers = await BackingServers.start();
  await using api = await ApiFixture.start({ servers });
  progress(`storing ${sessions} sessions`);
  await seedManySessions(api.db, sessions, signal);
  progress("indexing them");
  const startedAt = performance.now();
  await indexAll(api, signal);
  progress(`indexed in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  const get = async (path: string) => {
    signal.throwIfAborted();
    const sentAt = performance.now();
    const { status, text } = await api.raw("GET", `/api/v1/${path}`);
    if (status !== 200) throw new Error(`${path} is answered with ${status}: ${text.slice(0, 200)}`);
    return { ms: performance.now() - sentAt, text };
  };
  const figures: Figures[] = [];
  for (const [list, query] of Object.entries(LISTS)) {
    const times: number[] = [];
    let total = 0;
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (let page = 1; page <= PAGES; page += 1) {
        const { ms, text } = await get(`sessions?page=${page}&${query}`);
        if (round > 0) times.push(ms);
        if (page === 1) total = parsePage(JSON.parse(text)).pagination.total_items;
      }
    }
    figures.push(figuresOf(list, times, total));
  }
  const window = `start_date=${daysAgo(364)}&end_date=${daysAgo(-1)}`;
  for (const [name, path] of Object.entries({
    active: "sessions/active",
    "triage: to review": "sessions/triage/needs_review?page=1&page_size=20",
    "triage: reviewed, page 20": "sessions/triage/reviewed?page=20&page_size=20",
    "triage: running": "sessions/triage/investigating",
    "filter-options": "sessions/filter-options",
    "usage of a year": `usage/summary?${window}`,
  })) {
    const times: number[] = [];
    for (let n = -PAGES; n < rounds * PAGES; n += 1) {
      const { ms } = await get(path);
      if (n >= 0) times.push(ms);
    }
    figures.push(figuresOf(name, times, 0));
  }
  return figures;
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

/** As the sweeper does, with the two large indexes built at the end. */
async function indexAll(api: ApiFixture, signal: AbortSignal): Promise<void> {
  await api.db.query("DROP INDEX session_texts_content, timeline_words_words");
  await indexSessions(api.deps.db, signal);
  const owner = new Client({ connectionString: api.db.url });
  await owner.connect();
  await owner.query("SET maintenance_work_mem = '1GB'");
  await owner.query("CREATE INDEX session_texts_content ON session_texts USING gin (content gin_trgm_ops)");
  await owner.query("CREATE INDEX timeline_words_words ON timeline_words USING gin (words)");
  await owner.query("VACUUM ANALYZE");
  await owner.end();
}

function figuresOf(list: string, times: readonly number[], total_items: number): Figures {
  return {
    list,
    p50_ms: percentile(times, 0.5),
    p95_ms: percentile(times, 0.95),
    max_ms: Math.max(...times),
    total_items,
  };
}

function render(figures: readonly Figures[]): string {
  const rows = figures.map((row) => [row.list, row.p50_ms, row.p95_ms, row.max_ms, String(row.total_items)]);
  return `${formatTable([["list", "p50 ms", "p95 ms", "max ms", "total"], ...rows])}\n`;
}
