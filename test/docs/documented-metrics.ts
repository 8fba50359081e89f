import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import { parse } from "yaml";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { OWNER_ROLE } from "#shared/database/schema/prepare-owner.ts";
import { SERVICE_ROLES } from "#shared/database/schema/service-roles.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A metric as a page names it. */
interface NamedMetric {
  readonly page: string;
  readonly name: string;
  /** True for a name with a wildcard, as in `tarsy_ws_*`. */
  readonly isPrefix: boolean;
}

/** One label matcher of an expression, e.g. status=~"a|b". */
interface LabelMatcher {
  readonly metric: string;
  readonly label: string;
  readonly selects: (value: string) => boolean;
  /** The values that the matcher spells out; each may be a regular expression. */
  readonly alternatives: readonly { readonly text: string; readonly matches: (value: string) => boolean }[];
}

const parseRules = compileParser(
  "alarm rules",
  Type.Object({
    groups: Type.Array(
      Type.Object({
        rules: Type.Array(Type.Object({ alert: Type.Optional(Type.String()), expr: Type.String() })),
      }),
    ),
  }),
);

/** The text of a page, by its path from the checkout's root. */
export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

const ROLES: ReadonlySet<string> = new Set([OWNER_ROLE, ...Object.values(SERVICE_ROLES)]);

/**
 * Every metric of TARSY that README.md or a page of docs/ names. Containers are named `tarsy_NAME_NUMBER`, and roles of the
 * database look like metrics.
 */
export function namedMetrics(): readonly NamedMetric[] {
  const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: ROOT })];
  return pages.flatMap((page) =>
    [...readPage(page).matchAll(/\btarsy_(?:\w+|\{)/gu)]
      .map(([name]) => name)
      .filter((name) => !name.endsWith("{") && !/_\d+$/u.test(name) && !ROLES.has(name))
      .map((name) => ({ page, name, isPrefix: name.endsWith("_") })),
  );
}

/** The first and second cells of the rows of a page's tables whose first cell is the name of a metric. */
export function metricRows(page: string): readonly { readonly name: string; readonly labels: string[] }[] {
  return [...readPage(page).matchAll(/^\| `(?<name>tarsy_\w+)`\s*\|(?<labels>[^|]*)\|/gmu)].map(
    ({ groups }) => ({
      name: groups?.["name"] ?? "",
      labels: [...(groups?.["labels"] ?? "").matchAll(/`([^`]+)`/gu)].map(([, token = ""]) => token),
    }),
  );
}

const RULES = "deploy/monitoring/tarsy-rules.yml";

/** The expressions of the alerting rules, by their names. */
export function alarmExpressions(): ReadonlyMap<string, string> {
  const { groups } = parseRules(parse(readPage(RULES)));
  const rules = groups.flatMap(({ rules: ofGroup }) => ofGroup);
  return new Map(rules.flatMap(({ alert, expr }) => (alert === undefined ? [] : [[alert, expr] as const])));
}

/** The label matchers of a PromQL expression, or of any text that names a series with labels. */
export function labelMatchers(source: string): readonly LabelMatcher[] {
  return [...source.matchAll(/(?<metric>tarsy_\w+)\{(?<matchers>[^}]*)\}/gu)].flatMap(({ groups }) =>
    [...(groups?.["matchers"] ?? "").matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/gu)].map(
      ([, label = "", operator = "=", value = ""]) => {
        const isPattern = operator.endsWith("~");
        const alternatives = (isPattern ? value.split("|") : [value]).map((text) => {
          const pattern = isPattern ? new RegExp(`^(?:${text})$`, "u") : undefined;
          return { text, matches: (found: string) => pattern?.test(found) ?? found === text };
        });
        const matches = (found: string) => alternatives.some((one) => one.matches(found));
        const selects = operator.startsWith("!") ? (found: string) => !matches(found) : matches;
        return { metric: groups?.["metric"] ?? "", label, selects, alternatives };
      },
    ),
  );
}
