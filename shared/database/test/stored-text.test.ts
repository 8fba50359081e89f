import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { Type, type Static } from "typebox";
import type { ColumnMetadata } from "typeorm/metadata/ColumnMetadata.js";
import type { DataSource, EntityMetadata } from "typeorm";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { DatabaseFixture } from "./database-fixture.ts";

const HOSTILE = { text: "a\0b\ud800💾", json: { "k\0": ["a\0b", { "\ud800": "\udc00" }] } };
const STORED = { text: "a\uFFFDb\uFFFD💾", json: { "k\uFFFD": ["a\uFFFDb", { "\uFFFD": "\uFFFD" }] } };

const Row = Type.Record(Type.String(), Type.Unknown());
const parseRow = compileParser("row", Row);

describe("what repositories store", () => {
  let fixture: DatabaseFixture;
  let db: DataSource;

  before(async () => {
    fixture = await DatabaseFixture.start();
    db = await fixture.migrated();
  });
  after(() => fixture[Symbol.asyncDispose]());

  /** Inserts into a copy of the table without its constraints, and reads the row back. */
  const store = async ({
    target,
    tableName,
    columns,
  }: EntityMetadata): Promise<Static<typeof Row> | undefined> =>
    db.transaction(async (manager) => {
      await manager.query(
        `CREATE TEMP TABLE ${tableName} (LIKE public.${tableName} INCLUDING DEFAULTS INCLUDING IDENTITY) ON COMMIT DROP`,
      );
      const values = columns.map((column): [string, unknown] => [column.propertyName, valueOf(column)]);
      await manager.insert(target, Object.fromEntries(values));
      const [row] = await selectRows(manager, parseRow, `SELECT * FROM pg_temp.${tableName}`, []);
      return row;
    });

  it("replaces what Postgres refuses in every jsonb and text column of every entity", async () => {
    expect(db.entityMetadatas).to.have.length.above(10);
    for (const entity of db.entityMetadatas) {
      const row = await store(entity);
      for (const { propertyName, type } of entity.columns) {
        const name = `${entity.tableName}.${propertyName}`;
        if (type === "jsonb") expect(row?.[propertyName], name).to.deep.equal(STORED.json);
        if (type === "text") expect(row?.[propertyName], name).to.equal(STORED.text);
      }
    }
  });

  it("replaces it in the text parameters of statements that return rows, too", async () => {
    const rows = await selectRows(db, parseRow, "SELECT $1::text AS text", [HOSTILE.text]);
    expect(rows).to.deep.equal([{ text: STORED.text }]);
  });
});

/** A value that the column's type accepts; hostile text where it is text. */
function valueOf({ type, enum: allowed }: ColumnMetadata): unknown {
  switch (type) {
    case "text":
      return HOSTILE.text;
    case "jsonb":
      return HOSTILE.json;
    case "uuid":
      return randomUUID();
    case "enum":
      return allowed?.[0];
    case "boolean":
      return true;
    case "timestamptz":
      return new Date(0);
    case "bytea":
      return Buffer.from("x");
    default:
      return 1;
  }
}
