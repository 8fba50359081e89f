import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const parseViolations = compileParser(
  "result of axe",
  Type.Array(Type.Object({ id: Type.String(), targets: Type.Array(Type.String()) })),
);

/** What axe finds wrong with a page: the rule and its elements, one line each. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // The page's policy forbids inline scripts; the debugger is not bound by it.
  await page.evaluate(await readFile(AXE, "utf8"));
  const found: unknown = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ html }) => html.slice(0, 200)) })))`,
  );
  return parseViolations(found).flatMap(({ id, targets }) => targets.map((target) => `${id}: ${target}`));
}
