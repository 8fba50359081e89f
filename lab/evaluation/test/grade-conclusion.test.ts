import { expect } from "chai";
import type { Conclusion } from "#shared/contracts/conclusion.ts";
import type { Truth } from "#shared/worlds/world-format.ts";
import { gradeConclusion } from "../grade/grade-conclusion.ts";
import { isSameObject } from "../grade/same-object.ts";

type Causes = Conclusion["causes"];

const truth = (causes: Truth["causes"], more: Partial<Truth> = {}): Truth => ({
  format: "tarsy-truth",
  version: 1,
  world: "w",
  world_hash: "0".repeat(64),
  canary: "canary-of-a-truth",
  causes,
  ...more,
});
const cause = (entity: string, code: string, kind: Causes[number]["kind"] = "unknown") => ({
  entity,
  kind,
  code,
  statement: "",
});
const GATEWAY = truth([
  {
    object: "app/gateway",
    cause: "gateway_misroute",
    accept: ["gateway_misrouted"],
    category: "network",
  },
]);
const grade = (
  causes: Causes,
  of: Truth,
  {
    hasCodes = true,
    text = "",
    status = "likely",
  }: { hasCodes?: boolean; text?: string; status?: Conclusion["status"] } = {},
) => gradeConclusion({ status, causes }, text, of, { hasCodes, statements: [] });
/** a1, a3 and a1 with the category. */
const marks = (...args: Parameters<typeof grade>) => {
  const { a1, a3, a1Strict } = grade(...args);
  return [a1, a3, a1Strict];
};

describe("isSameObject", () => {
  const SAME = [
    ["app/checkout", "service/checkout"],
    ["deployment/checkout", "Pod/checkout-7f9dd8b6c4-x7gr9"],
    ["app/checkout", "rs/checkout-7f9dd8b6c4"],
    ["user-profile-resources", "pod/user-profile-resources-659d4dd659-cq4kq"],
    ["payments-api", "payments-api-7f9dd8b6c4-x7gr9"],
    ["svc/checkout", " SERVICES/Checkout "],
    ["node/worker-1", "no/worker-1"],
    ["pod/web", "po/prod/web"],
  ] as const;
  const DIFFERENT = [
    ["app/checkout", "app/cart"],
    ["app/checkout", "node/checkout"],
    ["pod/my-frontend-proxy", "pod/my"],
    ["service/checkout-7f9dd8b6c4-x7gr9", "app/checkout"],
    ["pod/kafka-1", "pod/kafka-2"],
    ["", ""],
    ["app/", "app/"],
  ] as const;

  for (const [one, other] of SAME) {
    it(`${one} is ${other}`, () => expect(isSameObject(one, other)).to.equal(true));
  }
  for (const [one, other] of DIFFERENT) {
    it(`${JSON.stringify(one)} is not ${JSON.stringify(other)}`, () =>
      expect(isSameObject(one, other)).to.equal(false));
  }
});

