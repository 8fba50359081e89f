import { closeSync, openSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { basename } from "node:path";
import { expect } from "chai";
import { portHolder } from "../port-holder.ts";

describe("portHolder(port)", () => {
  it("names the program, also where a descriptor before that of the port was closed", async () => {
    // The listing of descriptors takes the first free number itself, and has gone when it is looked at.
    const hole = openSync("/dev/null", "r");
    await using server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    closeSync(hole);
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect(portHolder(port)).to.equal(`${basename(process.execPath)} (process ${process.pid})`);
  });
});
