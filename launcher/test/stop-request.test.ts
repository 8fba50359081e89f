import { expect } from "chai";
import { listenForStop } from "../process/stop-request.ts";

describe("listenForStop", () => {
  it("treats signals within a second as one request and a later one as force", () => {
    let now = 0;
    const request = listenForStop(() => now);
    try {
      process.emit("SIGINT", "SIGINT");
      now = 900;
      process.emit("SIGTERM", "SIGTERM");
      expect(request.stop.aborted).to.equal(true);
      expect(request.stop.reason).to.have.property("message", "stopped by Ctrl-C");
      expect(request.force.aborted).to.equal(false);
      now = 1_100;
      process.emit("SIGINT", "SIGINT");
      expect(request.force.aborted).to.equal(true);
    } finally {
      request.dispose();
    }
  });
});