describe("gradeConclusion", () => {
  it("wants object and cause in the first cause, and accepts other spellings of a code", () => {
    expect(marks([cause("service/gateway", "gateway_misroute")], GATEWAY)).to.deep.equal([true, true, false]);
    expect(marks([cause("service/gateway", "gateway_misrouted")], GATEWAY)).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect(marks([cause("app/gateway", "network/Gateway-Misrouted")], GATEWAY)).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(marks([cause("app/gateway", "gateway_misrouted", "network")], GATEWAY)).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(marks([cause("app/cart", "gateway_misroute")], GATEWAY)).to.deep.equal([false, false, false]);
    expect(marks([cause("app/gateway", "oom_killed", "network")], GATEWAY)).to.deep.equal([
      false,
      false,
      false,
    ]);
  });

  it("says which part of the first cause is right", () => {
    const parts = (stated: Causes[number]) => {
      const { isObjectRight, isCauseRight } = grade([stated], GATEWAY);
      return [isObjectRight, isCauseRight];
    };
    expect(parts(cause("app/gateway", "oom_killed"))).to.deep.equal([true, false]);
    expect(parts(cause("app/cart", "gateway_misroute"))).to.deep.equal([false, true]);
  });

  it("counts the second and third cause for a3 only, and none behind", () => {
    const wrong = cause("app/cart", "oom_killed");
    const right = cause("app/gateway", "gateway_misroute");
    expect(marks([wrong, wrong, right], GATEWAY)).to.deep.equal([false, true, false]);
    expect(marks([wrong, wrong, wrong, right], GATEWAY)).to.deep.equal([false, false, false]);
  });

  it("lets the category decide where agents know no codes", () => {
    const of = truth([{ object: "catalog-prod", cause: "cpu_saturation", category: "resource_exhaustion" }]);
    const known = { hasCodes: false };
    expect(marks([cause("db/catalog-prod", "resource_exhaustion")], of, known)).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(marks([cause("db/catalog-prod", "", "resource_exhaustion")], of, known)).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(marks([cause("db/catalog-prod", "cpu_saturation")], of, known)).to.deep.equal([
      false,
      false,
      false,
    ]);
  });

  it("wants of a healthy world that nothing is wrong, and not that nothing is known", () => {
    for (const healthy of [truth([]), truth([{ object: "api", cause: "healthy", category: "healthy" }])]) {
      const none = [cause("deployment/api", "", "none")];
      expect(marks(none, healthy, { hasCodes: false })).to.deep.equal([true, true, true]);
      expect(marks([], healthy)).to.deep.equal([true, true, true]);
      expect(marks([cause("deployment/other", "healthy")], healthy)).to.deep.equal([true, true, true]);
      expect(marks([], healthy, { status: "inconclusive" })).to.deep.equal([false, false, false]);
      expect(marks([cause("deployment/api", "oom_killed")], healthy)).to.deep.equal([false, false, false]);
    }
    expect(marks([cause("app/gateway", "", "none")], GATEWAY)).to.deep.equal([false, false, false]);
  });

  it("takes any of several causes that are right", () => {
    const of = truth([
      { object: "app/cart", cause: "oom_killed", category: "x" },
      { object: "node/n1", cause: "disk_full", category: "y" },
    ]);
    expect(marks([cause("node/n1", "disk_full")], of)).to.deep.equal([true, true, false]);
    expect(marks([cause("node/n1", "oom_killed")], of)).to.deep.equal([false, false, false]);
  });

  it("is wrong without a conclusion", () => {
    const { a1, a3, said, right } = gradeConclusion(null, "the gateway", GATEWAY, {
      hasCodes: true,
      statements: [],
    });
    expect([a1, a3, said, right]).to.deep.equal([false, false, "", "app/gateway gateway_misroute"]);
    expect(gradeConclusion(null, "", truth([]), { hasCodes: true, statements: [] }).a1).to.equal(false);
  });

  it("lets the statements decide where the truth names no cause", () => {
    const of = truth([], { must: ["the disk is full"], must_not: ["two causes"], must_name: ["sda1"] });
    const judged = (list: "must" | "must_not", isSaid: boolean | null) =>
      ({ list, statement: list, isSaid, quote: "", votes: 1 }) as const;
    const marksOf = (must: boolean | null, mustNot: boolean | null, text = "SDA1") =>
      gradeConclusion({ status: "inconclusive", causes: [] }, text, of, {
        hasCodes: false,
        statements: [judged("must", must), judged("must_not", mustNot)],
      });
    expect(marksOf(true, false).a1).to.equal(true);
    for (const wrong of [marksOf(false, false), marksOf(true, true), marksOf(true, false, "")]) {
      expect(wrong.a1).to.equal(false);
    }
    expect(marksOf(null, null).said).to.contain("a judge");
  });

  it("says what was not named, in any case, and which category it must not have", () => {
    const of = truth(GATEWAY.causes, {
      must_name: ["Exit code 137", "memory"],
      rule_out: ["no image pull"],
      categories_not: ["healthy", "unknown"],
    });
    const found = grade([cause("app/gateway", "x")], of, { text: "MEMORY; exit Code 137" });
    expect(found.notNamed).to.deep.equal(["no image pull"]);
    expect(found.forbidden).to.equal("unknown");
    expect(grade([cause("app/gateway", "x", "network")], of).forbidden).to.equal(null);
    expect(grade([], of).forbidden).to.equal(null);
  });
});
