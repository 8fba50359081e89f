import { isJsonObject } from "#shared/json-object.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A key of a file, where it stands, and what it allows. */
interface ConfigKeyRow {
  readonly path: string;
  readonly name: string;
  readonly allowed: string;
  readonly description: string;
}

const DURATION = /\(\?:ns\|us\|µs/u;
const NO_LIMIT = 2_147_483_647;

/**
 * A page in Markdown with every key of the files, by the editor's schemas: one list for each section of a file. A key that an earlier
 * list has, with the same rules, is only named below the list.
 */
export function keyReference(files: Readonly<Record<string, Schema>>): string {
  const described = new Set<string>();
  const parts = Object.entries(files).map(
    ([file, schema]) => `## ${file}\n\n${sectionsOf(schema).map(textOf).join("\n")}`,
  );
  return [HEAD, ...parts].join("\n");

  function textOf({ title, rows }: { title: string | undefined; rows: readonly ConfigKeyRow[] }): string {
    const isNew = rows.filter((row) => {
      const key = `${row.name}\n${row.allowed}\n${row.description}`;
      return !described.has(key) && described.add(key);
    });
    const known = rows.filter((row) => !isNew.includes(row)).map(({ path }) => path);
    const isBelowOther = (path: string) =>
      known.some((other) => /^(?:\.|\[)/u.test(path.slice(other.length)) && path.startsWith(other));
    const others = known.filter((path) => !isBelowOther(path)).map((path) => `\`${path}\``);
    return [
      ...(title === undefined ? [] : [`### ${title}\n`]),
      ...isNew.map(lineOf),
      ...(others.length === 0 ? [] : [`\nAs above: ${others.join(", ")}.`]),
      "",
    ].join("\n");
  }
}

const HEAD = `# Keys of the configuration

Every key of the files of a configuration directory, what it allows and means; [configuration.md](configuration.md) has the rules across
keys. \`npm run schemas\` writes this page from the schemas by which the files are checked. A key is optional unless its line says
*required*. \`[]\` is each entry of a list, \`<name>\` a name of yours.
`;

/** The sections of a file: its keys that hold further keys. Keys that hold none are a section without a title. */
function sectionsOf(file: Schema): readonly { title: string | undefined; rows: readonly ConfigKeyRow[] }[] {
  const sections = propertiesOf(file).map(([key, schema]) => ({
    title: `\`${key}${shapeOf(schema)}\``,
    own: rowOf(key, schema, requiredBy(file, key)),
    rows: rowsOf(schema, ""),
  }));
  const flat = sections.flatMap(({ own, rows }) => (rows.length === 0 ? [own] : []));
  return [
    ...(flat.length === 0 ? [] : [{ title: undefined, rows: flat }]),
    ...sections.filter(({ rows }) => rows.length > 0),
  ];
}

/** The text that stands between a section's key and the keys of its entries. */
function shapeOf(schema: Schema): string {
  const [form = {}] = formsOf(schema);
  const [items, values] = [recordOf(form["items"]), recordOf(form["additionalProperties"])];
  if (items !== undefined) return `[]${shapeOf(items)}`;
  return values === undefined ? "" : `.<name>${shapeOf(values)}`;
}

/** The keys below a schema, the nearest first, with their paths from it. */
function rowsOf(schema: Schema, path: string): readonly ConfigKeyRow[] {
  return formsOf(schema).flatMap((form) => {
    const items = recordOf(form["items"]);
    const values = recordOf(form["additionalProperties"]);
    return [
      ...propertiesOf(form).flatMap(([key, inner]) => {
        const at = path === "" ? key : `${path}.${key}`;
        return [{ ...rowOf(key, inner, requiredBy(form, key)), path: at }, ...rowsOf(inner, at)];
      }),
      ...(items === undefined ? [] : rowsOf(items, path === "" ? "" : `${path}[]`)),
      ...(values === undefined ? [] : rowsOf(values, path === "" ? "" : `${path}.<name>`)),
    ];
  });
}

function rowOf(key: string, schema: Schema, isRequired: boolean): ConfigKeyRow {
  const allowed = [...new Set(formsOf(schema).map(allowedBy))].filter((text) => text !== "").join(", ");
  return {
    path: key,
    name: key,
    allowed: [...(isRequired ? ["*required*"] : []), ...(allowed === "" ? [] : [allowed])].join("; "),
    description: typeof schema["description"] === "string" ? schema["description"] : "",
  };
}

/** A schema's notations that a reader has to know; those of every key (a variable, no value, text instead of a number) are left out. */
function formsOf(schema: Schema): readonly Schema[] {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return [schema];
  const forms = anyOf.flatMap((form: unknown) => formsOf(recordOf(form) ?? {}));
  const [first] = forms;
  return forms.filter(
    (form) =>
      form === first ||
      !("$ref" in form || form["type"] === "null" || isOtherNotation(form, String(first?.["type"]))),
  );
}

/** A number that is written as text, or a text that is written as a number. */
function isOtherNotation(form: Schema, first: string): boolean {
  return (
    Array.isArray(form["type"]) || (form["type"] === "string" && /^(?:integer|number|boolean)$/u.test(first))
  );
}

function allowedBy(form: Schema): string {
  const { type, minimum, maximum, pattern, patternErrorMessage, items } = form;
  const choice = form["enum"];
  if (Array.isArray(choice)) {
    return choice
      .filter((value) => value !== "" && value !== "0")
      .map((value) => `\`${value}\``)
      .join(", ");
  }
  if (type === "integer" || type === "number") return rangeOf(minimum, maximum);
  if (type === "boolean") return "boolean";
  if (type === "array") {
    const inner = rowOf("", recordOf(items) ?? {}, false).allowed;
    return inner === "" || inner === "text" ? "list" : `list of ${inner}`;
  }
  if (type === "object") return "";
  if (typeof pattern === "string" && DURATION.test(pattern)) return "duration";
  if (typeof patternErrorMessage === "string") {
    return patternErrorMessage
      .replace(/^must be (?:the |an? )?/u, "")
      .replace(/(?:;|, not) .*$/u, "")
      .replace("name of an environment variable", "variable");
  }
  return "text";
}

function rangeOf(minimum: unknown, maximum: unknown): string {
  const isBounded = typeof maximum === "number" && maximum !== NO_LIMIT;
  if (typeof minimum === "number") return isBounded ? `${minimum}–${maximum}` : `≥ ${minimum}`;
  return isBounded ? `≤ ${maximum}` : "number";
}

function propertiesOf(schema: Schema): readonly (readonly [string, Schema])[] {
  return Object.entries(recordOf(schema["properties"]) ?? {}).flatMap(([key, value]) => {
    const inner = recordOf(value);
    return inner === undefined ? [] : [[key, inner] as const];
  });
}

function requiredBy(schema: Schema, key: string): boolean {
  const { required } = schema;
  return Array.isArray(required) && required.includes(key);
}

function lineOf({ path, allowed, description }: ConfigKeyRow): string {
  const text = description.replaceAll(/(?<![`\w])(?<word>[a-z]+(?:_[a-z]+)+)(?![`\w])/gu, "`$<word>`");
  return `- \`${path}\`${allowed === "" ? "" : ` (${allowed})`}: ${text}`;
}

function recordOf(value: unknown): Schema | undefined {
  return isJsonObject(value) ? { ...value } : undefined;
}
