import { expect } from "chai";
import { notifierOf } from "../tarsy/connection.ts";

const addresses = (options: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) =>
  notifierOf({ option: (name) => options[name], env }).url.split(" and ");

describe("notifierOf({ option, env })", () => {
  const [usual, besideUsualApi] = ["ws://localhost:8081/ws", "ws://localhost:8080/ws"];

  it("is at the usual port, else at the api's", () => {
    expect(addresses({})).to.deep.equal([usual, besideUsualApi]);
  });

  it("is that of the api if only an api is named, so that another system's is not followed", () => {
    expect(addresses({ api: "https://tarsy.example" })).to.deep.equal(["wss://tarsy.example/ws", usual]);
    expect(addresses({}, { API_PORT: "9000" })).to.deep.equal(["ws://localhost:9000/ws", usual]);
    expect(addresses({}, { TARSY_API_URL: "http://a:1" })).to.deep.equal(["ws://a:1/ws", usual]);
  });

  it("is the one that is named, and no other if an option names it", () => {
    const api = { api: "http://a:1" };
    expect(addresses(api, { NOTIFIER_PORT: "9001" })).to.deep.equal([
      "ws://localhost:9001/ws",
      "ws://a:1/ws",
    ]);
    expect(addresses(api, { TARSY_WS_URL: "ws://b/ws" })).to.deep.equal(["ws://b/ws", "ws://a:1/ws"]);
    expect(addresses({ ...api, ws: "ws://b/ws" })).to.deep.equal(["ws://b/ws"]);
  });
});
