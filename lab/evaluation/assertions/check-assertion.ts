import { durationText } from "../../../scripts/tarsy/terminal/terminal-style.ts";
import { usdShown } from "../report/usd-shown.ts";
import type { CalledTool, CellFacts } from "../results/cell-facts.ts";
import type { Assertion } from "../suite/suite.ts";

/** An assertion with what came of it. */
export interface Checked {
  /** `a1`: whether it found the fault of a world. */
  readonly kind: Assertion["kind"] | "a1";
  /** The assertion in a few words. */
  readonly text: string;
  readonly passed: boolean;
  /** What was found instead; empty if it passed. */
  readonly reason: string;
}

/** Checks one assertion against what an investigation came to. */
export function checkAssertion(assertion: Assertion, facts: CellFacts): Checked {
  const { kind } = assertion;
  const result = (text: string, passed: boolean, reason: string): Checked => ({
    kind,
    text,
    passed,
    reason: passed ? "" : reason,
  });
  switch (kind) {
    case "contains":
    case "not_contains": {
      const has = facts.conclusion.toLowerCase().includes(assertion.text.toLowerCase());
      const isWanted = kind === "contains";
      const quoted = JSON.stringify(assertion.text);
      const reason = isWanted ? "the conclusion does not contain it" : "the conclusion contains it";
      return result(`${isWanted ? "contains" : "does not contain"} ${quoted}`, has === isWanted, reason);
    }
    case "matches":
      return result(
        `matches /${assertion.text}/`,
        assertion.expression.test(facts.conclusion),
        "the conclusion has no match",
      );
    case "tool_called":
      return checkCalled(assertion, facts, result);
    case "tool_not_called": {
      const calls = facts.tool_calls.filter((call) => isTool(call, assertion.name)).length;
      return result(`does not call ${assertion.name}`, calls === 0, `called ${times(calls)}`);
    }
    case "max_cost_usd": {
      const { cost_usd: cost } = facts;
      const reason = cost === null ? "the cost is unknown: a model has no price" : `cost ${usdShown(cost)}`;
      return result(
        `costs at most ${usdShown(assertion.usd)}`,
        cost !== null && cost <= assertion.usd,
        reason,
      );
    }
    case "max_duration":
      return result(
        `takes at most ${assertion.text}`,
        facts.duration_ms <= assertion.ms,
        `took ${durationText(facts.duration_ms)}`,
      );
    case "max_llm_calls":
      return result(
        `makes at most ${assertion.calls} LLM calls`,
        facts.llm_calls <= assertion.calls,
        `made ${facts.llm_calls}`,
      );
    case "status":
      return result(
        `ends as ${assertion.status}`,
        facts.status === assertion.status,
        `ended as ${facts.status}`,
      );
    case "min_score": {
      const { score } = facts;
      const reason = score === null ? "has no score" : `scored ${score}`;
      return result(`scores at least ${assertion.score}`, score !== null && score >= assertion.score, reason);
    }
    default:
      return kind satisfies never;
  }
}

function checkCalled(
  assertion: Extract<Assertion, { readonly kind: "tool_called" }>,
  facts: CellFacts,
  result: (text: string, passed: boolean, reason: string) => Checked,
): Checked {
  const { name, arguments: wanted, min, max } = assertion;
  const named = facts.tool_calls.filter((call) => isTool(call, name));
  const calls = named.filter((call) => hasArguments(call, wanted)).length;
  const pairs = Object.entries(wanted).map(([key, value]) => `${key}: ${value}`);
  const what = pairs.length === 0 ? name : `${name} with ${pairs.join(", ")}`;
  const count = max === undefined ? (min === 1 ? "" : ` at least ${times(min)}`) : ` ${min} to ${max} times`;
  const others = named.length > calls ? `, and ${times(named.length - calls)} with other arguments` : "";
  const isEnough = calls >= min && (max === undefined || calls <= max);
  return result(`calls ${what}${count}`, isEnough, `called ${times(calls)}${others}`);
}

/** A name without a server is that of a tool of any server. */
function isTool({ server, tool }: CalledTool, name: string): boolean {
  return name === tool || name === `${server}.${tool}`;
}

/** Compared as text: a number in the suite's file is that number in the call. */
function hasArguments(call: CalledTool, wanted: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(wanted);
  if (entries.length === 0) return true;
  let given: unknown;
  try {
    given = JSON.parse(call.arguments);
  } catch {
    // Arguments that were cut, or that the model wrote as no JSON.
    return false;
  }
  if (typeof given !== "object" || given === null) return false;
  const actual = new Map<string, unknown>(Object.entries(given));
  return entries.every(([key, text]) => {
    const value = actual.get(key);
    return (typeof value === "string" ? value : JSON.stringify(value)) === text;
  });
}

function times(count: number): string {
  if (count === 0) return "never";
  return count === 1 ? "once" : `${count} times`;
}
