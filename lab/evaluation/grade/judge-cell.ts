import { safeCut } from "#shared/safe-cut.ts";
import { checkAssertion, type Checked } from "../assertions/check-assertion.ts";
import type { Ask } from "../engine/ask-model.ts";
import type { PlannedCell, PlannedWorld } from "../plan/planned-cell.ts";
import type { AnsweringModel, CellFacts } from "../results/cell-facts.ts";
import type { DoneCell, GradedWorld } from "../results/judged-cell.ts";
import { readTruth } from "../../worlds/world-files.ts";
import type { Truth } from "#shared/worlds/world-format.ts";
import { gradeConclusion, isOfStatements } from "./grade-conclusion.ts";
import { judgeStatement, type JudgedStatement } from "./judge-statement.ts";
import { mapAnalysis } from "./map-analysis.ts";

/** A cell passes if all its assertions hold; one without assertions, if the investigation completed. */
function hasPassed({ status }: CellFacts, checks: readonly Checked[]): boolean {
  return checks.length === 0 ? status === "completed" : checks.every(({ passed }) => passed);
}

/** What a judge reads of an answer, in code units. */
const MAX_ANSWER = 30_000;

/** A cell whose questions have no replies yet. */
const NEVER_ASKED: Ask = () => Promise.resolve(undefined);

/** What a cell is worth. */
type Judged = Pick<DoneCell, "checks" | "passed" | "world"> & {
  /** A question has no reply, which `ask` did not ask for. */
  readonly isOpen: boolean;
  /** What the replies to its questions have cost; null if one has no price. */
  readonly costUsd: number | null;
  /** The models that have given them. */
  readonly models: readonly AnsweringModel[];
};

/**
 * What an investigation that has ended is worth: its assertions, and in a world whether it found the fault, for which the file with the truth is
 * read. `ask` is the judge, without which statements stay open and no text is mapped. Throws TerminalError `malformed` for a truth of another
 * world, and what `ask` throws.
 */
export async function judgeCell(
  cell: Pick<PlannedCell, "case" | "world">,
  facts: CellFacts,
  ask?: Ask,
): Promise<Judged> {
  let isOpen = false;
  let costUsd: number | null = 0;
  const models: AnsweringModel[] = [];
  const counting: Ask = async (question) => {
    const reply = await ask?.(question);
    isOpen ||= ask !== undefined && reply === undefined;
    costUsd = addUsd(costUsd, reply === undefined ? 0 : reply.cost_usd);
    if (reply?.answered_by !== undefined) models.push({ asked: reply.model, answered: reply.answered_by });
    return reply;
  };
  const world = cell.world && (await gradedWorld(cell, cell.world, { facts, ask: counting }));
  const withJudge = { ...facts, cost_usd: addUsd(facts.cost_usd, costUsd) };
  const checks = [
    ...(world?.grade === undefined ? [] : [checkOf(world.grade)]),
    ...cell.case.assertions.map((assertion) => checkAssertion(assertion, withJudge)),
  ];
  return {
    checks,
    passed: hasPassed(facts, checks),
    ...(world === undefined ? {} : { world }),
    isOpen,
    costUsd,
    models,
  };
}

/** A sum, unknown if a part is. */
export function addUsd(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/** The world of a cell, without a grade if it has no result. Throws as `judgeCell`. */
export async function gradedWorld(
  { case: { file } }: Pick<PlannedCell, "case">,
  world: PlannedWorld,
  { facts, ask = NEVER_ASKED }: { readonly facts?: CellFacts; readonly ask?: Ask } = {},
): Promise<GradedWorld> {
  const truth = await readTruth(file, { world, hash: world.hash });
  const statements = await judgeStatements(ask, facts, truth);
  const common = {
    statements,
    hash: world.hash,
    category: truth.causes[0]?.category ?? "none",
    difficulty: String(truth.difficulty ?? "unknown"),
    incident: world.group,
    isLeak: truth.leak === true,
    isThin: truth.thin === true,
  };
  if (facts === undefined) return { ...common, isMapped: false };
  const stated = facts.world?.conclusion?.body ?? null;
  const isMappable = stated === null && !isOfStatements(truth);
  const mapped = isMappable ? ((await mapAnalysis(ask, facts.conclusion, world.vocabulary)) ?? null) : null;
  const text = [facts.conclusion, facts.summary, JSON.stringify(stated)].join("\n");
  const hasCodes = (world.vocabulary?.causes.length ?? 0) > 0;
  const grade = gradeConclusion(stated ?? mapped, text, truth, { hasCodes, statements });
  return { ...common, grade, isMapped: mapped !== null };
}

async function judgeStatements(
  ask: Ask,
  facts: CellFacts | undefined,
  { must = [], must_not: mustNot = [] }: Truth,
): Promise<readonly JudgedStatement[]> {
  const answer = facts === undefined ? "" : answerOf(facts);
  const judged: JudgedStatement[] = [];
  for (const statement of must) judged.push(await judgeStatement(ask, answer, { list: "must", statement }));
  for (const statement of mustNot) {
    judged.push(await judgeStatement(ask, answer, { list: "must_not", statement }));
  }
  return judged;
}

/** The analysis and what was concluded, as a judge reads them. */
function answerOf({ conclusion, world }: CellFacts): string {
  const body = world?.conclusion?.body;
  const causes = body?.causes.map(
    ({ entity, kind, code, statement }) => `${entity} (${code === "" ? kind : code}): ${statement}`,
  );
  const text = [conclusion, body?.summary ?? "", ...(causes ?? [])]
    .filter((part) => part !== "")
    .join("\n\n");
  return text.slice(0, safeCut(text, MAX_ANSWER));
}

function checkOf({ a1, said, right }: NonNullable<GradedWorld["grade"]>): Checked {
  const text = "names the fault first";
  const reason = `${said === "" ? "it states no cause" : `it says ${said}`}; right is ${right}`;
  return { kind: "a1", text, passed: a1, reason: a1 ? "" : reason };
}
