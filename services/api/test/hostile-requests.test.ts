import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { ApiFixture } from "./api-fixture.ts";

const MEBIBYTE = 1_048_576;

describe("a hostile request", () => {
  const resources = new AsyncDisposableStack();
  let api: ApiFixture;

  before(async () => {
    const env = { ALERT_FINGERPRINT_PATH: "/fingerprint", API_MAX_BODY_MIB: "16" };
    api = resources.use(await ApiFixture.start({ env }));
  });
  after(() => resources.disposeAsync());

  const dial = async ({ port } = api): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  const head = "POST /api/v1/alerts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

  it("is answered 408 when its headers or its body arrive too slowly", async () => {
    // A server of its own: the large bodies of other tests may take as long.
    const timeouts = { headersMs: 1_000, requestMs: 2_000, checkEveryMs: 100 };
    await using hasty = await ApiFixture.start({ servers: api.servers, timeouts });
    for (const beginning of [
      "POST /api/v1/alerts HTTP/1.1\r\nHost:",
      `${head}Content-Length: 100\r\n\r\n{"da`,
    ]) {
      const socket = await dial(hasty);
      const dribble = setInterval(() => socket.write(" "), 50);
      socket.on("error", () => undefined);
      socket.write(beginning);
      const answer = await text(socket);
      clearInterval(dribble);
      expect(answer).to.match(/^HTTP\/1\.1 408 [\s\S]*"message":"the request took too long/u);
      expect(answer.match(/HTTP\/1\.1/gu)).to.have.length(1);
    }
  });

  it("is answered 429 if it takes memory by many tiny chunks", async () => {
    const socket = await dial();
    socket.on("error", () => undefined);
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes.toString("latin1")));
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    // The content is 33 kB, what it takes is just above the budget of 16 MiB; nothing is left unread when it is refused.
    socket.write("1\r\nx\r\n".repeat(33_000));
    await once(socket, "close");
    expect(answer).to.match(/^HTTP\/1\.1 429 [\s\S]*too many bytes of request bodies/u);
  });

  it("is answered 413 long before a gigabyte of it is read", async () => {
    const socket = await dial();
    socket.on("error", () => undefined);
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes.toString("latin1")));
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = Buffer.concat([
      Buffer.from("100000\r\n"),
      Buffer.alloc(MEBIBYTE, " "),
      Buffer.from("\r\n"),
    ]);
    for (let sent = 0; sent < 1_024 && !socket.destroyed; sent++) {
      if (!socket.write(chunk)) {
        await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
      }
    }
    expect(answer).to.match(/^HTTP\/1\.1 413 [\s\S]*Request Entity Too Large/u);
    expect(socket.destroyed).to.equal(true);
    // The limit of 8 MiB and what the kernel takes from the client before the server reads it, at most some 10 MiB of Linux.
    expect(socket.bytesWritten).to.be.lessThan(64 * MEBIBYTE);
  });

  it("is accepted or refused whatever JSON it is, and never fails the server", async () => {
    const many = Array.from({ length: 100_000 }, (_, n) => `"k${n}":${n}`).join(",");
    const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    const bodies: [string, number][] = [
      [`{"data":"x",${many}}`, 202],
      [`{${many}}`, 400],
      [`{"data":{${many}}}`, 400],
      [`{"data":"x","mcp":{"servers":[{${many}}]}}`, 400],
      ['{"data":1e400}', 400],
      ['{"data":"x","n":1e400,"m":-1e-400}', 202],
      ['{"data":"x","alert_type":1e400}', 400],
      ['{"data":"x","data":"y","data":null}', 400],
      ['{"data":"x","__proto__":{"alert_type":7},"constructor":{"prototype":{"x":1}}}', 202],
      ['{"data":"x","mcp":{"__proto__":{"servers":[]}}}', 400],
      ['{"data":"x","mcp":{"servers":[],"native_tools":{"__proto__":{"url_context":"yes"}}}}', 202],
      [`{"data":"x","mcp":{"servers":[{"name":"${"\\u0000".repeat(1_000)}"}]}}`, 400],
      [`{"data":"x","x":${deep(100_000)}}`, 400],
      [`{"data":${deep(100_000)}}`, 400],
      [deep(1_000_000), 400],
      ["[".repeat(8 * MEBIBYTE), 400],
      ['"'.repeat(MEBIBYTE), 400],
      ["\uFEFF{}", 400],
      ["NaN", 400],
    ];
    for (const [body, status] of bodies) {
      expect(await api.post(body), body.slice(0, 60)).to.include({ status });
    }
  });

  it("is accepted with any alert text, which is stored unchanged", async () => {
    const many = Array.from({ length: 40_000 }, (_, n) => `"k${n}":${n}`).join(",");
    const texts = [
      "\0",
      "\uD800",
      "\uDC00\uD800",
      "\u0001".repeat(MEBIBYTE),
      "[".repeat(MEBIBYTE),
      `{"fingerprint":${"[".repeat(500_000)}${"]".repeat(500_000)}}`,
      `{${many}}`,
      '{"fingerprint":"\\ud800\\u0000"}',
      '{"fingerprint":1e400}',
      '{"__proto__":{"fingerprint":"x"}}',
      "'; DROP TABLE alert_sessions; --",
      "\u001b[2J\r\nlevel=error",
    ];
    for (const data of texts) {
      const { status, body } = await api.post(JSON.stringify({ data }));
      expect(status, data.slice(0, 60)).to.equal(202);
      const id = /"session_id":"([^"]+)"/u.exec(JSON.stringify(body))?.[1] ?? "";
      const session = await api.client.request("GET", `/api/v1/sessions/${id}`);
      const stored = data.replaceAll("\0", "\uFFFD").toWellFormed();
      expect(session.body["alert_data"] === stored, data.slice(0, 60)).to.equal(true);
    }
  });

  it("is accepted although the configuration has text that the database rejects", async () => {
    const stages = [{ name: "look\0", agents: [{ name: "TestAgent" }] }];
    const tarsy = { agent_chains: { odd: { alert_types: ["test"], stages } } };
    await using odd = await ApiFixture.start({ config: { tarsy } });
    const id = await odd.client.submit("disk full");
    expect(await odd.client.session(id)).to.include({ status: "pending" });
  });
});
