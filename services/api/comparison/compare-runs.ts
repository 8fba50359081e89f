import { setImmediate as yieldToOthers } from "node:timers/promises";
import { firstDifference } from "#shared/cassette/first-difference.ts";
import type { ComparedExecution, Divergence } from "../schemas/forking.ts";
import { comparePaths, type RunExecution, type RunStep } from "./compared-run.ts";

/** Of a text in which two sessions differ, in code units: from a little before the place. */
const MAX_TEXT = 2_000;
const BEFORE = 200;

interface Comparison {
  readonly executions: ComparedExecution[];
  readonly first_divergence: Divergence | null;
}

/** Aligns the steps of two runs by stage, agent and place, and finds the earliest one in which they differ. */
export async function compareRuns(
  a: readonly RunExecution[],
  b: readonly RunExecution[],
): Promise<Comparison> {
  const paths = [...new Set([...a, ...b].map(({ path }) => path))].toSorted(comparePaths);
  const executions: ComparedExecution[] = [];
  const divergences: Divergence[] = [];
  for (const path of paths) {
    const pair = { a: a.find((one) => one.path === path), b: b.find((one) => one.path === path) };
    const shown = pair.a ?? pair.b;
    if (shown === undefined) continue;
    const steps: ComparedExecution["steps"] = [];
    let isFound = false;
    for (const [left, right] of align(pair.a?.steps ?? [], pair.b?.steps ?? [])) {
      const difference = differenceOf(left, right);
      const step = left ?? right;
      if (step === undefined) continue;
      if (difference !== null && !isFound) {
        isFound = true;
        divergences.push({
          path,
          agent_name: shown.agentName,
          execution_a: pair.a?.executionId ?? null,
          execution_b: pair.b?.executionId ?? null,
          step: steps.length,
          kind: step.kind,
          seq_a: left?.seq ?? null,
          seq_b: right?.seq ?? null,
          ...difference,
        });
      }
      steps.push({
        kind: step.kind,
        name: step.name,
        equal: difference === null,
        a: left === undefined ? null : shownStep(left),
        b: right === undefined ? null : shownStep(right),
      });
      // A request has the whole conversation: the comparison of a long session takes a while.
      await yieldToOthers();
    }
    executions.push({
      path,
      stage_name: shown.stageName,
      agent_name: shown.agentName,
      a: pair.a?.executionId ?? null,
      b: pair.b?.executionId ?? null,
      steps,
    });
  }
  const [first = null] = divergences.toSorted((one, other) => timeOf(one) - timeOf(other));
  return { executions, first_divergence: first };
}

/** Agents run side by side: the first divergence is the one that came first in time. */
function timeOf({ seq_a, seq_b }: Divergence): number {
  return Math.min(seq_a ?? Infinity, seq_b ?? Infinity);
}

/** Steps with the same key belong together; those that only one side has stand behind the ones before them. */
function align(
  a: readonly RunStep[],
  b: readonly RunStep[],
): (readonly [RunStep | undefined, RunStep | undefined])[] {
  const others = new Map(b.map((step) => [step.key, step]));
  const known = new Set(a.map(({ key }) => key));
  const pairs: (readonly [RunStep | undefined, RunStep | undefined])[] = [];
  let next = 0;
  const addMissing = (until: RunStep | undefined): void => {
    for (; next < b.length && b[next] !== until; next += 1) {
      const step = b[next];
      if (step !== undefined && !known.has(step.key)) pairs.push([undefined, step]);
    }
  };
  for (const step of a) {
    const other = others.get(step.key);
    if (other !== undefined && b.indexOf(other) >= next) addMissing(other);
    pairs.push([step, other]);
  }
  addMissing(undefined);
  return pairs;
}

type Difference = Pick<Divergence, "part" | "pointer" | "text_a" | "text_b">;

function differenceOf(a: RunStep | undefined, b: RunStep | undefined): Difference | null {
  if (a === undefined || b === undefined) {
    return { part: "missing", pointer: "", text_a: a?.name ?? null, text_b: b?.name ?? null };
  }
  const isCall = a.kind === "llm_call";
  const before = firstDifference(a.input(), b.input());
  if (before !== null) return shownDifference(isCall ? "request" : "arguments", before);
  const after = firstDifference(a.output(), b.output());
  return after === null ? null : shownDifference(isCall ? "reply" : "result", after);
}

function shownDifference(
  part: Difference["part"],
  { pointer, left, right }: { readonly pointer: string; readonly left: unknown; readonly right: unknown },
): Difference {
  const [one, other] = [textOf(left), textOf(right)];
  const at = commonStart(one ?? "", other ?? "");
  const cut = (text: string | null): string | null => {
    if (text === null || text.length <= MAX_TEXT) return text;
    const start = Math.max(0, Math.min(at - BEFORE, text.length - MAX_TEXT));
    const end = start + MAX_TEXT;
    return `${start === 0 ? "" : "…"}${text.slice(start, end).toWellFormed()}${end >= text.length ? "" : "…"}`;
  };
  return { part, pointer, text_a: cut(one), text_b: cut(other) };
}

function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function shownStep(step: RunStep): NonNullable<ComparedExecution["steps"][number]["a"]> {
  return {
    interaction_id: step.interactionId,
    seq: step.seq,
    duration_ms: step.durationMs,
    total_tokens: step.totalTokens,
    estimated_cost_usd: step.costUsd,
    text: step.text,
    error: step.error,
  };
}
