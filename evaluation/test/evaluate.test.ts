import { expect } from "chai";
import { EvalFixture } from "./eval-fixture.ts";
import { makeCassette } from "./make-cassette.ts";

const LOG = { path: "/var/log", content: "access.log 40 GB" };

describe("tarsy eval", () => {
  it("runs every cassette with every variant, and compares them", async () => {
    await using fixture = await EvalFixture.create();
    for (const name of ["disk", "memory", "network"]) {
      await fixture.addCassette(name, makeCassette({ alert: `${name} alert`, reads: [LOG] }));
    }
    await fixture.writeSuite({
      repetitions: 2,
      judge: "judge",
      assertions: [
        { contains: "LOG" },
        { tool_called: { name: "files.read", arguments: { path: "/var/log" } } },
      ],
    });
    const { code, out, errors } = await fixture.run();
    process.stdout.write(out + errors);
    process.stdout.write(JSON.stringify((await fixture.results())[0], null, 1));
    expect(code).to.equal(1);
  });
});
