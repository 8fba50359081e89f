import { writeFile } from "node:fs/promises";
import { hasBrowser } from "../../test/web/support/browser.ts";
import { SESSION_CONFIG } from "../../test/web/support/session-script.ts";
import { WebFixture } from "../../test/web/support/web-fixture.ts";
import { UsageError } from "../../scripts/tarsy/command.ts";
import type { Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { formatTable } from "./support/format-table.ts";
import { readNumberOptions } from "./support/read-number-options.ts";
import { FakeNotifier } from "./web/fake-notifier.ts";
import { measureList, type ListFigures } from "./web/measure-list.ts";
import { measureSessions, type SessionScreenFigures } from "./web/measure-sessions.ts";
import { measureStorm, type StormScreenFigures } from "./web/measure-storm.ts";

const OPTIONS = {
  entries: { fallback: 3_400, max: 50_000 },
  rounds: { fallback: 3, max: 100 },
  seconds: { fallback: 30, max: 600 },
  chunks: { fallback: 5_000, max: 100_000 },
};
const AGENTS = 4;

interface WebFigures {
  readonly list: ListFigures;
  readonly sessions: readonly SessionScreenFigures[];
  readonly storm: StormScreenFigures;
}

/** What the page costs in a browser, against a page without data in the same run. */
export const web: Benchmark = {
  summary:
    "the page in a browser: list, a session of many events, thousands of chunks a second, against an empty page",
  usage: `usage: npm run bench -- web [options]

  --entries N   entries that are added to each of three agents, 1 to 50000 (3400)
  --rounds N    1 to 100 (3); the medians are printed
  --seconds N   of text that four models write at once, 1 to 600 (30)
  --chunks N    of it a second, 1 to 100000 (5000)
  --json FILE   also writes the figures to FILE as JSON; the names end in the unit
  --help        prints this

CHROMIUM names the browser.
`,
  run: async (args, context) => {
    const { number, jsonFile } = readNumberOptions(args, OPTIONS);
    if (!hasBrowser()) throw new UsageError("this benchmark needs a browser: set CHROMIUM");
    const figures = await measure(number, context);
    context.print(render(figures));
    if (jsonFile !== undefined) await writeFile(jsonFile, `${JSON.stringify(figures, null, 2)}\n`);
  },
};

async function measure(
  number: (name: string) => number,
  { progress }: BenchmarkContext,
): Promise<WebFigures> {
  await using notifier = await FakeNotifier.start({ agents: AGENTS, chunksPerSecond: number("chunks") });
  // Sessions that are over need no notifier.
  await using fixture = new WebFixture();
  await fixture.start({ config: SESSION_CONFIG, env: { NOTIFIER_ADDR: notifier.address } });
  const sessions = await measureSessions(fixture, number("entries"), number("rounds"), progress);
  progress("list");
  const list = await measureList(fixture);
  progress(`${number("chunks")} chunks a second for ${number("seconds")} s`);
  const storm = await measureStorm(fixture, notifier, fixture.pipeline.client, number("seconds"));
  return { list, sessions, storm };
}

function render({ list, sessions, storm }: WebFigures): string {
  const sessionHead = [
    "page",
    "open ms",
    "to empty",
    "after last byte ms",
    "scroll fps",
    "to rest",
    "longest task ms",
    "rows",
  ];
  const listHead = ["list usable ms", "to first paint + request", "requests"];
  const stormHead = ["chunks: fps", "to rest", "longest task ms", "text MB", "heap grew MB"];
  return [
    [sessionHead, ...sessions.map((row) => cellsOf(row))],
    [listHead, [list.usable_ms, list.usable_ratio, list.requests]],
    [stormHead, cellsOf(storm)],
  ]
    .map((table) => `${formatTable(table)}\n`)
    .join("\n");
}

function cellsOf(figures: SessionScreenFigures | StormScreenFigures): (string | number)[] {
  return Object.entries(figures).map(([, value]: readonly [string, string | number]) => value);
}
