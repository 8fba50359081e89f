import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { WebFixture } from "../../../test/web/support/web-fixture.ts";

export interface ListFigures {
  readonly empty_paint_ms: number;
  readonly usable_ms: number;
  /** To the first paint of an empty page and one request. */
  readonly usable_ratio: number;
  /** Requests of the api until it was usable. */
  readonly requests: number;
}

/** Run in the page: when it was painted first, and how long the api's answers took. */
const TIMES = `() => ({
  paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  request: Math.max(0, ...performance.getEntriesByType("resource")
    .filter(({ name }) => name.includes("/api/v1/sessions")).map(({ duration }) => duration)),
  now: performance.now(),
})`;

const parseTimes = compileParser(
  "times of a page",
  Type.Object({ paint: Type.Number(), request: Type.Number(), now: Type.Number() }),
);

/** The list of sessions with a cold cache, against a screen that reads nothing before its first paint. */
export async function measureList(web: WebFixture): Promise<ListFigures> {
  const empty = await web.open("/new");
  await empty.page.locator("main").waitFor();
  const { paint } = parseTimes(await empty.page.evaluate(`(${TIMES})()`));
  await empty.page.close();
  const { page, requests } = await web.open("/");
  await page.locator(".session-row").first().waitFor();
  const { request, now } = parseTimes(await page.evaluate(`(${TIMES})()`));
  const asked = requests.filter((url) => url.includes("/api/")).length;
  await page.close();
  return {
    empty_paint_ms: paint,
    usable_ms: now,
    usable_ratio: now / (paint + request),
    requests: asked,
  };
}
