import { expect } from "chai";
import { Type } from "typebox";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { ApiFixture } from "./api-fixture.ts";
import { TARSY } from "./webhook-bodies.ts";

const parseObject = compileParser("JSON object", Type.Record(Type.String(), Type.Unknown()));
const CHAINS = {
  ...TARSY,
  agent_chains: { ...TARSY.agent_chains, plain: { ...TARSY.agent_chains.plain, teams: ["platform"] } },
  system: {},
};

describe("who may park and resume a session", () => {
  it("is its submitter and operators, not its team, a viewer or others, and it is in the audit log", async () => {
    await using api = await ApiFixture.start({
      env: { AUTH_MODE: "token", BIND_ADDRESS: "0.0.0.0" },
      config: { tarsy: CHAINS },
    });
    const ann = { ...(await api.keyOf("ann", ["submitter"])), "content-type": "application/json" };
    const { text } = await api.raw("POST", "/api/v1/alerts", {
      body: Buffer.from('{"data":"x"}'),
      headers: ann,
    });
    const id = String(parseObject(JSON.parse(text))["session_id"]);
    const statuses = async (headers: Record<string, string>) => {
      const found: number[] = [];
      for (const change of ["park", "resume"]) {
        found.push((await api.raw("POST", `/api/v1/sessions/${id}/${change}`, { headers })).status);
      }
      return found;
    };
    expect(await statuses(await api.keyOf("vic", ["viewer"], ["platform"]))).to.deep.equal([403, 403]);
    expect(await statuses(await api.keyOf("eve", ["submitter"]))).to.deep.equal([404, 404]);
    expect(await statuses(await api.keyOf("mate", ["submitter"], ["platform"]))).to.deep.equal([403, 403]);
    expect(await statuses(ann)).to.deep.equal([200, 200]);
    expect(await statuses(await api.keyOf("oda", ["operator"]))).to.deep.equal([200, 200]);
    const audited = await api.servers.query(
      `SELECT action, subject, detail->>'status' AS status FROM audit_log
       WHERE session_id = $1 AND action IN ('session.park', 'session.resume') AND result = 'allowed' ORDER BY at`,
      [id],
    );
    expect(audited.slice(0, 2)).to.deep.equal([
      { action: "session.park", subject: "ann", status: "parked" },
      { action: "session.resume", subject: "ann", status: "resuming" },
    ]);
  });
});
