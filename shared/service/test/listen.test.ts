import { createServer } from "node:http";
import { expect } from "chai";
import { listen } from "#shared/service/listen.ts";

describe("listen", () => {
  const attempt = async (host: string, port: number) => {
    const server = createServer();
    return listen(server, { host, port })
      .then(() => "listening")
      .catch((error: unknown) => error)
      .finally(() => server.close());
  };

  it("says in one sentence that a port is taken", async () => {
    const first = createServer();
    await listen(first, { host: "127.0.0.1", port: 0 });
    const address = first.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    expect(await attempt("127.0.0.1", port)).to.include({
      code: "port_unavailable",
      message: `port ${port} on 127.0.0.1 is taken by another program: stop it or choose another port`,
    });
    first.close();
  });

  it("reports any other error in one sentence", async () => {
    const error = await attempt("203.0.113.1", 0);
    expect(error).to.have.property("code", "port_unavailable");
    expect(error)
      .to.have.property("message")
      .that.matches(/^cannot listen on 203\.0\.113\.1:0: /u);
  });
});
