import type { JsonObject } from "#shared/json-object.ts";

interface SeenArgument {
  readonly types: Set<string>;
  /** The calls in which it was not empty. */
  given: number;
}

/** What was seen of one tool in a whole suite. */
interface SeenTool {
  calls: number;
  readonly args: Map<string, SeenArgument>;
}

/** A schema for each tool of a suite, made of its recorded calls: one case alone has too few of them. */
export class InferredSchemas {
  readonly #tools = new Map<string, SeenTool>();

  /** Adds a call; undefined arguments are unknown ones. */
  add(tool: string, args: JsonObject | undefined): void {
    const seen = this.#tools.get(tool) ?? { calls: 0, args: new Map<string, SeenArgument>() };
    this.#tools.set(tool, seen);
    seen.calls += 1;
    for (const [name, value] of Object.entries(args ?? {})) {
      const argument = seen.args.get(name) ?? { types: new Set<string>(), given: 0 };
      seen.args.set(name, argument);
      if (value === null) continue;
      argument.types.add(typeOf(value));
      if (value !== "") argument.given += 1;
    }
  }

  /**
   * The schema of a tool: types are those that were seen, and an argument is required if every call has it and there are several. Values
   * are no `enum`: a right call may have another.
   */
  of(tool: string): { schema: JsonObject; recordings: number } {
    const { calls, args } = this.#tools.get(tool) ?? { calls: 0, args: new Map<string, SeenArgument>() };
    const names = [...args.keys()].toSorted();
    const properties = names.map((name) => {
      const types = [...(args.get(name)?.types ?? [])].toSorted();
      return [name, types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }] as const;
    });
    const required = names.filter((name) => calls > 1 && args.get(name)?.given === calls);
    return {
      schema: { type: "object", properties: Object.fromEntries(properties), required },
      recordings: calls,
    };
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
