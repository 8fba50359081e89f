import { expect } from "chai";
import { ClientAddresses } from "#shared/access/client-address.ts";

describe("ClientAddresses", () => {
  it("is the peer's, unless it passes on the request of another", () => {
    const addresses = new ClientAddresses([]);
    expect(addresses.of({}, "192.0.2.1")).to.equal("192.0.2.1");
    expect(addresses.of({ "x-forwarded-for": "198.51.100.1" }, "192.0.2.1")).to.equal(undefined);
    expect(addresses.of({}, undefined)).to.equal(undefined);
  });

  it("is what trusted proxies say, and not what the client claimed", () => {
    const addresses = new ClientAddresses(["10.0.0.0/8", "::1"]);
    const chain = { "x-forwarded-for": "203.0.113.9, 198.51.100.1, 10.1.1.1" };
    expect(addresses.of(chain, "10.0.0.2")).to.equal("198.51.100.1");
    expect(addresses.of(chain, "::ffff:10.0.0.2")).to.equal("198.51.100.1");
    expect(addresses.of({ "x-forwarded-for": "10.1.1.1" }, "::1")).to.equal("10.1.1.1");
    expect(addresses.of({ "x-forwarded-for": "nonsense" }, "10.0.0.2")).to.equal(undefined);
  });

  it("knows the private networks by one word, and refuses what is no network", () => {
    expect(new ClientAddresses(["private"]).of({ "x-forwarded-for": "192.0.2.7" }, "172.20.0.3")).to.equal(
      "192.0.2.7",
    );
    for (const entry of ["proxy", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.5/", "10.0.0.5/ ", "10.0.0.0/8/0"]) {
      expect(() => new ClientAddresses([entry]), entry).to.throw(/TRUSTED_PROXIES/u);
    }
  });
});
