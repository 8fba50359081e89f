import { setImmediate as yieldToOthers } from "node:timers/promises";
import { firstDifference } from "#shared/cassette/first-difference.ts";
import type { ComparedExecution, ComparisonResponse, Divergence } from "./contract.ts";
import { comparePaths, type RunExecution, type RunStep } from "./compared-run.ts";

/** Of a text in which two sessions differ, in code units: from a little before the place. */
const MAX_TEXT = 2_000;
const BEFORE = 200;

/** Aligns the steps of two runs by stage, agent and place, and finds the earliest one in which they differ. */
export async function compareRuns(
  a: readonly RunExecution[],
  b: readonly RunExecution[],
): Promise<Pick<ComparisonResponse, "executions" | "first_divergence">> {
  const paths = [...new Set([...a, ...b].map(({ path }) => path))].toSorted(comparePaths);
  const executions: ComparedExecution[] = [];
  const divergences: Divergence[] = [];
  for (const path of paths) {
    const pair = { a: a.find((one) => one.path === path), b: b.find((one) => one.path === path) };
    const { execution, divergence } = await comparePair(path, pair);
    executions.push(execution);
    if (divergence !== null) divergences.push(divergence);
  }
  const [first = null] = divergences.toSorted((one, other) => timeOf(one) - timeOf(other));
  return { executions, first_divergence: first };
}

interface Pair {
  readonly a: RunExecution | undefined;
  readonly b: RunExecution | undefined;
}

async function comparePair(
  path: string,
  { a, b }: Pair,
): Promise<{ readonly execution: ComparedExecution; readonly divergence: Divergence | null }> {
  const { agentName: agent_name = "", stageName: stage_name = "" } = a ?? b ?? {};
  const ids = { a: a?.executionId ?? null, b: b?.executionId ?? null };
  const steps: ComparedExecution["steps"] = [];
  let divergence: Divergence | null = null;
  for (const [left, right] of align(a?.steps ?? [], b?.steps ?? [])) {
    const difference = differenceOf(left, right);
    const { kind, name } = left ?? right;
    if (difference !== null) {
      const place = { path, agent_name, execution_a: ids.a, execution_b: ids.b, step: steps.length, kind };
      divergence ??= { ...place, seq_a: seqOf(left), seq_b: seqOf(right), ...difference };
    }
    steps.push({ kind, name, equal: difference === null, a: shownStep(left), b: shownStep(right) });
    // A request has the whole conversation: the comparison of a long session takes a while.
    await yieldToOthers();
  }
  return { execution: { path, stage_name, agent_name, ...ids, steps }, divergence };
}

function seqOf(step: RunStep | undefined): number | null {
  return step?.seq ?? null;
}

/** Agents run side by side: the first divergence is the one that came first in time. */
function timeOf({ seq_a, seq_b }: Divergence): number {
  return Math.min(seq_a ?? Infinity, seq_b ?? Infinity);
}

/** The steps of one place; at least one side has it. */
type StepPair = readonly [RunStep, RunStep | undefined] | readonly [undefined, RunStep];

/** Steps with the same key belong together; those that only one side has stand behind the ones before them. */
function align(a: readonly RunStep[], b: readonly RunStep[]): StepPair[] {
  const others = new Map(b.map((step) => [step.key, step]));
  const known = new Set(a.map(({ key }) => key));
  const pairs: StepPair[] = [];
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

function shownStep(step: RunStep | undefined): ComparedExecution["steps"][number]["a"] {
  if (step === undefined) return null;
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
