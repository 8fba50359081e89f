import { expect } from "chai";
import { checkTimeScale } from "#shared/database/schema/check-time-scale.ts";
import { errorMessage } from "#shared/errors.ts";
import { DatabaseFixture } from "./database-fixture.ts";

describe("checkTimeScale", () => {
  let fixture: DatabaseFixture;
  before(async () => {
    fixture = await DatabaseFixture.start();
  });
  after(() => fixture[Symbol.asyncDispose]());

  /** What it says to a process of a scale about a database with this setting; "" is none. */
  const refusal = async (setting: string, scale: number) => {
    const db = await fixture.connect();
    return db.transaction(async (transaction) => {
      await transaction.query("SELECT set_config('tarsy.time_scale', $1, true)", [setting]);
      return checkTimeScale(transaction, scale).then(() => null, errorMessage);
    });
  };

  it("lets a process use the database of its scale", async () => {
    expect(await refusal("", 1)).to.equal(null);
    expect(await refusal("1", 1)).to.equal(null);
    expect(await refusal("4", 4)).to.equal(null);
  });

  it("lets a process with short durations not use a database of production, or of other tests", async () => {
    const remedy = "unset TARSY_TIME_SCALE, which is for tests only";
    const says = (of: number) =>
      `TARSY_TIME_SCALE is 4, and the database is one for a scale of ${of}: ${remedy}`;
    expect(await refusal("", 4)).to.equal(says(1));
    expect(await refusal("8", 4)).to.equal(says(8));
  });

  it("lets a process of production not use a database of tests", async () => {
    expect(await refusal("4", 1)).to.equal(
      "TARSY_TIME_SCALE is 1, and the database is one for a scale of 4: use another database, or remove its setting tarsy.time_scale once nothing uses it: it is for tests only",
    );
  });
});
