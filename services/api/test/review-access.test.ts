import { expect } from "chai";
import { Type } from "typebox";
import type { Role } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ReviewActivityResponse, ReviewResponse } from "../reviews/contract.ts";
import { ApiFixture, KEY_ACCESS } from "./api-fixture.ts";
import { TARSY } from "./webhook-bodies.ts";

const parseId = compileParser("accepted alert", Type.Object({ session_id: Type.String() }));
const parseResults = compileParser("review response", ReviewResponse);
const parseActivity = compileParser("review activity", ReviewActivityResponse);
const CHAINS = {
  ...TARSY,
  agent_chains: { ...TARSY.agent_chains, plain: { ...TARSY.agent_chains.plain, teams: ["platform"] } },
  system: {},
};

describe("who may review a session", () => {
  let api: ApiFixture;

  before(async () => {
    api = await ApiFixture.start({ env: KEY_ACCESS, config: { tarsy: CHAINS } });
  });
  after(() => api[Symbol.asyncDispose]());

  const key = async (subject: string, role: Role, teams: string[] = []) => {
    const headers = await api.keyOf(subject, [role], teams);
    return { ...headers, "content-type": "application/json" };
  };

  it("lets its submitter and operators, refuses its team, and hides it from others", async () => {
    const ann = await key("ann", "submitter");
    const body = Buffer.from(JSON.stringify({ data: "x" }));
    const { text } = await api.raw("POST", "/api/v1/alerts", { body, headers: ann });
    const { session_id } = parseId(JSON.parse(text));
    await api.servers.query(
      "UPDATE alert_sessions SET status = 'completed', completed_at = now() WHERE session_id = $1",
      [session_id],
    );
    const claim = async (headers: Record<string, string>) => {
      const answer = await api.raw("PATCH", "/api/v1/sessions/review", {
        body: Buffer.from(JSON.stringify({ session_ids: [session_id], action: "claim" })),
        headers,
      });
      expect(answer.status, answer.text).to.equal(200);
      return parseResults(JSON.parse(answer.text)).results;
    };
    const log = async (headers: Record<string, string>) =>
      api.raw("GET", `/api/v1/sessions/${session_id}/review-activity`, { headers });

    const [outsider, mate] = [await key("eve", "submitter"), await key("mate", "submitter", ["platform"])];
    expect(await claim(outsider)).to.deep.equal([{ session_id, success: false, error: "not found" }]);
    expect((await log(outsider)).status).to.equal(404);
    const error = "only the submitter of a session and operators may review it";
    expect(await claim(mate)).to.deep.equal([{ session_id, success: false, error }]);
    expect(parseActivity(JSON.parse((await log(mate)).text)).activities).to.deep.equal([]);
    for (const headers of [ann, await key("olga", "operator")]) {
      expect(await claim(headers)).to.deep.equal([{ session_id, success: true }]);
    }
    const { activities } = parseActivity(JSON.parse((await log(ann)).text));
    expect(activities.map(({ actor }) => actor)).to.deep.equal(["ann", "olga"]);
  });
});
