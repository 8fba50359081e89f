import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "#shared/json-object.ts";

/**
 * The named schemas of a document. A schema with a `title` stands once under `components/schemas` by that name, and a
 * reference wherever it is used. Inside of `allOf` nothing is replaced, so that the parts can be closed together.
 */
export class Components {
  readonly #schemas = new Map<string, JsonObject>();

  /** The schema as it stands at its use. Throws an Error if two different schemas have the same title. */
  use(schema: unknown): unknown {
    return this.#convert(JSON.parse(JSON.stringify(schema)), true);
  }

  /** All named schemas, by name. */
  get all(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #convert(value: unknown, mayName: boolean): unknown {
    if (Array.isArray(value)) return value.map((item: unknown) => this.#convert(item, mayName));
    if (!isJsonObject(value)) return value;
    const { title } = value;
    const converted = this.#members(value, mayName);
    if (!mayName || typeof title !== "string" || !/^[A-Z]\w+$/u.test(title)) return converted;
    const known = this.#schemas.get(title);
    if (known !== undefined && !isDeepStrictEqual(known, converted)) {
      throw new Error(`two different schemas have the title ${title}`);
    }
    this.#schemas.set(title, converted);
    return { $ref: `#/components/schemas/${title}` };
  }

  #members(schema: JsonObject, mayName: boolean): JsonObject {
    const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
      if (key === "default" || key === "examples" || key === "enum" || key === "const") return [key, value];
      return [key, this.#convert(value, mayName && key !== "allOf")];
    });
    const { patternProperties, ...members } = Object.fromEntries(entries);
    // What the schema builder writes for a map with any keys.
    const forAnyKey = isJsonObject(patternProperties) ? patternProperties["^.*$"] : undefined;
    const isText = Array.isArray(members["enum"]) && members["enum"].every((one) => typeof one === "string");
    return {
      ...(isText && members["type"] === undefined ? { type: "string" } : {}),
      ...members,
      ...(forAnyKey === undefined
        ? patternProperties === undefined
          ? {}
          : { patternProperties }
        : { additionalProperties: forAnyKey }),
    };
  }
}
