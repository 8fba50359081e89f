import { seedLargeSession } from "../../../test/web/support/seed-large-session.ts";
import type { WebFixture } from "../../../test/web/support/web-fixture.ts";
import { percentile } from "../support/percentile.ts";
import { countFrames } from "./count-frames.ts";

const SCROLL_MS = 3_000;

export interface SessionScreenFigures {
  readonly page: string;
  /** Until everything that it shows at first is there. */
  readonly open_ms: number;
  readonly open_ratio: number;
  /** The part after the last byte of the session's events. */
  readonly after_last_byte_ms: number;
  /** Frames a second while it is scrolled. */
  readonly scroll_fps: number;
  /** Of the frames that a page at rest draws in the same run. */
  readonly scroll_ratio: number;
  readonly longest_task_ms: number;
  readonly rows: number;
}

/** A page without data, a small session and a large one, in turns; medians of the rounds, and the worst of tasks and rows. */
export async function measureSessions(
  web: WebFixture,
  entries: number,
  rounds: number,
  progress: (line: string) => void,
): Promise<readonly SessionScreenFigures[]> {
  const { servers, client } = web.pipeline;
  const small = await seedLargeSession(servers, client, 1);
  const large = await seedLargeSession(servers, client, entries);
  const pages = [
    { page: "system", path: "/system", isThere: "main h1" },
    { page: "small session", path: `/s/${small.id}`, isThere: ".stage .entry" },
    { page: `${large.added} more entries`, path: `/s/${large.id}`, isThere: ".stage .entry" },
  ];
  const taken = new Map(pages.map(({ page }) => [page, new Array<Omit<SessionScreenFigures, "page">>()]));
  for (let round = 1; round <= rounds; round += 1) {
    progress(`round ${round} of ${rounds}`);
    let empty = 1;
    for (const { page, path, isThere } of pages) {
      const began = performance.now();
      const opened = await web.open(path);
      await opened.page.locator(isThere).first().waitFor();
      await opened.page.locator(".connection").waitFor({ state: "detached" });
      const open_ms = performance.now() - began;
      if (page === "system") empty = open_ms;
      const after_last_byte_ms = Number(await opened.page.evaluate(SINCE_LAST_BYTE));
      const rest = await countFrames(opened.page, SCROLL_MS);
      const scroll = await countFrames(opened.page, SCROLL_MS, true);
      taken.get(page)?.push({
        open_ms,
        open_ratio: open_ms / empty,
        after_last_byte_ms,
        scroll_fps: scroll.fps,
        scroll_ratio: scroll.fps / rest.fps,
        longest_task_ms: scroll.longest,
        rows: await opened.page.locator(".entry").count(),
      });
      await opened.page.close();
    }
  }
  return [...taken].map(([page, figures]) => ({
    page,
    open_ms: median(figures.map(({ open_ms }) => open_ms)),
    open_ratio: median(figures.map(({ open_ratio }) => open_ratio)),
    after_last_byte_ms: median(figures.map(({ after_last_byte_ms }) => after_last_byte_ms)),
    scroll_fps: median(figures.map(({ scroll_fps }) => scroll_fps)),
    scroll_ratio: median(figures.map(({ scroll_ratio }) => scroll_ratio)),
    longest_task_ms: Math.max(...figures.map(({ longest_task_ms }) => longest_task_ms)),
    rows: Math.max(...figures.map(({ rows }) => rows)),
  }));
}

/** Run in the page; 0 where no events were read. */
const SINCE_LAST_BYTE = `(() => {
  const ends = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/events?"));
  return ends.length === 0 ? 0 : performance.now() - Math.max(...ends.map(({ responseEnd }) => responseEnd));
})()`;

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
