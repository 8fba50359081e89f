import { expect } from "chai";
import { NIL, v5 } from "uuid";
import { uuidFrom } from "#shared/uuid-from.ts";

describe("uuidFrom", () => {
  it("is version 5 of RFC 9562, as the package uuid computes it", () => {
    const dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    expect(uuidFrom("www.example.com", dns)).to.equal("2ed6657d-e927-568b-95e1-2665a8aea6a2");
    for (let number = 0; number < 100; number += 1) {
      const name = `timeline:${number}:ä💾`;
      expect(uuidFrom(name, NIL)).to.equal(v5(name, NIL));
      expect(uuidFrom(name, uuidFrom(name, dns))).to.equal(v5(name, v5(name, dns)));
    }
  });
});
