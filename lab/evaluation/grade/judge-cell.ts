import { checkAssertion, type Checked } from "../assertions/check-assertion.ts";
import type { PlannedCell } from "../plan/planned-cell.ts";
import type { CellFacts } from "../results/cell-facts.ts";
import { hasPassed } from "../results/has-passed.ts";
import type { DoneCell, GradedWorld, JudgedCell } from "../results/judged-cell.ts";
import { readTruth } from "../../worlds/world-files.ts";
import { gradeConclusion } from "./grade-conclusion.ts";

/**
 * What an investigation that has ended is worth: its assertions, and in a world whether it found the fault, for which the file with the truth is
 * read. Throws TerminalError `malformed` for a truth of another world.
 */
export async function judgeCell(
  cell: Pick<PlannedCell, "case" | "world">,
  facts: CellFacts,
): Promise<Pick<DoneCell, "checks" | "passed" | "world">> {
  const graded = await gradedWorld(cell, facts);
  const checks = [
    ...(graded.world?.grade === undefined ? [] : [checkOf(graded.world.grade)]),
    ...cell.case.assertions.map((assertion) => checkAssertion(assertion, facts)),
  ];
  return { checks, passed: hasPassed(facts, checks), ...graded };
}

/** The world of a cell, without a grade if it has no result; nothing of a cell of a cassette. Throws as `judgeCell`. */
export async function gradedWorld(
  { case: { file }, world }: Pick<PlannedCell, "case" | "world">,
  facts?: CellFacts,
): Promise<Pick<JudgedCell, "world">> {
  if (world === undefined) return {};
  const truth = await readTruth(file, { world, hash: world.hash });
  const conclusion = facts?.world?.conclusion?.body ?? null;
  const text = [facts?.conclusion, facts?.summary, JSON.stringify(conclusion)].join("\n");
  return {
    world: {
      ...(facts === undefined ? {} : { grade: gradeConclusion(conclusion, text, truth, world) }),
      category: truth.causes[0]?.category ?? "none",
      difficulty: String(truth.difficulty ?? "unknown"),
      incident: world.group,
      isLeak: truth.leak === true,
      isThin: truth.thin === true,
    },
  };
}

function checkOf({ a1, said, right }: NonNullable<GradedWorld["grade"]>): Checked {
  const text = "names the fault first";
  const reason = `${said === "" ? "it states no cause" : `it says ${said}`}; right is ${right}`;
  return { kind: "a1", text, passed: a1, reason: a1 ? "" : reason };
}
