import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";

const ALERTS = join(import.meta.dirname, "../alerts");

describe("examples/alerts", () => {
  it("have the form that their senders use", async () => {
    const read = async (name: string) => readFile(join(ALERTS, name), "utf8");
    expect(JSON.parse(await read("alertmanager-webhook.json"))).to.include({
      version: "4",
      status: "firing",
    });
    const pagerduty: unknown = JSON.parse(await read("pagerduty-event.json"));
    expect(pagerduty).to.have.nested.property("event.event_type", "incident.triggered");
    expect(parse(await read("kubernetes-event.yaml"))).to.include({ kind: "Event", reason: "BackOff" });
  });
});
