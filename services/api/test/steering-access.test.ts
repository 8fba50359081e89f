import { expect } from "chai";
import { Type } from "typebox";
import { addApiKey } from "#shared/access/api-keys.ts";
import type { Role } from "#shared/access/identity.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ApiFixture } from "./api-fixture.ts";
import { TARSY } from "./webhook-bodies.ts";

const parseObject = compileParser("JSON object", Type.Record(Type.String(), Type.Unknown()));
const CHAINS = {
  ...TARSY,
  agent_chains: { ...TARSY.agent_chains, plain: { ...TARSY.agent_chains.plain, teams: ["platform"] } },
  system: {},
};

describe("who may write to the agents of a session", () => {
  it("is its submitter and operators, not its team, a viewer or others", async () => {
    await using api = await ApiFixture.start({
      env: { AUTH_MODE: "token", BIND_ADDRESS: "0.0.0.0" },
      config: { tarsy: CHAINS },
    });
    const key = async (subject: string, role: Role, teams: string[] = []) => {
      const { text } = await addApiKey(api.db, { subject, roles: [role], teams, expiresInDays: undefined });
      return { authorization: `Bearer ${text}`, "content-type": "application/json" };
    };
    const ann = await key("ann", "submitter");
    const { text } = await api.raw("POST", "/api/v1/alerts", {
      body: Buffer.from('{"data":"x"}'),
      headers: ann,
    });
    const id = String(parseObject(JSON.parse(text))["session_id"]);
    const body = Buffer.from(JSON.stringify({ mode: "note", content: "x" }));
    const status = async (headers: Record<string, string>) =>
      (await api.raw("POST", `/api/v1/sessions/${id}/messages`, { body, headers })).status;
    expect(await status(await key("vic", "viewer", ["platform"])), "a viewer of the team").to.equal(403);
    expect(await status(await key("eve", "submitter")), "another submitter").to.equal(404);
    expect(await status(await key("mate", "submitter", ["platform"])), "a submitter of the team").to.equal(
      403,
    );
    expect(await status(ann), "the submitter").to.equal(202);
    expect(await status(await key("oda", "operator")), "an operator").to.equal(202);
  });
});
