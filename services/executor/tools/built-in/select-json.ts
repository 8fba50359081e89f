import { safeCut } from "#shared/safe-cut.ts";

/** The answer to a question about a kept text; `isError` if there is nothing to answer. */
export interface TextAnswer {
  readonly content: string;
  readonly isError: boolean;
}

type Step = { readonly kind: "key"; readonly key: string } | { readonly kind: "every" };

const STEP = /\.?([^.[\]"]+)|\.?\[(?:(\d+|\*)|("(?:[^"\\]|\\.)*"))\]/uy;
const MAX_STEPS = 100;

/**
 * The value at a path of a JSON text, as indented JSON of at most `maxChars` code units: `items[0].name`, `["a.b"]` for keys with
 * dots, `[*]` for every element of a list or every value of an object. An empty path, or `$`, is the whole text.
 */
export function selectJson(text: string, path: string, maxChars: number): TextAnswer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failed("The result is not JSON, or only its start is kept: use result_read or result_search.");
  }
  const steps = parsePath(path.trim().replace(/^\$/u, ""));
  if (steps === null) {
    return failed(
      'The path is not valid: write it like items[0].metadata.name, items[*].status or ["a.b"].c.',
    );
  }
  let values: unknown[] = [value];
  for (const step of steps) {
    values = values.flatMap((one) => (step.kind === "every" ? elements(one) : member(one, step.key)));
  }
  const isMany = steps.some(({ kind }) => kind === "every");
  if (!isMany && values.length === 0) return failed(missing(value, steps));
  const json = JSON.stringify(isMany ? values : values[0], null, 1);
  if (json.length <= maxChars) return { content: json, isError: false };
  const start = json.slice(0, safeCut(json, maxChars));
  return {
    content: `[This value has ${json.length} characters as JSON; only the first ${start.length} are shown: ask for a part of it.]\n${start}`,
    isError: false,
  };
}

function parsePath(path: string): Step[] | null {
  const steps: Step[] = [];
  const pattern = new RegExp(STEP);
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (match === null || steps.length === MAX_STEPS) return null;
    const [, name, index, quoted] = match;
    if (index === "*") steps.push({ kind: "every" });
    else if (quoted === undefined) steps.push({ kind: "key", key: name ?? index ?? "" });
    else {
      const key = parseQuoted(quoted);
      if (key === null) return null;
      steps.push({ kind: "key", key });
    }
  }
  return steps;
}

function parseQuoted(quoted: string): string | null {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return null;
  }
}

function elements(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function member(value: unknown, key: string): unknown[] {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return [];
  const found: unknown = Reflect.get(value, key);
  return key === "length" && Array.isArray(value) ? [] : [found];
}

/** Where a path ends, and what is there. */
function missing(root: unknown, steps: readonly Step[]): string {
  let value = root;
  let at = "the result";
  for (const step of steps) {
    if (step.kind === "every") break;
    const [next] = member(value, step.key);
    if (next === undefined) break;
    value = next;
    at = `the value up to ${JSON.stringify(step.key)}`;
  }
  if (Array.isArray(value)) return `There is no such value: ${at} is a list of ${value.length}.`;
  if (typeof value !== "object" || value === null) {
    return `There is no such value: ${at} is no object or list.`;
  }
  const keys = Object.keys(value);
  const shown = keys.slice(0, 20).join(", ").slice(0, 600).toWellFormed();
  return `There is no such value: ${at} has the keys ${shown}${keys.length > 20 ? ", …" : ""}.`;
}

function failed(content: string): TextAnswer {
  return { content, isError: true };
}
