import { expect } from "chai";
import { SessionStore } from "../screens/session/session-store.ts";

describe("SessionStore#goTo(seq)", () => {
  it("steps from the event of the address before the events have come", () => {
    const store = new SessionStore("a", 30);
    store.goTo(29);
    expect(store.at.value).to.equal(29);
    store.goTo(31);
    expect(store.at.value).to.equal(31);
    store.goTo(0);
    expect(store.at.value).to.equal(1);
  });

  it("is at the present from the last event on", () => {
    const store = new SessionStore("a");
    store.goTo(31);
    expect(store.at.value).to.equal(undefined);
  });
});
