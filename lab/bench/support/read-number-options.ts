import { parseArgs } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { UsageError } from "../../../scripts/tarsy/command.ts";

/** The default and the maximum of a numeric option. The minimum is 1. */
interface NumberLimits {
  readonly fallback: number;
  readonly max: number;
}

/** The limits of each numeric option, by its name. */
type NumberOptions = Readonly<Record<string, NumberLimits>>;

/** Parses `--name N` for each known name, and `--json FILE`. Throws UsageError naming the option and its allowed values. */
export function readNumberOptions(
  args: readonly string[],
  known: NumberOptions,
): { readonly number: (name: string) => number; readonly jsonFile: string | undefined } {
  const values = parse(args, Object.keys(known));
  const numbers = new Map(
    Object.entries(known).map(([name, limits]) => [name, wholeNumber(`--${name}`, values[name], limits)]),
  );
  if (values["json"] === "") throw new UsageError("--json is empty; give it a path");
  return { number: (name) => numbers.get(name) ?? 0, jsonFile: values["json"] };
}

/** The value of an option such as `--rounds`; the default if `text` is undefined. Throws UsageError naming it and its allowed values. */
export function wholeNumber(
  option: string,
  text: string | undefined,
  { fallback, max }: NumberLimits,
): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new UsageError(`${option} is "${text}"; it must be a whole number from 1 to ${max}`);
}

function parse(
  args: readonly string[],
  names: readonly string[],
): Readonly<Record<string, string | undefined>> {
  const options = Object.fromEntries([...names, "json"].map((name) => [name, { type: "string" as const }]));
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const reason = errorMessage(error).split(/\.\s/)[0]?.replace(/\.$/, "");
    throw new UsageError(`${reason}; NAME --help lists the options`, {
      cause: error,
    });
  }
}
