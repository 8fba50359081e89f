import type { Page } from "playwright-core";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";

const parseTexts = compileParser("texts", Type.Array(Type.String()));

/** The entries that a page shows: id and status, in order of the ids. */
export async function shownEntries(page: Page): Promise<readonly string[]> {
  const found: unknown = await page
    .locator(".entry:not(.approval)")
    .evaluateAll((entries) =>
      entries.map(({ id, classList }) => `${id.slice(2)} ${[...classList].slice(1, 3).join(" ")}`),
    );
  return parseTexts(found).toSorted();
}

/** Waits until a page shows the session as of the event with this number. */
export async function untilEvent(page: Page, seq: number): Promise<void> {
  const slider = page.getByRole("slider", { name: "Time" });
  await until(`event ${seq}`, async () =>
    (await slider.getAttribute("aria-valuetext"))?.startsWith(`Event ${seq} of `),
  );
}
