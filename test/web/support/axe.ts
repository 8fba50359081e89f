import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { until } from "../../support/until.ts";

/** Of a phone, of a small window and of a large one. */
const WIDTHS = [320, 900, 1_440];
const SCHEMES = ["light", "dark"] as const;
/** A change of the size has been laid out, and what depends on it has been rendered. */
const FRAMES =
  "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))";
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const parseViolations = compileParser(
  "result of axe",
  Type.Array(Type.Object({ id: Type.String(), targets: Type.Array(Type.String()) })),
);

/** What axe finds wrong with a page: the rule and its elements, one line each. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // The page's policy forbids inline scripts; the debugger is not bound by it.
  await page.evaluate(await readFile(AXE, "utf8"));
  // The elements of what is right are not wanted, and take most of the time.
  const found: unknown = await page.evaluate(
    `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ html }) => html.slice(0, 200)) })))`,
  );
  return parseViolations(found).flatMap(({ id, targets }) => targets.map((target) => `${id}: ${target}`));
}

/**
 * Checks a page at these widths, in both schemes: axe finds nothing wrong, and nothing is wider than the window. `each` is called with
 * what is shown, such as `320-light`.
 */
export async function expectAccessible(
  page: Page,
  { widths = WIDTHS, each }: { widths?: readonly number[]; each?: (shown: string) => Promise<void> } = {},
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(FRAMES);
      const shown = `${width}-${colorScheme}`;
      await each?.(shown);
      expect(await axeViolations(page), shown).to.deep.equal([]);
    }
    await expectFits(page, width);
  }
}

/** Waits until a page of this width has nothing that could be scrolled sideways. */
export async function expectFits(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await until(`nothing is wider than ${width} pixels`, async () =>
    page.evaluate(`document.documentElement.scrollWidth === ${width}`),
  );
}
