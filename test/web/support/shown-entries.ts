import type { Page } from "playwright-core";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

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
