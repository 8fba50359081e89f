import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { alertPreview, MAX_PREVIEW } from "#shared/alert-preview.ts";

const example = async (name: string) =>
  alertPreview(await readFile(new URL(`../../examples/alerts/${name}`, import.meta.url), "utf8"));

describe("the preview of an alert", () => {
  it("is the first line with something in it", () => {
    expect(alertPreview("\n  Disk full \nmore")).to.equal("Disk full");
    expect(alertPreview("Disk full: worker-3\nnamespace: shop")).to.equal("Disk full: worker-3");
    expect(alertPreview("")).to.equal("");
  });

  it("is the title of JSON, the most telling and then the outermost one", () => {
    expect(alertPreview('{"labels":{"alertname":"Down"},"annotations":{"summary":"x"}}')).to.equal("x");
    expect(alertPreview('{"alerts":[{"annotations":{"summary":"Pods restart"}}]}')).to.equal("Pods restart");
    expect(alertPreview('{"a":{"summary":"inner"},"summary":"outer"}')).to.equal("outer");
    expect(alertPreview('{"kind":"summary","title":"","name":"a"}')).to.equal("a");
    expect(alertPreview('{"title":"says \\"no\\"\\nand more"}')).to.equal('says "no"');
    expect(alertPreview('{"a":1}')).to.equal('{"a":1}');
    expect(alertPreview("{broken")).to.equal("{broken");
  });

  it("needs no more than the beginning of the alert", () => {
    expect(alertPreview(`{"summary":"Pods restart","log":"${"x".repeat(1_000_000)}"}`)).to.equal(
      "Pods restart",
    );
    expect(alertPreview(`{"log":"${"x".repeat(1_000_000)}","summary":"too late"}`)).to.match(
      /^\{"log":"x+…$/u,
    );
  });

  it("is short, without half a character", () => {
    expect(alertPreview("x".repeat(10_000))).to.have.length(MAX_PREVIEW);
    expect(alertPreview("💾".repeat(1_000)).isWellFormed()).to.equal(true);
  });

  it("recognises the alerts of common senders", async () => {
    expect(await example("pagerduty-event.json")).to.equal(
      "checkout-api: 5xx rate above 8% for 5 minutes (prod)",
    );
    expect(await example("kubernetes-event.yaml")).to.equal(
      "Back-off restarting failed container worker in pod " +
        "ledger-worker-6d5f9c7b8-x2k4p_payments(3c8f5f0e-0e0a-4b55-9a2b-7c2f5a1d9e10)",
    );
    expect(await example("alertmanager-webhook.json"))
      .to.be.a("string")
      .that.matches(/^[^{]/u);
    expect(await example("plain-text-emoji.txt")).to.match(/^[^{]/u);
  });
});
