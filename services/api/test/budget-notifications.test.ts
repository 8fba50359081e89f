import { expect } from "chai";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { WebhookMessage } from "#shared/contracts/webhook-message.ts";
import { until } from "../../../test/support/until.ts";
import { NotificationsFixture } from "./notifications-fixture.ts";

const BUDGET = { scope: "team", key: "<!channel>", period: "day", dimension: "usd", limit: 5 };
const parseMessage = compileParser("webhook", WebhookMessage);

describe("notifications about budgets", () => {
  let fixture: NotificationsFixture;

  before(async () => {
    fixture = await NotificationsFixture.start({ events: ["budget.soft_limit", "budget.exceeded"] });
  });
  after(() => fixture[Symbol.asyncDispose]());

  /** As an executor's step does. */
  const stop = async (id: string, kind: string, used: number) => {
    for (const destination of ["slack", "webhook:ops"]) {
      await fixture.api.servers.query(
        `INSERT INTO outbox (session_id, kind, destination, dedup_key, payload) VALUES ($1, $2, $3, $4, $5)`,
        [
          id,
          kind,
          destination,
          `${kind.replace(".", "-")}:${id}:${destination}`,
          JSON.stringify({ budget: { ...BUDGET, used, reserved: 0.5 } }),
        ],
      );
    }
  };

  it("name the budget and its figures, with inert texts", async () => {
    const id = await fixture.submit({});
    await fixture.begin(id);
    await stop(id, "budget.soft_limit", 4);
    await stop(id, "budget.exceeded", 4.75);
    fixture.send();
    await until("all are sent", async () => {
      const states = (await fixture.rows(id)).map((row) => row.state);
      return states.length === 4 && states.every((state) => state === "sent");
    });
    const [soft, hard] = fixture.posted(id);
    expect(soft?.text).to.equal("Budget Nearly Used Up (test)");
    expect(hard?.text).to.equal("Budget Exceeded (test)");
    expect(JSON.stringify(hard)).to.contain(
      "the budget of team &lt;!channel&gt; for this day of 5 USD has no room for the next call: 4.75 USD used, 0.5 USD reserved",
    );
    const bodies = fixture.received(id).map(({ body }) => parseMessage(JSON.parse(body)));
    expect(bodies.map(({ type }) => type)).to.deep.equal(["budget.soft_limit", "budget.exceeded"]);
    expect(bodies[1]?.data).to.deep.include({ budget: { ...BUDGET, used: 4.75, reserved: 0.5 } });
  });
});
