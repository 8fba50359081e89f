import type { Page } from "playwright-core";
import type { TarsyClient } from "../../../test/support/tarsy-client.ts";
import type { WebFixture } from "../../../test/web/support/web-fixture.ts";
import { countFrames } from "./count-frames.ts";
import type { FakeNotifier } from "./fake-notifier.ts";

const REST_MS = 3_000;
const MB = 1_000_000;

export interface StormScreenFigures {
  readonly fps: number;
  /** Of the frames that the page drew at rest before. */
  readonly frames_ratio: number;
  readonly longest_task_ms: number;
  readonly text_mb: number;
  /** What the heap has grown by, without garbage. */
  readonly heap_mb: number;
}

/** A page that shows four agents whose models write thousands of chunks a second. */
export async function measureStorm(
  web: WebFixture,
  notifier: FakeNotifier,
  client: TarsyClient,
  seconds: number,
): Promise<StormScreenFigures> {
  const id = await client.submit("HANG");
  const { page } = await web.open(`/s/${id}`);
  await page.getByRole("heading", { name: "Agent-4" }).waitFor();
  const rest = await countFrames(page, REST_MS);
  const before = await usedHeap(page);
  const [frames, units] = await Promise.all([
    countFrames(page, seconds * 1_000),
    notifier.storm(seconds * 1_000),
  ]);
  const after = await usedHeap(page);
  await page.close();
  await client.request("POST", `/api/v1/sessions/${id}/cancel`);
  return {
    fps: frames.fps,
    frames_ratio: frames.fps / rest.fps,
    longest_task_ms: frames.longest,
    text_mb: units / MB,
    heap_mb: (after - before) / MB,
  };
}

async function usedHeap(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize;
}
