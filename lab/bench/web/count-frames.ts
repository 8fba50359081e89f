import type { Page } from "playwright-core";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

/** Run in the page: this project's benchmarks are compiled without the types of a browser. */
const COUNT_FRAMES = `async ({ ms, moves }) => {
  let [frames, longest] = [0, 0];
  const watcher = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  watcher.observe({ type: "longtask" });
  const began = performance.now();
  const mover = setInterval(() => moves && window.scrollBy(0, window.innerHeight), 200);
  while (performance.now() - began < ms) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    frames += 1;
  }
  clearInterval(mover);
  watcher.disconnect();
  return { fps: (frames * 1000) / (performance.now() - began), longest };
}`;

const parseFrames = compileParser(
  "frames of a page",
  Type.Object({ fps: Type.Number(), longest: Type.Number() }),
);

/** Frames a second and the longest task in milliseconds, while the page rests or goes down a window's height five times a second. */
export async function countFrames(page: Page, ms: number, moves = false) {
  const found: unknown = await page.evaluate(`(${COUNT_FRAMES})({ ms: ${ms}, moves: ${moves} })`);
  return parseFrames(found);
}
