import { expect } from "chai";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { UUID_PATTERN } from "#shared/contracts/uuid.ts";
import type { Queryable } from "#shared/database/queryable.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { ALL_TABLES } from "#shared/database/tables/all-tables.ts";
import { OTHER_DOORS, ROUTE_TEXTS, TEXT_ORIGINS } from "#shared/masking/text-doors.ts";
import { hasSecret, SECRET_STATEMENTS } from "../../../test/support/secret-statements.ts";
import { apiRoutes } from "../app.ts";
import { withoutSecrets } from "../http/trace-requests.ts";
import { ApiFixture } from "./api-fixture.ts";

const parseColumn = compileParser(
  "column",
  Type.Object({ table_name: Type.String(), column_name: Type.String() }),
);

/** What can hold no text of anyone: all other types count as texts, so that a new type is not overlooked. */
const COLUMNS = `
SELECT c.relname AS table_name, a.attname AS column_name
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND coalesce(e.typtype, t.typtype) <> 'e'
  AND coalesce(e.typname, t.typname) NOT IN
      ('uuid', 'int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'bool', 'timestamptz', 'date', 'interval')
ORDER BY 1, 2`;

async function textColumns(db: Queryable): Promise<string[]> {
  const rows = await selectRows(db, parseColumn, COLUMNS, []);
  return rows.map(({ table_name, column_name }) => `${table_name}.${column_name}`);
}

const DECLARED = ALL_TABLES.flatMap((table) =>
  Object.entries(table.columns).flatMap(([name, column]) =>
    "from" in column ? [{ name: `${table.name}.${name}`, from: column.from }] : [],
  ),
);
const REGISTERED = DECLARED.map(({ name }) => name);

function keywords(schema: unknown): Readonly<Record<string, unknown>> {
  return typeof schema === "object" && schema !== null ? { ...schema } : {};
}

/** The dotted paths of what can hold any text. */
function freeTexts(schema: unknown, path: string): string[] {
  const { anyOf, type, items, properties, patternProperties, additionalProperties, ...rest } =
    keywords(schema);
  const below = (name: string) => (path === "" || path.endsWith(".") ? `${path}${name}` : `${path}.${name}`);
  if (Array.isArray(anyOf)) return anyOf.flatMap((one) => freeTexts(one, path));
  if (type === "array") return freeTexts(items, `${path}[]`);
  if (type === "object") {
    const named = Object.entries(keywords(properties)).flatMap(([name, one]) => freeTexts(one, below(name)));
    const isOpen = additionalProperties === true || patternProperties !== undefined;
    return isOpen ? [...named, below("*")] : named;
  }
  const isBound = "enum" in rest || "const" in rest || "format" in rest || rest["pattern"] === UUID_PATTERN;
  return type === "string" && !isBound ? [path] : [];
}

describe("the register of the doors of text", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start();
  });
  after(() => api[Symbol.asyncDispose]());

  it("has every column that can hold a text, once, and no other", async () => {
    expect(await textColumns(api.db)).to.deep.equal(REGISTERED.toSorted());
  });

  it("misses a column and a table that are new", async () => {
    const rollback = new Error("rolled back");
    const found: string[] = [];
    const attempt = api.db.transaction(async (transaction) => {
      await transaction.query("ALTER TABLE chats ADD COLUMN remark varchar(9), ADD COLUMN tags text[]");
      await transaction.query("CREATE TABLE new_notes (note jsonb, raw bytea, at timestamptz, n integer)");
      found.push(...(await textColumns(transaction)));
      throw rollback;
    });
    expect(await attempt.catch((error: unknown) => error)).to.equal(rollback);
    expect(found.filter((column) => !REGISTERED.includes(column))).to.deep.equal([
      "chats.remark",
      "chats.tags",
      "new_notes.note",
      "new_notes.raw",
    ]);
  });

  it("has every member of a request that can hold any text, and no other", () => {
    const routes = apiRoutes(api.deps).map(({ method, path, params, query, headers, body }) => {
      const name = `${method.toUpperCase()} ${path}`;
      const registered = new Map(Object.entries(ROUTE_TEXTS)).get(name) ?? {};
      const isWhole = "" in registered;
      const found = [
        ...freeTexts(params, "params."),
        ...freeTexts(query, "query."),
        ...freeTexts(headers, "headers."),
        ...(isWhole ? [""] : freeTexts(body?.schema, "")),
      ];
      return { name, found: [...new Set(found)].toSorted(), registered: Object.keys(registered).toSorted() };
    });
    for (const { name, found, registered } of routes) expect(found, name).to.deep.equal(registered);
    expect(routes.map(({ name }) => name)).to.include.members(Object.keys(ROUTE_TEXTS));
  });

  it("knows every origin that it names", () => {
    const named = [
      ...DECLARED.map(({ from }) => from),
      ...Object.values(ROUTE_TEXTS).flatMap((members) => Object.values(members)),
      ...Object.values(OTHER_DOORS),
    ];
    expect([...new Set(named)].toSorted()).to.deep.equal(Object.keys(TEXT_ORIGINS).toSorted());
  });

  it("has the names of callers that nothing vouches for masked, and leaves others as they are", async () => {
    const authors = async (header: string, names: readonly string[]) => {
      const found: string[] = [];
      for (const name of names) {
        const { status, text } = await api.raw("POST", "/api/v1/alerts", {
          body: Buffer.from('{"data":"x"}'),
          headers: { "content-type": "application/json", [header]: name },
        });
        expect(status, text).to.equal(202);
        const [row] = await api.servers.query(
          "SELECT 'x' AS table_name, author AS column_name FROM alert_sessions ORDER BY created_at DESC, session_id DESC LIMIT 1",
          [],
        );
        found.push(parseColumn(row).column_name);
      }
      return found;
    };
    const secrets = SECRET_STATEMENTS.filter(({ text }) => !text.includes("\n"));
    for (const header of ["x-forwarded-user", "x-forwarded-email", "x-remote-user"]) {
      const names = await authors(
        header,
        secrets.map(({ text }) => text),
      );
      expect(secrets.filter((secret) => hasSecret(names.join("\n"), secret))).to.deep.equal([]);
      const known = ["ann", "ann@example.com", "Ann Müller", "svc-deploy-01"];
      expect(await authors(header, known)).to.deep.equal(known);
    }
  });

  it("has the state of a caller's trace left out if there is a secret in it", async () => {
    const { masker } = api.deps;
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for (const { text } of SECRET_STATEMENTS) {
      const carrier = await withoutSecrets({ traceparent, tracestate: `vendor=1,${text}` }, masker);
      expect(carrier, text).to.deep.equal({ traceparent });
    }
    const whole = { traceparent, tracestate: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE,dd=s:1;o:rum" };
    expect(await withoutSecrets(whole, masker)).to.deep.equal(whole);
    expect(await withoutSecrets(undefined, masker)).to.equal(null);
  });
});
