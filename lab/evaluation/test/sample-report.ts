import type { Report } from "../report/report.ts";
import type { JudgedCell } from "../results/judged-cell.ts";
import { compareVariants } from "../statistics/compare-variants.ts";
import { measureWorlds } from "../statistics/measure-worlds.ts";
import { summarizeVariants } from "../statistics/summarize-variants.ts";

const VARIANTS = ["today", "other model", "short instructions"];
const CASSETTES = ["disk-full", "pods-restart", "certificate-expired"];
const REPETITIONS = 4;

/** A report with cells of every kind, in which models, tools and names say `text`. */
export function sampleReport(text: string): Report {
  const names = [...CASSETTES, text.slice(0, 80)];
  const variants = [...VARIANTS, text.slice(0, 60)];
  const cells = names.flatMap((name, c) =>
    variants.flatMap((variant, v) =>
      Array.from({ length: REPETITIONS }, (_, r) =>
        sampleCell({ case: name, variant, repetition: r + 1 }, c * 7 + v * 3 + r, text),
      ),
    ),
  );
  const costs = cells.flatMap((cell) => (cell.state === "done" ? [cell.facts.cost_usd ?? 0] : []));
  return {
    suite: `Weekly comparison ${text}`,
    suiteHash: "0".repeat(64),
    version: "0.1.0",
    madeAt: "2026-11-25T22:00:00.000Z",
    state: "budget",
    variants: variants.map((name) => ({
      name,
      description: `gemini (model ${text.slice(0, 40)})`,
      isScripted: name === "today",
      answered: [{ asked: text, by: name === "today" ? [text, `${text} 2`] : [text] }],
    })),
    cases: names,
    repetitions: REPETITIONS,
    judge: "claude (claude-opus)",
    spentUsd: costs.reduce((sum, cost) => sum + cost, 0),
    budgetUsd: 5,
    cells,
    summaries: summarizeVariants(variants, cells),
    comparisons: compareVariants(variants, names, cells),
    worlds: measureWorlds(variants, cells),
    sources: [
      { name: text, repository: text, commit: text, importer: text, worlds: 4, hash: "0".repeat(64) },
    ],
    prices: [{ model: text, input: 0.5, output: null, from: "override" }],
  };
}

function sampleCell(
  place: Pick<JudgedCell, "case" | "variant" | "repetition">,
  number: number,
  text: string,
): JudgedCell {
  if (number % 11 === 5) return { ...place, state: "error", message: text };
  if (number % 17 === 9) return { ...place, state: "missing" };
  const passed = number % 3 !== 1;
  const said = { said: text, right: text, notNamed: [text], forbidden: passed ? null : text };
  return {
    ...place,
    world: {
      grade: {
        a1: passed,
        isObjectRight: true,
        isCauseRight: passed,
        a3: true,
        a1Strict: false,
        ...said,
      },
      isMapped: number % 7 === 0,
      statements: [
        { list: "must", statement: text, isSaid: passed, quote: passed ? text : "", votes: 3 },
        { list: "must_not", statement: text, isSaid: null, quote: "", votes: 0 },
      ],
      hash: "0".repeat(64),
      category: number % 2 === 0 ? "network" : text.slice(0, 40),
      difficulty: String(number % 3),
      incident: place.case,
      isLeak: number % 5 === 0,
      isThin: false,
    },
    state: "done",
    passed,
    checks: [
      { kind: "status", text: "ends as completed", passed: true, reason: "" },
      { kind: "contains", text: `contains ${JSON.stringify(text)}`, passed, reason: passed ? "" : text },
    ],
    facts: {
      status: passed ? "completed" : "failed",
      error: passed ? null : text,
      conclusion: text,
      summary: text,
      score: passed ? 60 + ((number * 13) % 40) : 10 + ((number * 7) % 30),
      judge: text,
      tags: passed ? [] : ["wrong_conclusion"],
      cost_usd: 0.01 + ((number * 5) % 9) / 200,
      duration_ms: 20_000 + ((number * 7_919) % 60_000),
      limited_by_usd: number % 13 === 0 ? 0.1 : null,
      input_tokens: 12_000 + number,
      output_tokens: 800 + number,
      llm_calls: 4 + (number % 5),
      world: {
        conclusion: { status: passed ? "likely" : "confirmed", body: null, checked: [] },
        claims: 5,
        verified_claims: 4,
        calls: 9,
        misses: { [text.slice(0, 30)]: 2 },
        absent: 1,
        unknown_tools: 0,
        masked: 3,
      },
      tool_calls: [
        { server: "cluster", tool: "get_pods", arguments: JSON.stringify({ namespace: text }), error: null },
        { server: "cluster", tool: text.slice(0, 30), arguments: "{}", error: text },
      ],
    },
  };
}
