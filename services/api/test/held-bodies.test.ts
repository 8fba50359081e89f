import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import { until } from "../../../test/support/until.ts";
import { ApiFixture } from "./api-fixture.ts";

const MEBIBYTE = 1024 * 1024;

describe("request bodies that are never finished", () => {
  it("are refused, the largest first, so that there is room for others", async () => {
    await using api = await ApiFixture.start({ env: { API_MAX_BODY_MIB: "16" } });
    const sockets: Socket[] = [];
    const answers = ["", "", "", "", "", ""];
    const hold = async (index: number, bytes: number) => {
      const socket = connect(api.port, "127.0.0.1");
      sockets.push(socket);
      socket.setEncoding("latin1").on("data", (text: string) => (answers[index] += text));
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(
        `POST /api/v1/alerts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${8 * MEBIBYTE}\r\n\r\n`,
      );
      socket.write(Buffer.alloc(bytes, "x"));
    };
    const refused = () =>
      answers.filter((answer) => /^HTTP\/1\.1 429 .*retry-after: 1/isu.test(answer)).length;
    for (let index = 0; index < 5; index += 1) await hold(index, 6 * MEBIBYTE);
    await until("all but two are refused", () => refused() === 3);
    await hold(5, 1 * MEBIBYTE);
    expect(await api.post('{"data":"an honest alert"}')).to.include({ status: 202 });
    expect(refused()).to.equal(3);
    for (const socket of sockets) socket.destroy();
    // What was held is free again.
    const large = JSON.stringify({
      data: "x".repeat(1_000_000),
      runbook: "",
      more: "y".repeat(5 * MEBIBYTE),
    });
    await until("a large alert is taken", async () => (await api.post(large)).status === 202);
  });

  it("end their connections when they are refused", async () => {
    await using api = await ApiFixture.start({ env: { API_MAX_BODY_MIB: "16" } });
    const sockets = [1, 2, 3].map(() => connect(api.port, "127.0.0.1"));
    const closed = Promise.race(sockets.map(async (socket) => once(socket, "close")));
    for (const socket of sockets) {
      socket.on("error", () => undefined).resume();
      socket.write(
        "POST /api/v1/alerts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
      );
      socket.write(`${(6 * MEBIBYTE).toString(16)}\r\n`);
      socket.write(Buffer.alloc(6 * MEBIBYTE - 1, "x"));
    }
    await closed;
    for (const socket of sockets) socket.destroy();
  });
});
