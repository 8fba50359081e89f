import { markup, type Markup } from "#shared/markup.ts";

/** A suite of tests as JUnit's XML has it. */
export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** One test. */
interface JunitCase {
  readonly className: string;
  readonly name: string;
  readonly seconds: number;
  readonly outcome: JunitOutcome;
}

/** The end of a test; `text` has the details behind the one-line message. */
export type JunitOutcome =
  | { readonly kind: "passed" }
  | { readonly kind: "failure" | "error"; readonly message: string; readonly text?: string }
  | { readonly kind: "skipped"; readonly message: string };

/** The suites as JUnit's XML, which pipelines read; characters that XML cannot have are shown. */
export function junitXml(name: string, suites: readonly JunitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name}" ${totals(all)}>
${suites.map(suiteElement)}</testsuites>
`.text;
}

function suiteElement({ name, cases }: JunitSuite): Markup {
  return markup`<testsuite name="${name}" ${totals(cases)}>
${cases.map(caseElement)}</testsuite>
`;
}

function totals(cases: readonly JunitCase[]): Markup {
  const count = (kind: JunitOutcome["kind"]) => cases.filter(({ outcome }) => outcome.kind === kind).length;
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0);
  return markup`tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}" time="${seconds.toFixed(3)}"`;
}

function caseElement({ className, name, seconds, outcome }: JunitCase): Markup {
  return markup`<testcase classname="${className}" name="${name}" time="${seconds.toFixed(3)}">${outcomeElement(outcome)}</testcase>
`;
}

function outcomeElement(outcome: JunitOutcome): Markup {
  switch (outcome.kind) {
    case "passed":
      return markup``;
    case "failure":
      return markup`<failure message="${outcome.message}">${outcome.text}</failure>`;
    case "error":
      return markup`<error message="${outcome.message}">${outcome.text}</error>`;
    case "skipped":
      return markup`<skipped message="${outcome.message}"/>`;
    default:
      return outcome satisfies never;
  }
}
