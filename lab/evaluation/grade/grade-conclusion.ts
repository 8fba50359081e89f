import type { Conclusion } from "#shared/contracts/conclusion.ts";
import type { Truth } from "#shared/worlds/world-format.ts";
import type { JudgedStatement } from "./judge-statement.ts";
import { isSameObject } from "./same-object.ts";

/** A conclusion compared with the truth. */
export interface Grade {
  /**
   * Object and cause are right in the first cause. Of a healthy world: nothing is wrong, it says. Of a world whose truth names no cause and
   * demands statements: it says what it must, and nothing that it must not.
   */
  readonly a1: boolean;
  /** Of the first cause alone, the parts of `a1`. */
  readonly isObjectRight: boolean;
  readonly isCauseRight: boolean;
  /** In one of the first three. */
  readonly a3: boolean;
  /** In the first, with the category. */
  readonly a1Strict: boolean;
  /** What the conclusion had to name, and did not. */
  readonly notNamed: readonly string[];
  /** The category that it must not have, and has; null if it has none of these. */
  readonly forbidden: string | null;
  /** The first cause as it is written; empty without one. */
  readonly said: string;
  /** What is right. */
  readonly right: string;
}

/** The categories that say that nothing is wrong. */
const HEALTHY = ["none", "healthy"];
const FIRST = 3;

type StatedCause = Conclusion["causes"][number];
type RightCause = Truth["causes"][number];

/**
 * Grades a conclusion; null for an agent that has stated none, which is wrong. `text` is everything that the agent has concluded with, where
 * names are looked for. `hasCodes`: agents know the codes of causes; otherwise the category decides. `statements` are those of the truth as
 * the judge has found them.
 */
export function gradeConclusion(
  conclusion: Pick<Conclusion, "status" | "causes"> | null,
  text: string,
  truth: Truth,
  { hasCodes, statements }: { readonly hasCodes: boolean; readonly statements: readonly JudgedStatement[] },
): Grade {
  const notNamed = namesOf(truth).filter((name) => !text.toLowerCase().includes(name.toLowerCase()));
  if (isOfStatements(truth)) return gradeStatements(statements, notNamed);
  const causes = conclusion?.causes ?? [];
  const [first] = causes;
  const isHealthy = truth.causes.every(({ category }) => HEALTHY.includes(category));
  const saysHealthy = conclusion !== null && conclusion.status !== "inconclusive" && causes.every(isNothing);
  const some = (stated: readonly StatedCause[], isRight: (one: StatedCause, right: RightCause) => boolean) =>
    isHealthy ? saysHealthy : stated.some((one) => truth.causes.some((right) => isRight(one, right)));
  const isObject = (one: StatedCause, right: RightCause) => isSameObject(one.entity, right.object);
  const isCause = (one: StatedCause, right: RightCause, isStrict = false) =>
    isSameCause(one, right, { hasCodes, isStrict });
  const best = causes.slice(0, 1);
  return {
    a1: some(best, (one, right) => isObject(one, right) && isCause(one, right)),
    isObjectRight: some(best, isObject),
    isCauseRight: some(best, (one, right) => isCause(one, right)),
    a3: some(causes.slice(0, FIRST), (one, right) => isObject(one, right) && isCause(one, right)),
    a1Strict: some(best, (one, right) => isObject(one, right) && isCause(one, right, true)),
    notNamed,
    forbidden:
      first === undefined
        ? null
        : ((truth.categories_not ?? []).find((category) => categoriesOf(first).has(fold(category))) ?? null),
    said: first === undefined ? "" : `${first.entity} ${first.code === "" ? first.kind : first.code}`,
    right: isHealthy
      ? "nothing is wrong"
      : truth.causes.map(({ object, cause }) => `${object} ${cause}`).join(" or "),
  };
}

function namesOf({ must_name: named = [], rule_out: ruledOut = [] }: Truth): readonly string[] {
  return [...named, ...ruledOut];
}

/** True for a truth that names no cause and demands what is to be said. */
export function isOfStatements(truth: Truth): boolean {
  const { causes, must = [], must_not: mustNot = [] } = truth;
  return causes.length === 0 && [...must, ...mustNot, ...namesOf(truth)].length > 0;
}

function gradeStatements(statements: readonly JudgedStatement[], notNamed: readonly string[]): Grade {
  const wrong = statements.filter(({ list, isSaid }) => isSaid !== (list === "must"));
  const isRight = wrong.length === 0 && notNamed.length === 0;
  const said = [
    ...wrong.map(({ list, statement, isSaid }) =>
      isSaid === null
        ? `nothing that a judge was asked about: ${statement}`
        : `${list === "must" ? "not" : "wrongly"}: ${statement}`,
    ),
    ...notNamed.map((name) => `not: ${name}`),
  ];
  return {
    a1: isRight,
    isObjectRight: isRight,
    isCauseRight: isRight,
    a3: isRight,
    a1Strict: isRight,
    notNamed,
    forbidden: null,
    said: said.join("; "),
    right: "what its source demands to be said",
  };
}

function isSameCause(
  stated: StatedCause,
  right: RightCause,
  { hasCodes, isStrict }: { readonly hasCodes: boolean; readonly isStrict: boolean },
): boolean {
  const codes = codesOf(stated);
  const isCause = [right.cause, ...(right.accept ?? [])].some((code) => codes.has(fold(code)));
  const isCategory = categoriesOf(stated).has(fold(right.category));
  return (hasCodes ? isCause : isCategory) && (!isStrict || isCategory);
}

function isNothing(stated: StatedCause): boolean {
  const categories = categoriesOf(stated);
  return HEALTHY.some((category) => categories.has(category));
}

/** A code may be one of a category and one of a cause. */
function codesOf({ code }: StatedCause): ReadonlySet<string> {
  return new Set(code.split("/").map(fold));
}

function categoriesOf(stated: StatedCause): ReadonlySet<string> {
  return new Set([...codesOf(stated), stated.kind]);
}

/** Spellings of a code that mean the same. */
function fold(code: string): string {
  return code
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_");
}
