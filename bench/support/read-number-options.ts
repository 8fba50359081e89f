import { parseArgs } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { UsageError } from "./benchmark.ts";

/** The default and the maximum of each numeric option, by its name. The minimum is 1. */
type NumberOptions = Readonly<Record<string, { readonly fallback: number; readonly max: number }>>;

/** Parses `--name N` for each known name, and `--json FILE`. Throws UsageError naming the option and its allowed values. */
export function readNumberOptions(
  args: readonly string[],
  known: NumberOptions,
): { readonly number: (name: string) => number; readonly jsonFile: string | undefined } {
  const values = parse(args, Object.keys(known));
  const numberOf = (name: string, { fallback, max }: { fallback: number; max: number }) => {
    const text = values[name];
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
    throw new UsageError(`--${name} is "${text}"; it must be a whole number from 1 to ${max}`);
  };
  const numbers = new Map(Object.entries(known).map(([name, limits]) => [name, numberOf(name, limits)]));
  if (values["json"] === "") throw new UsageError("--json is empty; give it a path");
  return { number: (name) => numbers.get(name) ?? 0, jsonFile: values["json"] };
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
