import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Static, TSchema } from "typebox";
import { describeViolation } from "#shared/agent-config/describe-violation.ts";
import { LONGEST_DURATION_MS, parseDuration } from "#shared/agent-config/parse-duration.ts";
import type { Reporter } from "#shared/agent-config/reporter.ts";
import { loosen, type Loose } from "#shared/agent-config/schemas/loose.ts";

const ajv = new Ajv({ allErrors: true, verbose: true, strict: true });
ajv.addVocabulary(["freeText", "rule", "secret", "secretIfWrong"]);
ajv.addFormat("duration-above-zero", { type: "string", validate: (text: string) => isDuration(text, 1) });
ajv.addFormat("duration-or-zero", { type: "string", validate: (text: string) => isDuration(text, 0) });

function isDuration(text: string, minimum: number): boolean {
  const duration = parseDuration(text);
  return duration !== undefined && duration >= minimum && duration <= LONGEST_DURATION_MS;
}

/** A checked value: `complete` if nothing was wrong, else only what was right. */
export type CheckedShape<S extends TSchema> =
  | { readonly valid: true; readonly value: Static<S> }
  | { readonly valid: false; readonly value: Loose<Static<S>> };

/** Checks values of one schema; see `shapeChecker`. */
export type ShapeChecker<S extends TSchema> = (value: unknown, reporter: Reporter) => CheckedShape<S>;

/**
 * Compiles a schema into a check that reports every violation at its place and takes the wrong values out,
 * so that the checks across entries can go on with the rest and find what else is wrong.
 */
export function shapeChecker<S extends TSchema>(schema: S): ShapeChecker<S> {
  const validate = ajv.compile<Static<S>>(schema);
  let validateLoose: ValidateFunction<Loose<Static<S>>> | undefined;
  return (value, reporter) => {
    if (validate(value)) return { valid: true, value };
    reportAndPrune(value, validate.errors ?? [], reporter);
    validateLoose ??= ajv.compile<Loose<Static<S>>>(loosen(schema));
    if (validateLoose(value)) return { valid: false, value };
    throw new Error(
      `what was left of the configuration is still invalid: ${ajv.errorsText(validateLoose.errors)}`,
    );
  };
}

interface Prune {
  readonly container: object;
  readonly key: string | number;
}

function reportAndPrune(root: unknown, errors: readonly ErrorObject[], reporter: Reporter): void {
  const prunes: Prune[] = [];
  for (const error of errors) {
    const target = locate(root, error);
    const { rule, hint, secret } = describeViolation(error);
    reporter.error({ ...target, secret }, rule, hint);
    if (error.keyword === "required" || error.keyword === "minItems" || target.key === undefined) continue;
    const { container, key } = target;
    if (prunes.some((prune) => prune.container === container && prune.key === key)) continue;
    prunes.push({ container, key });
  }
  for (const { container, key } of prunes.toReversed()) {
    if (Array.isArray(container) && typeof key === "number") reporter.sources.removeIndex(container, key);
    else Reflect.deleteProperty(container, key);
  }
}

/** The container and key an ajv error speaks of. */
function locate(root: unknown, error: ErrorObject): { container: object; key?: string | number } {
  const segments = error.instancePath.split("/").slice(1).map(unescapePointer);
  const missing: unknown = error.keyword === "required" ? error.params["missingProperty"] : undefined;
  if (typeof missing === "string") segments.push(missing);
  let container: unknown = root;
  let key: string | number | undefined;
  for (const segment of segments) {
    if (key !== undefined && isContainer(container)) container = Reflect.get(container, key);
    key = Array.isArray(container) ? Number(segment) : segment;
  }
  if (!isContainer(container)) throw new Error(`nothing at ${error.instancePath}`);
  return key === undefined ? { container } : { container, key };
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}
