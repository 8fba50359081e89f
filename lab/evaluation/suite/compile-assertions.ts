import { RE2JS } from "re2js";
import { parseDuration } from "#shared/agent-config/parse-duration.ts";
import type { Loose } from "#shared/agent-config/check-shape.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import { errorMessage } from "#shared/errors.ts";
import { ASSERTION_KINDS, type AssertionEntry } from "./suite-file.ts";
import type { Assertion } from "./suite.ts";

/** The assertions of one list of a suite's file; what is wrong with one is reported, and it is left out. */
export function compileAssertions(
  entries: readonly (Loose<AssertionEntry> | undefined)[],
  hasJudge: boolean,
  reporter: Reporter,
): Assertion[] {
  return entries.flatMap((entry) => {
    if (entry === undefined) return [];
    const given = reporter.sources.keys(entry);
    const kinds = ASSERTION_KINDS.filter((kind) => given.includes(kind));
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) {
      const allowed = `use one of ${ASSERTION_KINDS.join(", ")}`;
      const found = kinds.length > 1 ? ` but has ${kinds.join(" and ")}` : "";
      reporter.error({ container: entry }, `must have exactly one key${found}`, allowed);
      return [];
    }
    if (kind === "min_score" && !hasJudge) {
      reporter.error({ container: entry, key: kind }, "needs a judge", "set judge to an LLM provider");
      return [];
    }
    return compile(entry, kind, reporter);
  });
}

function compile(
  entry: Loose<AssertionEntry>,
  kind: (typeof ASSERTION_KINDS)[number],
  reporter: Reporter,
): Assertion[] {
  switch (kind) {
    case "contains":
    case "not_contains":
      return compileText(entry, kind, reporter);
    case "matches":
      return compileExpression(entry, reporter);
    case "tool_called":
      return compileToolCalled(entry.tool_called, reporter);
    case "tool_not_called":
      return entry.tool_not_called === undefined ? [] : [{ kind, name: entry.tool_not_called }];
    case "max_cost_usd":
      return entry.max_cost_usd === undefined ? [] : [{ kind, usd: entry.max_cost_usd }];
    case "max_duration": {
      const text = entry.max_duration ?? "";
      const ms = parseDuration(text);
      return ms === undefined ? [] : [{ kind, text, ms }];
    }
    case "max_llm_calls":
      return entry.max_llm_calls === undefined ? [] : [{ kind, calls: entry.max_llm_calls }];
    case "status":
      return entry.status === undefined ? [] : [{ kind, status: entry.status }];
    case "min_score":
      return entry.min_score === undefined ? [] : [{ kind, score: entry.min_score }];
    default:
      return kind satisfies never;
  }
}

/** Every conclusion contains the empty text, so that the assertion would say nothing. */
function compileText(
  entry: Loose<AssertionEntry>,
  kind: "contains" | "not_contains",
  reporter: Reporter,
): Assertion[] {
  const text = entry[kind];
  if (text === undefined) return [];
  if (text !== "") return [{ kind, text }];
  reporter.error({ container: entry, key: kind }, "must not be empty");
  return [];
}

function compileExpression(entry: Loose<AssertionEntry>, reporter: Reporter): Assertion[] {
  const text = entry.matches;
  if (text === undefined) return [];
  try {
    return [{ kind: "matches", text, expression: RE2JS.compile(text) }];
  } catch (error) {
    const reason = errorMessage(error)
      .replace(/^error parsing regexp: /u, "")
      .replace(`: \`${text}\``, "");
    reporter.error(
      { container: entry, key: "matches" },
      `must be a regular expression in RE2's syntax (${reason})`,
    );
    return [];
  }
}

function compileToolCalled(called: Loose<AssertionEntry>["tool_called"], reporter: Reporter): Assertion[] {
  if (called?.name === undefined) return [];
  const { name, min = 1, max } = called;
  if (max !== undefined && max < min) {
    reporter.error({ container: called, key: "max" }, `must be at least min, which is ${min}`);
    return [];
  }
  const given = Object.entries(called.arguments ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return [{ kind: "tool_called", name, arguments: Object.fromEntries(given), min, max }];
}
