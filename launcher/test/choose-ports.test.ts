import { expect } from "chai";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { freePort } from "../free-port.ts";
import { choosePorts } from "../choose-ports.ts";
import { anyPorts } from "./checkout.ts";
import { rejectionOf } from "./rejection-of.ts";

const host = "127.0.0.1";

describe("choosePorts", () => {
  let server: Server;
  let taken = "";
  before(async () => {
    const port = await freePort(host);
    server = createServer().listen(port, host);
    await once(server, "listening");
    taken = String(port);
  });
  after(() => server.close());

  it("chooses different free ports for 0", async () => {
    const ports = await choosePorts(anyPorts, host);
    expect([...ports.keys()]).to.have.members(Object.keys(anyPorts));
    expect(new Set(ports.values()).size).to.equal(ports.size);
    expect([...ports.values()].every((port) => port > 0)).to.equal(true);
  });

  it("refuses a port in use in one sentence with the port, its variable and the process", async () => {
    const message = await rejectionOf(choosePorts({ ...anyPorts, API_PORT: taken }, host));
    expect(message)
      .to.include(`Port ${taken} (API_PORT)`)
      .and.include(`(process ${process.pid})`)
      .and.not.include("\n");
  });

  it("refuses a health port in use that was set explicitly", async () => {
    const message = await rejectionOf(choosePorts({ ...anyPorts, NOTIFIER_HEALTH_PORT: taken }, host));
    expect(message).to.include("NOTIFIER_HEALTH_PORT");
  });

  it("replaces a default health port in use", async () => {
    const { EXECUTOR_HEALTH_PORT: _unset, ...env } = anyPorts;
    // The default port may or may not be in use at this moment.
    const ports = await choosePorts({ ...env, API_PORT: "8091" }, host).catch(async () =>
      choosePorts(env, host),
    );
    expect(ports.get("EXECUTOR_HEALTH_PORT")).to.be.greaterThan(0).and.not.equal(ports.get("API_PORT"));
  });

  it("refuses the same port for two variables", async () => {
    const port = String(await freePort(host));
    const message = await rejectionOf(
      choosePorts({ ...anyPorts, API_PORT: port, NOTIFIER_PORT: port }, host),
    );
    expect(message).to.include("API_PORT").and.include("NOTIFIER_PORT");
  });

  it("refuses an invalid port, and an address of another machine", async () => {
    expect(await rejectionOf(choosePorts({ ...anyPorts, API_PORT: "http" }, host))).to.include("API_PORT");
    const port = String(await freePort(host));
    expect(await rejectionOf(choosePorts({ ...anyPorts, API_PORT: port }, "192.0.2.1"))).to.include(
      "BIND_ADDRESS",
    );
  });
});
